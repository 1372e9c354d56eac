// SPDX-License-Identifier: Apache-2.0
#include "store_workload.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

#include "rookery/base/check.h"

#include "journal_format.h"
#include "store_folder.h"

namespace rookery::fuzz {
namespace {

using store::Environment;
using store::WriteTxn;

bool extract_front(Bytes row, store::KeyBuffer& key) {
  key = as_text(row.first(std::min<std::size_t>(row.size(), 4)));
  return !key.empty();
}

bool extract_number(Bytes row, store::KeyBuffer& key) {
  if (row.size() < 12) {
    return false;
  }
  key = as_text(row.subspan(4, 8));
  return true;
}

constexpr std::array<store::IndexSchema, 1> kIndexes{
    {{"number", store::IndexKind::kInt64, extract_number}}};
constexpr store::TableSchema kRows{
    "rows", {"front", store::IndexKind::kBytes, extract_front}, kIndexes};

constexpr char kAsItIs = 0;
constexpr char kMadeToFit = kSeal | kLink | kPages | kWrite;

Result<void> put_item(WriteTxn& txn, std::string_view key, std::size_t size) {
  RK_TRY_ASSIGN(store::MutableTree tree, txn.tree(kTreeName));
  return tree.put(as_bytes(key), as_bytes(std::string(size, 'v')));
}

Result<void> put_number(WriteTxn& txn, std::int64_t key) {
  RK_TRY_ASSIGN(store::MutableFixedTree numbers, txn.fixed_tree(kFixedTreeName, kFixedValueSize));
  return numbers.put(key, as_bytes(std::string(kFixedValueSize, 'n')));
}

Result<void> put_row(WriteTxn& txn, std::string_view key, std::size_t size) {
  RK_TRY_ASSIGN(store::MutableTable table, txn.table(kRows));
  return table.put(as_bytes(std::string(key) + std::string(size, 'r')));
}

// Purpose. An environment while its folder becomes a seed.
class Maker {
 public:
  Maker() { open(); }

  void open() {
    auto opened = Environment::open(machine_.platform(), environment_options());
    RK_CHECK(opened.has_value());
    environment_ = std::move(*opened);
  }

  template <typename Change>
  void commit(const Change& change) {
    auto txn = environment_->begin_write();
    RK_CHECK(txn.has_value());
    RK_CHECK(change(*txn).has_value());
    RK_CHECK(txn->commit().has_value());
  }

  void sync() { RK_CHECK(environment_->sync_all().has_value()); }

  // As a process that dies.
  void stop() {
    RK_CHECK(environment_->close_unflushed().has_value());
    environment_.reset();
  }

  void close() {
    RK_CHECK(environment_->close().has_value());
    environment_.reset();
  }

  [[nodiscard]] Folder folder() {
    auto loaded = load_folder(machine_.files(), environment_options().path);
    RK_CHECK(loaded.has_value());
    return std::move(*loaded);
  }

