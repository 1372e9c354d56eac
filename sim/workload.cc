// SPDX-License-Identifier: Apache-2.0
#include "workload.h"

#include <array>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "rookery/base/coding.h"
#include "rookery/base/prng.h"

namespace rookery::sim {
namespace {

constexpr std::string_view kTreeName = "workload/tree";
constexpr std::string_view kFixedName = "workload/fixed";
constexpr std::uint16_t kFixedValueSize = 16;
constexpr std::string_view kProgressKey = "!transactions";
constexpr std::size_t kFindingsMax = 10;

// A row: u16 key length, key, int64 etag, payload.
std::string make_row(std::string_view key, std::int64_t etag, std::string_view payload) {
  std::string row(2 + key.size() + 8, '\0');
  auto* bytes = reinterpret_cast<std::byte*>(row.data());
  save(bytes, static_cast<std::uint16_t>(key.size()));
  std::memcpy(bytes + 2, key.data(), key.size());
  save(bytes + 2 + key.size(), etag);
  row += payload;
  return row;
}

bool extract_key(Bytes row, store::KeyBuffer& key) {
  key.assign(as_text(row.subspan(2, load<std::uint16_t>(row.data()))));
  return true;
}

bool extract_etag(Bytes row, store::KeyBuffer& key) {
  key.assign(as_text(row.subspan(2U + load<std::uint16_t>(row.data()), 8)));
  return true;
}

// First byte of the payload, then the key: many rows a group, every key its own.
bool extract_group(Bytes row, store::KeyBuffer& key) {
  const std::size_t key_size = load<std::uint16_t>(row.data());
  const Bytes payload = row.subspan(2 + key_size + 8);
  if (payload.empty()) {
    return false;
  }
  key.assign(as_text(payload.first(1)));
  key += as_text(row.subspan(2, key_size));
  return true;
}

constexpr std::size_t kByEtag = 0;

std::string random_bytes(Prng& prng, std::size_t size) {
  std::string text(size, '\0');
  // Runs of one letter: compressible like real documents, and different everywhere.
  for (std::size_t at = 0; at < size;) {
    const std::size_t run = 1 + prng.below(16);
    const char letter = static_cast<char>('a' + prng.below(26));
    for (std::size_t i = 0; i < run && at < size; ++i, ++at) {
      text[at] = letter;
    }
  }
  return text;
}

}  // namespace

struct Workload::Operation {
  enum class Kind : std::uint8_t {
    kTreePut,
    kTreeErase,
    kFixedPut,
    kFixedErase,
    kRowPut,
    kRowErase
  };
  Kind kind;
  std::uint64_t key;
  std::string value;
  std::int64_t etag;

  [[nodiscard]] std::string text_key() const { return fmt::format("key/{:06}", key); }

