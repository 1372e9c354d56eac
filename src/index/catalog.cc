// SPDX-License-Identifier: Apache-2.0
#include "catalog.h"

#include <string_view>
#include <utility>

#include "rookery/value/json.h"

namespace rookery::index {

namespace {

constexpr std::string_view kTree = "index";
constexpr std::string_view kDefinition = "definition";
constexpr std::string_view kSettings = "settings";
constexpr std::string_view kProgress = "progress";
constexpr std::string_view kErrors = "errors";

Error bad(std::string_view what) {
  return Error(ErrorCode::corrupt).with_context("the stored " + std::string(what) + " of an index");
}

Result<void> put(store::WriteTxn& txn, std::string_view key, const std::string& text) {
  RK_TRY_ASSIGN(store::MutableTree tree, txn.tree(kTree));
  return tree.put(as_bytes(key), as_bytes(text));
}

Result<std::optional<value::Document>> get(store::ReadTxn& txn, std::string_view key) {
  RK_TRY_ASSIGN(const store::Tree tree, txn.tree(kTree));
  RK_TRY_ASSIGN(const std::optional<Bytes> bytes, tree.get(as_bytes(key)));
  if (!bytes.has_value()) {
    return std::optional<value::Document>();
  }
  Result<value::Document> parsed = value::parse_json(as_text(*bytes));
  if (!parsed) {
    return bad(key);
  }
  return std::optional<value::Document>(std::move(*parsed));
}

std::int64_t ticks(os::WallTime time) {
  return time.time_since_epoch().count();
}

os::WallTime time_of(std::int64_t ticks) {
  return os::WallTime(os::Duration(ticks));
}

Result<StoredProgress> read_progress(value::View view) {
  const auto database = view.find_string("Database");
  const auto document = view.find_int64("DocumentEtag");
  const auto tombstone = view.find_int64("TombstoneEtag");
  if (!database.has_value() || !document.has_value() || !tombstone.has_value() || *document < 0 ||
      *tombstone < 0) {
    return bad(kProgress);
  }
  StoredProgress progress;
  RK_TRY_ASSIGN(progress.database, doc::DatabaseId::parse(*database));
  progress.progress = {static_cast<std::uint64_t>(*document),
                       static_cast<std::uint64_t>(*tombstone)};
  if (const auto at = view.find_int64("IndexedAt"); at.has_value()) {
    progress.indexed_at = time_of(*at);
  }
  return progress;
}

Result<StoredSettings> read_settings(value::View view) {
  const auto created = view.find_int64("Created");
  const auto priority = view.find_string("Priority");
  const auto lock = view.find_string("Lock");
  const auto disabled = view.find_bool("Disabled");
  const auto deleted = view.find_bool("Deleted");
  if (!created.has_value() || !priority.has_value() || !lock.has_value() || !disabled.has_value() ||
      !deleted.has_value()) {
    return bad(kSettings);
  }
  StoredSettings settings;
  settings.created = time_of(*created);
  const Result<IndexPriority> parsed_priority = parse_index_priority(*priority);
  const Result<IndexLock> parsed_lock = parse_index_lock(*lock);
  if (!parsed_priority || !parsed_lock) {
    return bad(kSettings);
  }
  settings.priority = *parsed_priority;
  settings.lock = *parsed_lock;
  settings.disabled = *disabled;
  settings.deleted = *deleted;
  return settings;
}

Result<std::deque<IndexingError>> read_errors(value::View view) {
  std::deque<IndexingError> errors;
  for (std::size_t i = 0; i < view.size(); ++i) {
    const value::View one = view.at(i);
    errors.push_back({time_of(one.find_int64("At").value_or(0)),
                      std::string(one.find_string("Document").value_or("")),
                      std::string(one.find_string("Action").value_or("")),
                      std::string(one.find_string("Text").value_or(""))});
  }
  return errors;
}

}  // namespace

Result<StoredProgress> load_progress(store::ReadTxn& txn) {
  RK_TRY_ASSIGN(const std::optional<value::Document> stored, get(txn, kProgress));
  return stored.has_value() ? read_progress(stored->root()) : bad(kProgress);
}

Result<std::optional<StoredIndex>> load_index(store::ReadTxn& txn) {
  RK_TRY_ASSIGN(const store::Tree tree, txn.tree(kTree));
  RK_TRY_ASSIGN(const std::optional<Bytes> definition, tree.get(as_bytes(kDefinition)));
  if (!definition.has_value()) {
    return std::optional<StoredIndex>();
  }
  StoredIndex index;
  RK_TRY_ASSIGN(index.definition, decode_definition(as_text(*definition)));
  RK_TRY_ASSIGN(const std::optional<value::Document> settings, get(txn, kSettings));
  if (!settings.has_value()) {
    return bad(kSettings);
  }
  RK_TRY_ASSIGN(index.settings, read_settings(settings->root()));
  RK_TRY_ASSIGN(index.progress, load_progress(txn));
  RK_TRY_ASSIGN(const std::optional<value::Document> errors, get(txn, kErrors));
  if (errors.has_value() && errors->root().is_array()) {
    RK_TRY_ASSIGN(index.errors, read_errors(errors->root()));
  }
  return std::optional<StoredIndex>(std::move(index));
}

Result<void> store_definition(store::WriteTxn& txn, const Definition& definition) {
  return put(txn, kDefinition, encode(definition));
}

Result<void> store_settings(store::WriteTxn& txn, const StoredSettings& settings) {
  std::string text;
  value::JsonWriter w(text);
  w.begin_object();
  w.int64("Created", ticks(settings.created));
  w.string("Priority", to_string(settings.priority));
  w.string("Lock", to_string(settings.lock));
  w.boolean("Disabled", settings.disabled);
  w.boolean("Deleted", settings.deleted);
  w.end_object();
  return put(txn, kSettings, text);
}

Result<void> store_progress(store::WriteTxn& txn, const StoredProgress& progress) {
  std::string text;
  value::JsonWriter w(text);
  w.begin_object();
  w.string("Database", progress.database.text());
  w.uint64("DocumentEtag", progress.progress.document_etag);
  w.uint64("TombstoneEtag", progress.progress.tombstone_etag);
  if (progress.indexed_at.has_value()) {
    w.int64("IndexedAt", ticks(*progress.indexed_at));
  }
  w.end_object();
  return put(txn, kProgress, text);
}

Result<void> store_errors(store::WriteTxn& txn, const std::deque<IndexingError>& errors) {
  std::string text;
  value::JsonWriter w(text);
  w.begin_array();
  for (const IndexingError& error : errors) {
    w.begin_object();
    w.int64("At", ticks(error.at));
    w.string("Document", error.document);
    w.string("Action", error.action);
    w.string("Text", error.text);
    w.end_object();
  }
  w.end_array();
  return put(txn, kErrors, text);
}

}  // namespace rookery::index
