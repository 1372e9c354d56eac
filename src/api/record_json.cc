// SPDX-License-Identifier: Apache-2.0
#include "record_json.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "rookery/api/http.h"

#include "index_json.h"

namespace rookery::api {

using value::JsonWriter;
using value::View;

namespace {

// What a record may hold only once it is built: nothing here does anything yet, and who asks for it
// would miss it. DocumentsCompression isn't among them: it is kept and answered, and the documents
// only take more space (docs/status.md).
constexpr auto kNotBuilt = std::to_array<std::string_view>({
    "Analyzers",
    "Client",
    "ConflictSolverConfig",
    "DataArchival",
    "ElasticSearchConnectionStrings",
    "ElasticSearchEtls",
    "Encrypted",
    "Expiration",
    "ExternalReplications",
    "HubPullReplications",
    "Indexes",
    "OlapConnectionStrings",
    "OlapEtls",
    "PeriodicBackups",
    "QueueConnectionStrings",
    "QueueEtls",
    "QueueSinks",
    "RavenConnectionStrings",
    "RavenEtls",
    "Refresh",
    "Revisions",
    "RevisionsForConflicts",
    "Sharding",
    "SinkPullReplications",
    "Sorters",
    "SqlConnectionStrings",
    "SqlEtls",
    "TimeSeries",
});

// Where a setting would move data to a place that this server does not put it.
constexpr auto kSettingsNotBuilt = std::to_array<std::string_view>({
    "DataDir",
    "Storage.TempPath",
});

struct Default {
  std::string_view key;
  std::string_view json;
};

// Clients index these without looking.
constexpr auto kDefaults = std::to_array<Default>({
    {"Encrypted", "false"},
    {"EtagForBackup", "0"},
    {"DeletionInProgress", "{}"},
    {"RollingIndexes", "{}"},
    {"DatabaseState", "\"Normal\""},
    {"ConflictSolverConfig", "null"},
    {"DocumentsCompression", "null"},
    {"Sorters", "{}"},
    {"Analyzers", "{}"},
    {"Indexes", "{}"},
    {"IndexesHistory", "{}"},
    {"Settings", "{}"},
    {"Revisions", "null"},
    {"TimeSeries", "null"},
    {"RevisionsForConflicts", "null"},
    {"Expiration", "null"},
    {"Refresh", "null"},
    {"PeriodicBackups", "[]"},
    {"ExternalReplications", "[]"},
    {"SinkPullReplications", "[]"},
    {"HubPullReplications", "[]"},
    {"RavenConnectionStrings", "{}"},
    {"SqlConnectionStrings", "{}"},
    {"OlapConnectionStrings", "{}"},
    {"ElasticSearchConnectionStrings", "{}"},
    {"QueueConnectionStrings", "{}"},
    {"RavenEtls", "[]"},
    {"SqlEtls", "[]"},
    {"ElasticSearchEtls", "[]"},
    {"OlapEtls", "[]"},
    {"QueueEtls", "[]"},
    {"Client", "null"},
    {"Studio", "null"},
    {"TruncatedClusterTransactionCommandsCount", "0"},
    {"UnusedDatabaseIds", "[]"},
});

// Nothing is asked for: absent, null, false, empty, or a configuration that says it is off.
bool is_idle(View value) {
  switch (value.type()) {
    case value::Type::kNull:
      return true;
    case value::Type::kBool:
      return !value.as_bool().value_or(true);
    case value::Type::kArray:
      return value.size() == 0;
    case value::Type::kObject:
      return value.size() == 0 || value.find_bool("Disabled").value_or(false);
    default:
      return false;
  }
}

void write_empty_object(JsonWriter& w, std::string_view key) {
  w.key(key);
  w.begin_object();
  w.end_object();
}

void write_empty_array(JsonWriter& w, std::string_view key) {
  w.key(key);
  w.begin_array();
  w.end_array();
}

void write_tags(JsonWriter& w, std::string_view key, std::string_view node_tag) {
  w.key(key);
  w.begin_array();
  w.string(node_tag);
  w.end_array();
}

}  // namespace

void write_topology(JsonWriter& w, std::string_view node_tag, const db::DatabaseRecord& record) {
  w.begin_object();
  write_tags(w, "Members", node_tag);
  write_empty_array(w, "Promotables");
  write_empty_array(w, "Rehabs");
  write_empty_object(w, "PredefinedMentors");
  write_empty_object(w, "DemotionReasons");
  write_empty_object(w, "PromotablesStatus");
  w.key("Stamp");
  w.begin_object();
  w.uint64("Index", record.etag);
  w.int64("Term", 1);
  w.int64("LeadersTicks", 0);
  w.end_object();
  w.boolean("DynamicNodesDistribution", false);
  w.int64("ReplicationFactor", 1);
  write_empty_array(w, "PriorityOrder");
  w.string("DatabaseTopologyIdBase64", record.id.text());
  w.null("ClusterTransactionIdBase64");
  w.null("NodesModifiedAt");
  w.end_object();
}

void write_record(JsonWriter& w, std::string_view node_tag, const db::DatabaseRecord& record,
                  const std::vector<index::IndexInfo>& indexes) {
  const View stored = record.json.root();
  w.begin_object();
  w.string("DatabaseName", record.name);
  w.boolean("Disabled", record.disabled);
  w.string("LockMode", db::lock_mode_name(record.lock_mode));
  if (stored.is_object()) {
    w.members(stored, {"DatabaseName", "Disabled", "LockMode", "Topology", "Etag", "AutoIndexes"});
  }
  for (const Default& entry : kDefaults) {
    if (!stored.find(entry.key).has_value()) {
      w.raw(entry.key, entry.json);
    }
  }
  w.key("AutoIndexes");
  w.begin_object();
  for (const index::IndexInfo& info : indexes) {
    w.key(info.definition.name);
    write_auto_index(w, info);
  }
  w.end_object();
  w.key("Topology");
  write_topology(w, node_tag, record);
  w.uint64("Etag", record.etag);
  w.end_object();
}

Result<void> check_settings(View settings) {
  for (std::size_t i = 0; i < settings.size() && settings.is_object(); ++i) {
    for (const std::string_view key : kSettingsNotBuilt) {
      if (equal_ignoring_case(settings.key_at(i), key) && !settings.value_at(i).is_null()) {
        return Error(ErrorCode::not_supported,
                     fmt::format("The setting '{}' of a database is not supported.", key));
      }
    }
  }
  return {};
}

Result<void> check_record(View record) {
  if (!record.is_object()) {
    return Error(ErrorCode::invalid_argument, "A database record is a JSON object.");
  }
  for (const std::string_view key : kNotBuilt) {
    const auto asked = record.find(key);
    if (asked.has_value() && !is_idle(*asked)) {
      return Error(ErrorCode::not_supported,
                   fmt::format("'{}' in a database record is not supported.", key));
    }
  }
  if (const auto settings = record.find("Settings"); settings.has_value()) {
    return check_settings(*settings);
  }
  return {};
}

}  // namespace rookery::api
