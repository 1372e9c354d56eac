// SPDX-License-Identifier: Apache-2.0
// Any bytes as the headers, journals and data file of an environment: opening answers with an error
// or with something that can be verified and read within bounds, the same every time; what was
// sound and took a commit still has it when it is opened again.
//
// Input: a byte of switches (store_workload.h), then the files in pieces (store_folder.h).
//
// `--write_seeds=FOLDER` makes the seeds of what a real environment writes, and ends.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "rookery/base/check.h"
#include "rookery/os/memory_file_system.h"
#include "rookery/os/platform.h"
#include "rookery/store/environment.h"

#include "store_folder.h"
#include "store_workload.h"

namespace rookery::fuzz {
namespace {

using store::Environment;

constexpr int kStepsMax = 1'000;

using Opened = Result<std::unique_ptr<Environment>>;

Opened open(Machine& machine, bool read_only) {
  store::EnvironmentOptions options = environment_options();
  options.create_if_missing = false;
  options.read_only = read_only;
  return Environment::open(machine.platform(), std::move(options));
}

template <typename Cursor, typename Visit>
Result<void> walk(Cursor cursor, const Visit& visit) {
  RK_TRY_ASSIGN(bool more, cursor.first());
  for (int steps = 0; more && steps < kStepsMax; ++steps) {
    RK_TRY(visit(cursor));
    RK_TRY_ASSIGN(more, cursor.next());
  }
  return {};
}

Result<void> read_all(store::ReadTxn& txn, std::string& out) {
  RK_TRY_ASSIGN(const store::Tree tree, txn.tree(kTreeName));
  RK_TRY(walk(tree.cursor(), [&](const store::TreeCursor& cursor) -> Result<void> {
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    out.append(as_text(entry.key)).append("=").append(as_text(entry.value)).append("\n");
    return {};
  }));
  RK_TRY_ASSIGN(const store::FixedTree numbers, txn.fixed_tree(kFixedTreeName, kFixedValueSize));
  RK_TRY(walk(numbers.cursor(), [&](const store::FixedTreeCursor& cursor) -> Result<void> {
    const store::FixedTreeEntry entry = cursor.entry();
    out.append(std::to_string(entry.key)).append("=").append(as_text(entry.value)).append("\n");
    return {};
  }));
  RK_TRY_ASSIGN(const store::Table table, txn.table(rows_schema()));
  int rows = 0;
  return table.scan_primary({}, false, [&](Bytes key, Bytes row) -> Result<bool> {
    out.append(as_text(key)).append("=").append(as_text(row)).append("\n");
    return ++rows < kStepsMax;
  });
}

// What an environment is and has, as a text that differs if anything does.
struct Description {
  bool sound = false;
  std::string text;
};

Description describe(Environment& environment) {
  Description description;
  const store::TableSchema* const schemas[] = {&rows_schema()};
  const auto report = environment.verify(schemas);
  if (report.has_value()) {
    description.sound = report->problems.empty();
    description.text = fmt::format("{} reachable, {} free, {} structures\n",
                                   report->pages_reachable, report->pages_free, report->structures);
    for (const std::string& problem : report->problems) {
      description.text.append(problem).append("\n");
    }
  } else {
    description.text = report.error().to_string();
  }
  auto txn = environment.begin_read();
  RK_CHECK(txn.has_value());
  description.text += std::to_string(txn->id().value());
  const auto read = read_all(*txn, description.text);
  if (!read.has_value()) {
    description.sound = false;
    description.text += read.error().to_string();
  }
  return description;
}

void check_same(Machine& machine, bool read_only, const std::optional<Description>& before) {
  auto again = open(machine, read_only);
  RK_CHECK(again.has_value() == before.has_value());
  if (again.has_value()) {
    RK_CHECK(describe(**again).text == before->text);
    RK_CHECK((*again)->close_unflushed().has_value());
  }
}

// What is there may have reasons to refuse; then nothing is changed.
void change(Environment& environment) {
  auto txn = environment.begin_write();
  if (txn.has_value() && change_everything(*txn).has_value()) {
    static_cast<void>(txn->commit());
  }
}

void write_and_open_again(Machine& machine, std::unique_ptr<Environment> environment, bool sound,
                          bool flush) {
  change(*environment);
  const Description before = describe(*environment);
  RK_CHECK(!sound || before.sound);
  const bool flushed = flush && environment->sync_all().has_value();
  RK_CHECK(!sound || !flush || flushed);
  static_cast<void>(flush ? environment->close() : environment->close_unflushed());
  environment.reset();
  if (!sound) {
    const auto again = open(machine, false);  // as it may be
    if (again.has_value()) {
      static_cast<void>(describe(**again));
    }
    return;
  }
  check_same(machine, false, before);
}

void run(const Folder& folder, std::uint8_t switches) {
  Machine machine;
  RK_CHECK(store_folder(machine.files(), environment_options().path, folder).has_value());
  std::optional<Description> seen;
  if (auto environment = open(machine, true); environment.has_value()) {
    seen = describe(**environment);
  }
  auto environment = open(machine, false);
  if (!environment.has_value()) {
    check_same(machine, true, seen);  // there is more to be wrong about for whoever wants to write
    return;
  }
  RK_CHECK(seen.has_value());
  RK_CHECK(describe(**environment).text == seen->text);
  if ((switches & kWrite) != 0) {
    write_and_open_again(machine, std::move(*environment), seen->sound, (switches & kFlush) != 0);
    return;
  }
  RK_CHECK((*environment)->close_unflushed().has_value());
  environment->reset();
  check_same(machine, false, seen);
}

}  // namespace
}  // namespace rookery::fuzz

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the runtimes' names
// Half of an execution's time went into fresh memory, while freed memory waited.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=4";
}

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  constexpr std::string_view kOption = "--write_seeds=";
  for (int i = 1; i < *count; ++i) {
    const std::string_view argument = (*arguments)[i];
    if (argument.starts_with(kOption)) {
      rookery::fuzz::write_seeds(std::string(argument.substr(kOption.size())));
      std::exit(0);
    }
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

// Half of the time a number becomes another that somebody may not have thought of: libFuzzer by
// itself rather moves bytes to where they mean nothing.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  constexpr std::uint64_t kOne = 1;
  constexpr std::uint64_t kNumbers[] = {
      0,           1,           2,           kOne << 13U, kOne << 16U,      40'000,
      kOne << 31U, kOne << 40U, kOne << 62U, kOne << 63U, ~std::uint64_t{0}};
  rookery::Prng prng(seed);
  if (prng.chance(2) || size < 16) {
    return LLVMFuzzerMutate(data, size, size_max);
  }
  auto* at = reinterpret_cast<std::byte*>(data) + 1 + prng.below(size - sizeof(std::uint64_t));
  auto number = rookery::load<std::uint64_t>(at);
  number = prng.chance(3)   ? number + 1
           : prng.chance(3) ? number - 1
                            : kNumbers[prng.below(std::size(kNumbers))] - prng.below(2);
  std::memcpy(at, &number, std::size_t{1} << (1 + prng.below(3)));
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rookery::fuzz;  // NOLINT(google-build-using-namespace)
  if (size == 0) {
    return 0;
  }
  Folder folder =
      read_pieces(rookery::Bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1));
  if ((data[0] & kSeal) != 0) {
    seal(folder, {.link = (data[0] & kLink) != 0, .pages = (data[0] & kPages) != 0});
  }
  run(folder, data[0]);
  return 0;
}

// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
