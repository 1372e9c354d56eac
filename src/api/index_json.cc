// SPDX-License-Identifier: Apache-2.0
#include "index_json.h"

#include <optional>
#include <string>

#include "rookery/value/date.h"

namespace rookery::api {

using index::IndexedField;
using index::IndexInfo;
using value::JsonWriter;

namespace {

constexpr std::string_view kAutoMap = "AutoMap";
constexpr std::string_view kDocuments = "Documents";

void write_date(JsonWriter& w, std::string_view key, const std::optional<os::WallTime>& date) {
  if (date.has_value()) {
    w.string(key, value::format_date(*date));
  } else {
    w.null(key);
  }
}

void write_empty(JsonWriter& w, std::string_view key, bool is_array) {
  w.key(key);
  if (is_array) {
    w.begin_array();
    w.end_array();
  } else {
    w.begin_object();
    w.end_object();
  }
}

std::string indexing_of(const IndexedField& field) {
  std::string text;
  if (field.search) {
    text = "Search";
  }
  if (field.exact) {
    text += text.empty() ? "Exact" : ", Exact";
  }
  return text.empty() ? "Default" : text;
}

// What the map of an auto-index comes to.
std::string map_text(const IndexInfo& info) {
  std::string text = "from doc in docs";
  if (!info.definition.covers_all_documents()) {
    text += "." + info.definition.collection;
  }
  text += " select new { ";
  std::string_view joint;
  for (const IndexedField& field : info.definition.fields) {
    text += joint;
    text += field.field.name() + " = doc." + field.field.name();
    joint = ", ";
  }
  return text + " }";
}

// A disabled index is Disabled whatever it was before; clients know no other word for it.
std::string_view state_of(const IndexInfo& info) {
  return info.state == index::IndexState::kFaulty ? "Error" : index::to_string(info.state);
}

void write_names(JsonWriter& w, const IndexInfo& info) {
  w.string("Name", info.definition.name);
  w.string("State", state_of(info));
  w.string("LockMode", index::to_string(info.lock));
  w.string("Priority", index::to_string(info.priority));
  w.string("Type", kAutoMap);
  w.string("SourceType", kDocuments);
}

}  // namespace

void write_index_definition(JsonWriter& w, const IndexInfo& info) {
  w.begin_object();
  write_names(w, info);
  w.key("Maps");
  w.begin_array();
  w.string(map_text(info));
  w.end_array();
  w.null("Reduce");
  w.key("Fields");
  w.begin_object();
  for (const IndexedField& field : info.definition.fields) {
    w.key(field.field.name());
    w.begin_object();
    w.string("Indexing", indexing_of(field));
    w.string("Storage", "No");
    w.null("Analyzer");
    w.null("Spatial");
    w.null("Suggestions");
    w.null("TermVector");
    w.end_object();
  }
  w.end_object();
  write_empty(w, "Configuration", false);
  write_empty(w, "AdditionalSources", false);
  write_empty(w, "AdditionalAssemblies", true);
  w.null("OutputReduceToCollection");
  w.null("ReduceOutputIndex");
  w.null("PatternForOutputReduceToCollectionReferences");
  w.null("PatternReferencesCollectionName");
  w.null("DeploymentMode");
  w.string("IndexType", kAutoMap);
  w.string("IndexSourceType", kDocuments);
  w.end_object();
}

void write_auto_index(JsonWriter& w, const IndexInfo& info) {
  w.begin_object();
  w.string("Type", kAutoMap);
  w.string("Name", info.definition.name);
  w.string("Priority", index::to_string(info.priority));
  w.string("State", state_of(info));
  w.string("Collection", info.definition.collection);
  w.key("MapFields");
  w.begin_object();
  for (const IndexedField& field : info.definition.fields) {
    w.key(field.field.name());
    w.begin_object();
    w.string("Name", field.field.name());
    w.string("Storage", "No");
    w.string("Indexing", indexing_of(field));
    w.string("Aggregation", "None");
    w.null("Spatial");
    w.string("GroupByArrayBehavior", "NotApplicable");
    w.boolean("Suggestions", false);
    w.boolean("IsNameQuoted", false);
    w.end_object();
  }
  w.end_object();
  write_empty(w, "GroupByFields", false);
  w.end_object();
}

void write_index_statistics(JsonWriter& w, const IndexInfo& info) {
  w.begin_object();
  write_names(w, info);
  w.string("Status", index::to_string(info.status));
  w.boolean("IsStale", info.is_stale);
  w.boolean("IsInvalidIndex", info.state == index::IndexState::kError);
  w.boolean("IsTestIndex", false);
  w.uint64("EntriesCount", info.entry_count);
  w.uint64("ErrorsCount", info.error_count);
  w.uint64("MapAttempts", info.map_attempts);
  w.uint64("MapSuccesses", info.map_attempts - info.map_errors);
  w.uint64("MapErrors", info.map_errors);
  w.null("MapReferenceAttempts");
  w.null("MapReferenceSuccesses");
  w.null("MapReferenceErrors");
  w.null("ReduceAttempts");
  w.null("ReduceSuccesses");
  w.null("ReduceErrors");
  w.number("MappedPerSecondRate", info.mapped_per_second);
  w.number("ReducedPerSecondRate", 0);
  w.int64("MaxNumberOfOutputsPerDocument", 1);
  w.null("ReduceOutputCollection");
  w.null("ReduceOutputReferencePattern");
  w.null("PatternReferencesCollectionName");
  w.string("CreatedTimestamp", value::format_date(info.created));
  write_date(w, "LastIndexingTime", info.last_indexed);
  write_date(w, "LastQueryingTime", info.last_queried);
  w.uint64("DiskSizeInBytes", info.size_bytes);
  w.key("Collections");
  w.begin_object();
  w.key(info.definition.collection);
  w.begin_object();
  w.uint64("LastProcessedDocumentEtag", info.progress.document_etag);
  w.uint64("LastProcessedTombstoneEtag", info.progress.tombstone_etag);
  w.int64("DocumentLag", info.is_stale ? -1 : 0);
  w.int64("TombstoneLag", info.is_stale ? -1 : 0);
  w.end_object();
  w.end_object();
  w.string("Fault", info.fault);
  w.end_object();
}

void write_index_information(JsonWriter& w, const IndexInfo& info) {
  w.begin_object();
  write_names(w, info);
  w.boolean("IsStale", info.is_stale);
  write_date(w, "LastIndexingTime", info.last_indexed);
  w.end_object();
}

void write_indexing_error(JsonWriter& w, const index::IndexingError& error) {
  w.begin_object();
  w.string("Error", error.text);
  w.string("Timestamp", value::format_date(error.at));
  if (error.document.empty()) {
    w.null("Document");
  } else {
    w.string("Document", error.document);
  }
  w.string("Action", error.action);
  w.end_object();
}

}  // namespace rookery::api