  [[nodiscard]] std::int64_t int_key() const { return static_cast<std::int64_t>(key) * 977 - 5000; }
};

const store::TableSchema& Workload::table_schema() {
  static constexpr std::array<store::IndexSchema, 2> kSecondary{
      store::IndexSchema{
          .name = "by_etag", .kind = store::IndexKind::kInt64, .extract = extract_etag},
      store::IndexSchema{
          .name = "by_group", .kind = store::IndexKind::kBytes, .extract = extract_group}};
  static const store::TableSchema kSchema{
      .name = "workload/rows",
      .primary = {.name = "key", .kind = store::IndexKind::kBytes, .extract = extract_key},
      .secondary = kSecondary};
  return kSchema;
}

std::vector<Workload::Operation> Workload::operations(std::uint64_t n) const {
  Prng prng(options_.seed * 0x9E3779B97F4A7C15U + n);
  std::vector<Operation> result(1 + prng.below(options_.operations_max));
  std::int64_t etag = static_cast<std::int64_t>(n) * 1000;
  for (Operation& operation : result) {
    // Puts are twice as likely as removals, so that the store fills and then churns.
    static constexpr std::array<Operation::Kind, 9> kMix{
        Operation::Kind::kTreePut,  Operation::Kind::kTreePut,  Operation::Kind::kTreeErase,
        Operation::Kind::kFixedPut, Operation::Kind::kFixedPut, Operation::Kind::kFixedErase,
        Operation::Kind::kRowPut,   Operation::Kind::kRowPut,   Operation::Kind::kRowErase};
    operation.kind = kMix[prng.below(kMix.size())];
    operation.key = prng.below(options_.key_count);
    operation.etag = ++etag;
    if (operation.kind == Operation::Kind::kFixedPut) {
      operation.value = random_bytes(prng, kFixedValueSize);
    } else {
      const bool big = prng.chance(options_.big_one_in);
      const std::uint32_t bound = big ? options_.big_value_size_max : options_.value_size_max;
      operation.value = random_bytes(prng, prng.below(bound + 1ULL));
    }
  }
  return result;
}

namespace {

Result<std::uint64_t> parse_progress(const std::optional<Bytes>& value) {
  if (!value.has_value()) {
    return std::uint64_t{0};
  }
  return std::stoull(std::string(as_text(*value)));
}

}  // namespace

Result<void> Workload::apply(store::WriteTxn& txn, std::uint64_t n) const {
  RK_TRY_ASSIGN(store::MutableTree tree, txn.tree(kTreeName));
  // With commits in flight, the one before may have been rolled back by now.
  RK_TRY_ASSIGN(const std::optional<Bytes> before, tree.get(as_bytes(kProgressKey)));
  RK_TRY_ASSIGN(const std::uint64_t progress, parse_progress(before));
  if (progress + 1 != n) {
    return Error(ErrorCode::concurrency, fmt::format("{} follows {}", n, progress));
  }
  RK_TRY_ASSIGN(store::MutableFixedTree fixed, txn.fixed_tree(kFixedName, kFixedValueSize));
  RK_TRY_ASSIGN(store::MutableTable table, txn.table(table_schema()));
  for (const Operation& operation : operations(n)) {
    const std::string key = operation.text_key();
    switch (operation.kind) {
      case Operation::Kind::kTreePut:
        RK_TRY(tree.put(as_bytes(key), as_bytes(operation.value)));
        break;
      case Operation::Kind::kTreeErase:
        RK_TRY(tree.erase(as_bytes(key)));
        break;
      case Operation::Kind::kFixedPut:
        RK_TRY(fixed.put(operation.int_key(), as_bytes(operation.value)));
        break;
      case Operation::Kind::kFixedErase:
        RK_TRY(fixed.erase(operation.int_key()));
        break;
      case Operation::Kind::kRowPut:
        RK_TRY(table.put(as_bytes(make_row(key, operation.etag, operation.value))));
        break;
      case Operation::Kind::kRowErase:
        RK_TRY(table.erase(as_bytes(key)));
        break;
    }
  }
  return tree.put(as_bytes(kProgressKey), as_bytes(std::to_string(n)));
}

void Workload::advance(Model& model, std::uint64_t n) const {
  while (model.transactions < n) {
    ++model.transactions;
    for (Operation& operation : operations(model.transactions)) {
      const std::string key = operation.text_key();
      switch (operation.kind) {
        case Operation::Kind::kTreePut:
          model.tree[key] = std::move(operation.value);
          break;
        case Operation::Kind::kTreeErase:
          model.tree.erase(key);
          break;
        case Operation::Kind::kFixedPut:
          model.fixed[operation.int_key()] = std::move(operation.value);
          break;
        case Operation::Kind::kFixedErase:
          model.fixed.erase(operation.int_key());
          break;
        case Operation::Kind::kRowPut:
          model.rows[key] = make_row(key, operation.etag, operation.value);
          break;
        case Operation::Kind::kRowErase:
          model.rows.erase(key);
          break;
      }
    }
    model.tree[std::string(kProgressKey)] = std::to_string(model.transactions);
  }
}

Result<std::uint64_t> Workload::transactions_in(store::ReadTxn& txn) {
  RK_TRY_ASSIGN(const store::Tree tree, txn.tree(kTreeName));
  RK_TRY_ASSIGN(const std::optional<Bytes> value, tree.get(as_bytes(kProgressKey)));
  return parse_progress(value);
}

namespace {

// Walks model and store side by side; `read` yields the store's entries in order.
template <typename Key>
class SideBySide {
 public:
  SideBySide(std::string_view what, const std::map<Key, std::string>& expected,
             std::vector<std::string>& findings)
      : what_(what), next_(expected.begin()), end_(expected.end()), findings_(findings) {}

