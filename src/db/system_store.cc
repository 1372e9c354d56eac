// SPDX-License-Identifier: Apache-2.0
#include "system_store.h"

#include <utility>

#include "rookery/value/text.h"

namespace rookery::db {

namespace {

constexpr std::string_view kRecordsTree = "records";      // folded name -> record
constexpr std::string_view kDeletionsTree = "deletions";  // target -> source
constexpr std::string_view kMetaTree = "system";
constexpr std::string_view kLastIndexKey = "last_index";

// A record: etag, id, size of the name, name, binary document.
constexpr std::size_t kRecordHeaderSize = 8 + doc::DatabaseId::kTextSize + 2;

std::string encode_record(const DatabaseRecord& record) {
  std::string bytes(8, '\0');
  save(reinterpret_cast<std::byte*>(bytes.data()), record.etag);
  bytes += record.id.text();
  bytes += static_cast<char>(record.name.size() & 0xFFU);
  bytes += static_cast<char>(record.name.size() >> 8U);
  bytes += record.name;
  bytes += as_text(record.json.bytes());
  return bytes;
}

Result<DatabaseRecord> decode_record(Bytes bytes) {
  const Error bad = Error(ErrorCode::corrupt).with_context("the record of a database");
  if (bytes.size() < kRecordHeaderSize) {
    return bad;
  }
  DatabaseRecord record;
  record.etag = load<std::uint64_t>(bytes.data());
  const Result<doc::DatabaseId> id =
      doc::DatabaseId::parse(as_text(bytes.subspan(8, doc::DatabaseId::kTextSize)));
  const std::size_t name_size = load<std::uint16_t>(bytes.data() + kRecordHeaderSize - 2);
  if (!id || bytes.size() < kRecordHeaderSize + name_size) {
    return bad;
  }
  record.id = *id;
  record.name = as_text(bytes.subspan(kRecordHeaderSize, name_size));
  RK_TRY_ASSIGN(record.json,
                value::Document::from_bytes(bytes.subspan(kRecordHeaderSize + name_size)));
  const value::View json = record.json.root();
  record.disabled = json.find_bool("Disabled").value_or(false);
  RK_TRY_ASSIGN(record.lock_mode, parse_lock_mode(json.find_string("LockMode").value_or("Unlock")));
  return record;
}

Result<std::uint64_t> read_index(const store::Tree& meta) {
  RK_TRY_ASSIGN(const std::optional<Bytes> stored, meta.get(as_bytes(kLastIndexKey)));
  if (!stored.has_value()) {
    return 0U;
  }
  if (stored->size() != sizeof(std::uint64_t)) {
    return Error(ErrorCode::corrupt).with_context("the index of the system environment");
  }
  return load<std::uint64_t>(stored->data());
}

Result<std::uint64_t> next_index(store::WriteTxn& txn) {
  RK_TRY_ASSIGN(store::MutableTree meta, txn.tree(kMetaTree));
  RK_TRY_ASSIGN(const std::uint64_t last, read_index(meta.view()));
  const std::uint64_t index = last + 1;
  RK_TRY(meta.put(as_bytes(kLastIndexKey),
                  {reinterpret_cast<const std::byte*>(&index), sizeof(index)}));
  return index;
}

}  // namespace

Result<std::unique_ptr<SystemStore>> SystemStore::open(os::Platform& platform,
                                                       os::Executor& background,
                                                       store::EnvironmentOptions options,
                                                       const LogSink& log) {
  std::unique_ptr<SystemStore> system(new SystemStore(background, log));
  options.on_maintenance_needed = [worker = &system->maintenance_] { worker->wake(); };
  RK_TRY_ASSIGN(system->environment_, store::Environment::open(platform, std::move(options)));
  system->maintenance_.start(*system->environment_);
  return system;
}

SystemStore::~SystemStore() {
  static_cast<void>(close());
}

Result<void> SystemStore::close() {
  maintenance_.stop();
  return environment_ == nullptr ? Result<void>() : environment_->close();
}

Result<std::vector<DatabaseRecord>> SystemStore::records() {
  std::vector<DatabaseRecord> records;
  RK_TRY_ASSIGN(store::ReadTxn txn, environment_->begin_read());
  RK_TRY_ASSIGN(const store::Tree tree, txn.tree(kRecordsTree));
  store::TreeCursor cursor = tree.cursor();
  RK_TRY_ASSIGN(bool more, cursor.first());
  while (more) {
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    RK_TRY_ASSIGN(DatabaseRecord record, decode_record(entry.value));
    records.push_back(std::move(record));
    RK_TRY_ASSIGN(more, cursor.next());
  }
  RK_TRY(txn.check_health());
  return records;
}

Result<std::optional<DatabaseRecord>> SystemStore::record(std::string_view folded_name) {
  RK_TRY_ASSIGN(store::ReadTxn txn, environment_->begin_read());
  RK_TRY_ASSIGN(const store::Tree tree, txn.tree(kRecordsTree));
  RK_TRY_ASSIGN(const std::optional<Bytes> found, tree.get(as_bytes(folded_name)));
  std::optional<DatabaseRecord> record;
  if (found.has_value()) {
    RK_TRY_ASSIGN(record, decode_record(*found));
  }
  RK_TRY(txn.check_health());
  return record;
}

Result<std::vector<Deletion>> SystemStore::deletions() {
  std::vector<Deletion> deletions;
  RK_TRY_ASSIGN(store::ReadTxn txn, environment_->begin_read());
  RK_TRY_ASSIGN(const store::Tree tree, txn.tree(kDeletionsTree));
  store::TreeCursor cursor = tree.cursor();
  RK_TRY_ASSIGN(bool more, cursor.first());
  while (more) {
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    deletions.push_back({std::string(as_text(entry.key)), std::string(as_text(entry.value))});
    RK_TRY_ASSIGN(more, cursor.next());
  }
  RK_TRY(txn.check_health());
  return deletions;
}

Result<std::uint64_t> SystemStore::last_index() {
  RK_TRY_ASSIGN(store::ReadTxn txn, environment_->begin_read());
  RK_TRY_ASSIGN(const store::Tree meta, txn.tree(kMetaTree));
  RK_TRY_ASSIGN(const std::uint64_t index, read_index(meta));
  RK_TRY(txn.check_health());
  return index;
}

Result<void> SystemStore::create_record(DatabaseRecord& record) {
  const std::string folded = value::fold_case(record.name);
  RK_TRY_ASSIGN(store::WriteTxn txn, environment_->begin_write());
  RK_TRY_ASSIGN(store::MutableTree deletions, txn.tree(kDeletionsTree));
  std::vector<std::string> targets;
  {
    const std::string prefix = folded + ".";
    store::TreeCursor cursor = deletions.view().cursor();
    RK_TRY_ASSIGN(bool more, cursor.seek(as_bytes(prefix)));
    while (more) {
      RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
      if (!as_text(entry.key).starts_with(prefix)) {
        break;
      }
      if (as_text(entry.value) == folded) {
        targets.emplace_back(as_text(entry.key));
      }
      RK_TRY_ASSIGN(more, cursor.next());
    }
  }
  for (const std::string& target : targets) {
    RK_TRY(deletions.put(as_bytes(target), {}));
  }
  RK_TRY_ASSIGN(record.etag, next_index(txn));
  RK_TRY_ASSIGN(store::MutableTree records, txn.tree(kRecordsTree));
  RK_TRY(records.put(as_bytes(folded), as_bytes(encode_record(record))));
  RK_TRY(txn.commit());
  maintenance_.note_commit();
  return {};
}

Result<void> SystemStore::put_records(std::vector<DatabaseRecord*> records) {
  RK_TRY_ASSIGN(store::WriteTxn txn, environment_->begin_write());
  RK_TRY_ASSIGN(store::MutableTree tree, txn.tree(kRecordsTree));
  for (DatabaseRecord* record : records) {
    RK_TRY_ASSIGN(record->etag, next_index(txn));
    RK_TRY(tree.put(as_bytes(value::fold_case(record->name)), as_bytes(encode_record(*record))));
  }
  RK_TRY(txn.commit());
  maintenance_.note_commit();
  return {};
}

Result<SystemStore::Erased> SystemStore::erase_record(std::string_view folded_name,
                                                      bool with_deletion) {
  RK_TRY_ASSIGN(store::WriteTxn txn, environment_->begin_write());
  txn.allow_reserve();  // a drop frees space
  RK_TRY_ASSIGN(store::MutableTree records, txn.tree(kRecordsTree));
  RK_TRY_ASSIGN(const bool erased, records.erase(as_bytes(folded_name)));
  if (!erased) {
    return Error(ErrorCode::not_found, "there is no record of '" + std::string(folded_name) + "'");
  }
  Erased result;
  RK_TRY_ASSIGN(result.index, next_index(txn));
  if (with_deletion) {
    result.deletion =
        Deletion{std::string(folded_name) + "." + std::to_string(result.index) + ".deleting",
                 std::string(folded_name)};
    RK_TRY_ASSIGN(store::MutableTree deletions, txn.tree(kDeletionsTree));
    RK_TRY(deletions.put(as_bytes(result.deletion->target), as_bytes(result.deletion->source)));
  }
  RK_TRY(txn.commit());
  maintenance_.note_commit();
  return result;
}

Result<void> SystemStore::erase_deletions(const std::vector<Deletion>& deletions) {
  RK_TRY_ASSIGN(store::WriteTxn txn, environment_->begin_write());
  txn.allow_reserve();
  RK_TRY_ASSIGN(store::MutableTree tree, txn.tree(kDeletionsTree));
  for (const Deletion& deletion : deletions) {
    RK_TRY_ASSIGN(const bool erased, tree.erase(as_bytes(deletion.target)));
    static_cast<void>(erased);  // noted twice is deleted once
  }
  RK_TRY(txn.commit());
  maintenance_.note_commit();
  return {};
}

}  // namespace rookery::db