 private:
  Machine machine_;
  std::unique_ptr<Environment> environment_;
};

// A record whose images are not compressed, so that a change of their bytes is one of a page's.
std::string raw_record(Bytes bytes) {
  const auto record = store::decode_record(bytes);
  RK_CHECK(record.has_value());
  constexpr std::size_t kFront = 144;
  std::string out(as_text(bytes.first(kFront + 16 * record->frees.size())));
  for (const store::StoredImage& image : record->images) {
    std::vector<std::byte> run(image.page_count * store::kPageSize);
    RK_CHECK(image.decode_into(run).has_value());
    const std::uint64_t number = image.number.value();
    const auto stored = static_cast<std::uint32_t>(run.size());
    out.append(reinterpret_cast<const char*>(&number), sizeof(number));
    out.append(reinterpret_cast<const char*>(&image.page_count), sizeof(image.page_count));
    out.append(reinterpret_cast<const char*>(&stored), sizeof(stored));
    out.append(1, '\1').append(7, '\0').append(as_text(run));
  }
  return out;
}

std::vector<std::byte> raw_batch(const store::DecodedBatch& batch, std::uint64_t offset,
                                 bool in_parts) {
  std::vector<std::string> records;
  for (const store::BatchItem& item : batch.items) {
    records.push_back(raw_record(item.bytes));
  }
  std::vector<store::BatchItem> items;
  std::size_t payload = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Bytes bytes = as_bytes(records[i]);
    payload += bytes.size();
    store::BatchItem item = batch.items[i];
    if (in_parts) {
      item.last = false;
      item.bytes = bytes.first(bytes.size() / 3);
      items.push_back(item);
      item.last = true;
      item.part = 1;
    }
    item.bytes = in_parts ? bytes.subspan(bytes.size() / 3) : bytes;
    items.push_back(item);
  }
  store::BatchHeader header = batch.header;
  header.offset = offset;
  header.length = store::batch_length(items.size(), payload);
  std::vector<std::byte> out(static_cast<std::size_t>(header.length));
  static_cast<void>(store::encode_batch(header, items, out));
  return out;
}

std::vector<std::byte> raw_journal(Bytes file, bool in_parts) {
  const auto decoded = store::decode_journal_file_header(file.first(store::kJournalBlock));
  RK_CHECK(decoded.has_value());
  RK_CHECK(decoded->has_value());
  store::JournalFileHeader header = (**decoded).header;
  std::vector<std::byte> out(store::kJournalBlock);
  for (std::size_t at = store::kJournalBlock; at < file.size();) {
    const auto batch = store::decode_batch(file.subspan(at), header.file_id);
    if (!batch.has_value()) {
      break;
    }
    const auto bytes = raw_batch(*batch, out.size(), in_parts);
    out.insert(out.end(), bytes.begin(), bytes.end());
    at += static_cast<std::size_t>(batch->header.length);
  }
  out.resize(std::max(out.size(), file.size()));
  header.size_bytes = out.size();
  static_cast<void>(
      store::encode_journal_file_header(header, MutableBytes(out).first(store::kJournalBlock)));
  return out;
}

void write_seed(const std::string& path, char switches, const Folder& folder) {
  std::ofstream file(path, std::ios::binary);
  file << switches << write_pieces(folder);
  RK_CHECK(file.flush().good());
}

// The folder as it is, and with its checksums left to the fuzzer.
void write_both(const std::string& path, const Folder& folder) {
  write_seed(path, kAsItIs, folder);
  Folder raw = folder;
  for (std::size_t i = kFirstJournal; i < kFilesMax; ++i) {
    if (!raw[i].empty()) {
      raw[i] = raw_journal(raw[i], false);
    }
  }
  write_seed(path + "_raw", kMadeToFit, raw);
}

void fill(Maker& maker) {
  maker.commit([](WriteTxn& txn) { return put_item(txn, "a", 20); });
  maker.commit([](WriteTxn& txn) { return put_number(txn, 7); });
  maker.commit([](WriteTxn& txn) { return put_row(txn, "row1numbers1", 30); });
}

}  // namespace

const store::TableSchema& rows_schema() {
  return kRows;
}

store::EnvironmentOptions environment_options() {
  store::EnvironmentOptions options;
  options.path = "e";
  options.journal_size_first_bytes = 64ULL * 1024;
  options.journal_size_max_bytes = 64ULL * 1024;
  return options;
}

void Machine::Random::fill(MutableBytes into) {
  for (std::byte& byte : into) {
    byte = static_cast<std::byte>(prng_.next());
  }
}

Result<void> change_everything(WriteTxn& txn) {
  RK_TRY(put_item(txn, "fuzz", 300));
  RK_TRY(put_item(txn, "a", 9'000));
  RK_TRY(put_item(txn, "z", 10));
  RK_TRY_ASSIGN(store::MutableTree tree, txn.tree(kTreeName));
  RK_TRY(tree.erase(as_bytes("z")));
  RK_TRY(put_number(txn, 8));
  RK_TRY(put_row(txn, "row2numbers2", 300));
  RK_TRY_ASSIGN(store::MutableTable table, txn.table(kRows));
  RK_TRY(table.erase(as_bytes("row1")));
  return {};
}

void write_seeds(const std::string& folder) {
  const auto path = [&](std::string_view name) { return folder + "/" + std::string(name); };
  {
    Maker maker;
    maker.stop();
    write_seed(path("new"), kAsItIs, maker.folder());
  }
  {
    Maker maker;
    fill(maker);
    maker.stop();
    Folder commits = maker.folder();
    write_both(path("commits"), commits);
    commits[kFirstJournal] = raw_journal(commits[kFirstJournal], true);
    write_seed(path("parts"), kMadeToFit, commits);
    Folder torn = maker.folder();
    torn[kFirstJournal][3 * store::kJournalBlock + 200] ^= std::byte{1};  // in the third batch
    write_seed(path("torn"), kAsItIs, torn);
  }
  {
    Maker maker;
    fill(maker);
    maker.sync();
    maker.commit([](WriteTxn& txn) { return put_item(txn, "b", 9'000); });
    maker.stop();
    write_both(path("synced"), maker.folder());
  }
  {
    Maker maker;
    fill(maker);
    maker.close();
    write_seed(path("closed"), kMadeToFit, maker.folder());
  }
  {
    Maker maker;
    maker.commit([](WriteTxn& txn) { return put_item(txn, "a", 9'000); });
    maker.stop();
    maker.open();
    maker.commit([](WriteTxn& txn) { return put_item(txn, "a", 10); });
    maker.stop();
    write_both(path("reopened"), maker.folder());
  }
}

}  // namespace rookery::fuzz