  void see(const Key& key, std::string_view value) {
    while (next_ != end_ && next_->first < key) {
      find(fmt::format("{}: {} is missing", what_, next_->first));
      ++next_;
    }
    if (next_ == end_ || next_->first != key) {
      find(fmt::format("{}: {} should not be there", what_, key));
      return;
    }
    if (next_->second != value) {
      find(fmt::format("{}: {} has another value ({} bytes, {} expected)", what_, key, value.size(),
                       next_->second.size()));
    }
    ++next_;
  }

  void finish() {
    for (; next_ != end_; ++next_) {
      find(fmt::format("{}: {} is missing", what_, next_->first));
    }
  }

 private:
  void find(std::string text) {
    if (findings_.size() < kFindingsMax) {
      findings_.push_back(std::move(text));
    }
  }

  std::string_view what_;
  typename std::map<Key, std::string>::const_iterator next_;
  typename std::map<Key, std::string>::const_iterator end_;
  std::vector<std::string>& findings_;
};

}  // namespace

Result<std::vector<std::string>> Workload::compare(store::ReadTxn& txn, const Model& model) {
  std::vector<std::string> findings;
  RK_TRY_ASSIGN(const store::Tree tree, txn.tree(kTreeName));
  SideBySide<std::string> trees("tree", model.tree, findings);
  store::TreeCursor cursor = tree.cursor();
  RK_TRY_ASSIGN(bool more, cursor.first());
  while (more) {
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    trees.see(std::string(as_text(entry.key)), as_text(entry.value));
    RK_TRY_ASSIGN(more, cursor.next());
  }
  trees.finish();

  RK_TRY_ASSIGN(const store::FixedTree fixed, txn.fixed_tree(kFixedName, kFixedValueSize));
  SideBySide<std::int64_t> fixeds("fixed tree", model.fixed, findings);
  store::FixedTreeCursor fixed_cursor = fixed.cursor();
  RK_TRY_ASSIGN(more, fixed_cursor.first());
  while (more) {
    const store::FixedTreeEntry entry = fixed_cursor.entry();
    fixeds.see(entry.key, as_text(entry.value));
    RK_TRY_ASSIGN(more, fixed_cursor.next());
  }
  fixeds.finish();

  RK_TRY_ASSIGN(const store::Table table, txn.table(table_schema()));
  SideBySide<std::string> rows("table", model.rows, findings);
  RK_TRY(table.scan_primary({}, false, [&](Bytes key, Bytes row) -> Result<bool> {
    rows.see(std::string(as_text(key)), as_text(row));
    return true;
  }));
  rows.finish();
  // The same rows by the other index.
  std::uint64_t by_etag = 0;
  RK_TRY(table.scan_int64(kByEtag, INT64_MIN, false, [&](std::int64_t, Bytes) -> Result<bool> {
    ++by_etag;
    return true;
  }));
  if (by_etag != model.rows.size()) {
    findings.push_back(
        fmt::format("table: {} rows by etag, {} expected", by_etag, model.rows.size()));
  }
  return findings;
}

Model Models::at(std::uint64_t transactions) {
  auto after = kept_.upper_bound(transactions);
  Model model = after == kept_.begin() ? Model{} : std::prev(after)->second;
  while (model.transactions < transactions) {
    workload_.advance(model, model.transactions + 1);
    if (model.transactions % kKeepEvery == 0) {
      kept_.emplace(model.transactions, model);
    }
  }
  return model;
}

namespace {

// Errors: corrupt, with everything that is wrong with what recovery shows. Sets
// check.transactions.
Result<void> expect_all(store::Environment& environment, Models& models,
                        const Expectation& expected, CrashCheck& check) {
  std::string findings;
  {
    RK_TRY_ASSIGN(store::ReadTxn txn, environment.begin_read());
    RK_TRY_ASSIGN(check.transactions, Workload::transactions_in(txn));
    if (check.transactions < expected.acknowledged || check.transactions > expected.attempted) {
      findings += fmt::format("{} transactions found, {} were acknowledged, {} attempted\n",
                              check.transactions, expected.acknowledged, expected.attempted);
    }
    RK_TRY_ASSIGN(const std::vector<std::string> differences,
                  Workload::compare(txn, models.at(check.transactions)));
    if (!differences.empty()) {
      findings += fmt::format("{} transactions found, {} acknowledged, {} attempted:\n",
                              check.transactions, expected.acknowledged, expected.attempted);
    }
    for (const std::string& difference : differences) {
      findings.append(difference).append("\n");
    }
  }
  const store::TableSchema* const schemas[] = {&Workload::table_schema()};
  RK_TRY_ASSIGN(const store::VerifyReport report, environment.verify(schemas));
  for (const std::string& problem : report.problems) {
    findings.append("verify: ").append(problem).append("\n");
  }
  return findings.empty() ? Result<void>() : Error(ErrorCode::corrupt, std::move(findings));
}

bool is_full(const Result<void>& result) {
  return !result && result.error().code() == ErrorCode::no_space;
}

Result<void> commit_next(store::Environment& environment, const Workload& workload, std::uint64_t n,
                         bool from_reserve) {
  RK_TRY_ASSIGN(store::WriteTxn txn, environment.begin_write());
  if (from_reserve) {
    txn.allow_reserve();
  }
  RK_TRY(workload.apply(txn, n));
  RK_TRY(txn.commit());
  return {};
}

}  // namespace

Result<CrashCheck> check_after_crash(os::Platform& platform,
                                     const store::EnvironmentOptions& options, Models& models,
                                     const Expectation& expected, const CrashHooks& hooks) {
  RK_TRY_ASSIGN(std::unique_ptr<store::Environment> environment,
                store::Environment::open(platform, options));
  if (hooks.after_open) {
    hooks.after_open();
  }
  CrashCheck check;
  const store::EnvironmentStats stats = environment->stats();
  check.batches_replayed = stats.batches_replayed;
  check.torn_tails = stats.torn_tails;
  RK_TRY(expect_all(*environment, models, expected, check));
  // Service resumes.
  std::uint64_t next = check.transactions + 1;
  const bool from_reserve = options.reserve != nullptr;
  Result<void> done = commit_next(*environment, models.workload(), next, from_reserve);
  if (hooks.make_room) {
    check.refused = is_full(done);
    next += check.refused ? 0 : 1;
    RK_TRY(check.refused ? Result<void>() : std::move(done));
    // What a full disk keeps from being flushed is replayed by the next open.
    Result<void> closed = environment->close();
    RK_TRY(is_full(closed) ? Result<void>() : std::move(closed));
    environment.reset();
    hooks.make_room();
    RK_TRY_ASSIGN(environment, store::Environment::open(platform, options));
    CrashCheck after_stop;
    RK_TRY(expect_all(*environment, models, {next - 1, next - 1}, after_stop));
    done = commit_next(*environment, models.workload(), next, from_reserve);
  }
  RK_TRY(std::move(done));
  RK_TRY(environment->close());
  return check;
}

}  // namespace rookery::sim
