// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rookery/value/json.h"

#include "handlers.h"
#include "record_json.h"

// Databases: made, changed, listed, dropped. All of these may block.

namespace rookery::api {

using value::JsonWriter;
using value::View;

namespace {

constexpr std::uint64_t kDatabasesAPage = 1024;

Result<std::vector<std::string>> names_of(View body) {
  auto names = body.find("DatabaseNames");
  if (!names.has_value()) {
    names = body.find("DatabasesNames");  // as the official Python client spells it for a toggle
  }
  if (!names.has_value() || !names->is_array() || names->size() == 0) {
    return Error(ErrorCode::invalid_argument, "'DatabaseNames' must name at least one database.");
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i < names->size(); ++i) {
    const auto name = names->at(i).as_string();
    if (!name.has_value()) {
      return Error(ErrorCode::invalid_argument, "'DatabaseNames' holds something but a name.");
    }
    out.emplace_back(*name);
  }
  return out;
}

// The first of `names` that does not exist.
Result<std::optional<std::string>> first_missing(Call& call,
                                                 const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    RK_TRY_ASSIGN(const std::optional<db::DatabaseRecord> record, call.server().record(name));
    if (!record.has_value()) {
      return std::optional<std::string>(name);
    }
  }
  return std::optional<std::string>();
}

// The expected etag of a record: a number, quoted or not. What the clients send for "none" (also
// literally "undefined") is no number.
std::optional<std::uint64_t> expected_etag(const Request& request) {
  std::string_view text = request.headers.find("ETag").value_or("");
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  std::uint64_t etag = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), etag);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return etag;
}

Result<void> check_node(Call& call, std::string_view tag) {
  if (tag != call.service().options.node_tag) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("Node '{}' is not part of this cluster, which has one node, '{}'.",
                             tag, call.service().options.node_tag));
  }
  return {};
}

// Those of a database that cannot be opened now are not known.
std::vector<index::IndexInfo> indexes_of(Call& call, const db::DatabaseRecord& record) {
  if (record.disabled) {
    return {};
  }
  const Result<db::DatabaseRef> database = call.server().acquire_and_wait(record.name);
  if (!database.has_value()) {
    return {};
  }
  Result<std::vector<index::IndexInfo>> indexes = database.value()->indexes().list();
  return indexes.has_value() ? std::move(indexes).value() : std::vector<index::IndexInfo>();
}

Response record_response(Call& call, const db::DatabaseRecord& record) {
  std::string body;
  JsonWriter writer(body);
  write_record(writer, call.service().options.node_tag, record, indexes_of(call, record));
  return Response::json(std::move(body));
}

// {RaftCommandIndex, Name, Topology, NodesAddedTo}
Response changed_response(Call& call, const db::DatabaseRecord& record, int status) {
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.uint64("RaftCommandIndex", record.etag);
  w.string("Name", record.name);
  w.key("Topology");
  write_topology(w, call.service().options.node_tag, record);
  w.key("NodesAddedTo");
  w.begin_array();
  w.string(call.service().options.server_url);
  w.end_array();
  w.end_object();
  return Response::json(std::move(body), status);
}

Result<Response> toggle_databases(Call& call, bool disabled) {
  RK_TRY_ASSIGN(const value::Document body, call.parse_body());
  RK_TRY_ASSIGN(const std::vector<std::string> names, names_of(body.root()));
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.key("Status");
  w.begin_array();
  for (const std::string& name : names) {
    if (disabled) {
      call.service().operations.kill_all(name);
    }
    const Result<db::DatabaseRecord> record = call.server().set_disabled(name, disabled);
    w.begin_object();
    w.string("Name", record.has_value() ? record->name : name);
    w.boolean("Success", record.has_value());
    w.boolean("Disabled", record.has_value() && record->disabled);
    if (record.has_value()) {
      w.string("Reason", fmt::format("The database is {} now.", disabled ? "disabled" : "enabled"));
    } else {
      w.string("Reason", record.error().message());
    }
    w.end_object();
  }
  w.end_array();
  w.end_object();
  return Response::json(std::move(out));
}

// Before a database is dropped, which waits for all that use it: uploads and streams may go on for
// as long as their clients like.
void stop_operations(Call& call, const std::string& name) {
  const Result<std::optional<db::DatabaseRecord>> record = call.server().record(name);
  if (record.has_value() && record.value().has_value() &&
      record.value()->lock_mode == db::LockMode::kUnlock) {
    call.service().operations.kill_all(name);
  }
}

}  // namespace

Result<Response> get_databases(Call& call) {
  RK_TRY_ASSIGN(const std::optional<std::int64_t> start, call.integer("start"));
  RK_TRY_ASSIGN(const std::optional<std::int64_t> page_size, call.integer("pageSize"));
  RK_TRY_ASSIGN(const bool names_only, call.flag("namesOnly"));
  const auto wanted = call.request().query.find("name");
  std::vector<db::DatabaseSummary> all = call.server().list();
  if (wanted.has_value()) {
    std::erase_if(all, [&](const auto& one) { return !equal_ignoring_case(one.name, *wanted); });
  }
  const auto first = static_cast<std::size_t>(std::max<std::int64_t>(0, start.value_or(0)));
  const auto count = static_cast<std::size_t>(
      std::max<std::int64_t>(0, page_size.value_or(static_cast<std::int64_t>(kDatabasesAPage))));
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.key("Databases");
  w.begin_array();
  for (std::size_t i = first; i < all.size() && i - first < count; ++i) {
    if (names_only) {
      w.string(all[i].name);
      continue;
    }
    w.begin_object();
    w.string("Name", all[i].name);
    w.boolean("Disabled", all[i].disabled);
    w.string("LoadError", all[i].fault);
    w.boolean("IsLoaded", all[i].state == db::DatabaseState::kReady);
    w.end_object();
  }
  w.end_array();
  w.end_object();
  return Response::json(std::move(body));
}

Result<Response> get_database_record(Call& call) {
  RK_TRY_ASSIGN(const std::string_view name, call.required("name"));
  RK_TRY_ASSIGN(const std::optional<db::DatabaseRecord> record, call.server().record(name));
  // Clients read 404 as null, which is what is meant here.
  return record.has_value() ? record_response(call, *record) : Response::empty(404);
}

Result<Response> get_own_record(Call& call) {
  RK_TRY_ASSIGN(const std::optional<db::DatabaseRecord> record,
                call.server().record(call.database_name()));
  if (!record.has_value()) {
    return database_missing_response(call.database_name(), call.url());
  }
  return record_response(call, *record);
}

Result<Response> put_database(Call& call) {
  RK_TRY_ASSIGN(const std::string_view name, call.required("name"));
  RK_TRY_ASSIGN(const std::optional<std::int64_t> factor, call.integer("replicationFactor"));
  if (factor.value_or(1) > 1) {
    return Error(
        ErrorCode::invalid_argument,
        fmt::format("A replication factor of {} needs as many nodes; this cluster has one.",
                    *factor));
  }
  RK_TRY_ASSIGN(const value::Document body, call.parse_body());
  RK_TRY(check_record(body.root()));
  if (const auto inner = body.root().find_string("DatabaseName");
      inner.has_value() && !equal_ignoring_case(*inner, name)) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("The URL names database '{}' and its record '{}'.", name, *inner));
  }
  RK_TRY_ASSIGN(const db::DatabaseRecord record,
                call.server().put_database(name, body.root(), expected_etag(call.request())));
  return changed_response(call, record, 201);
}

Result<Response> delete_databases(Call& call) {
  RK_TRY_ASSIGN(const value::Document body, call.parse_body());
  RK_TRY_ASSIGN(const std::vector<std::string> names, names_of(body.root()));
  if (const auto nodes = body.root().find("FromNodes"); nodes.has_value() && nodes->is_array()) {
    for (std::size_t i = 0; i < nodes->size(); ++i) {
      RK_TRY(check_node(call, nodes->at(i).as_string().value_or("")));
    }
  }
  const bool hard = body.root().find_bool("HardDelete").value_or(false);
  RK_TRY_ASSIGN(const std::optional<std::string> missing, first_missing(call, names));
  if (missing.has_value()) {
    return database_missing_response(*missing, call.url());
  }
  std::int64_t index = -1;
  for (const std::string& name : names) {
    stop_operations(call, name);
    const Result<db::DropResult> dropped = call.server().drop_database(name, hard);
    if (!dropped.has_value()) {
      if (dropped.error().code() == ErrorCode::locked) {
        return error_response(
            Fault::kInternal, call.url(),
            fmt::format("Database '{}' cannot be deleted because of the set lock mode "
                        "('PreventDeletesError').",
                        name));
      }
      if (dropped.error().code() == ErrorCode::not_found) {
        return database_missing_response(name, call.url());
      }
      return dropped.error();
    }
    if (dropped->index.has_value()) {
      index = static_cast<std::int64_t>(*dropped->index);
    }
  }
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.int64("RaftCommandIndex", index);
  w.key("PendingDeletes");
  w.begin_array();
  w.end_array();
  w.end_object();
  return Response::json(std::move(out));
}

Result<Response> enable_databases(Call& call) {
  return toggle_databases(call, false);
}

Result<Response> disable_databases(Call& call) {
  return toggle_databases(call, true);
}

Result<Response> set_databases_lock(Call& call) {
  RK_TRY_ASSIGN(const value::Document body, call.parse_body());
  RK_TRY_ASSIGN(const std::vector<std::string> names, names_of(body.root()));
  const auto mode_name = body.root().find_string("Mode");
  if (!mode_name.has_value()) {
    return Error(ErrorCode::invalid_argument, "'Mode' is missing.");
  }
  RK_TRY_ASSIGN(const db::LockMode mode, db::parse_lock_mode(*mode_name));
  RK_TRY_ASSIGN(const std::optional<std::string> missing, first_missing(call, names));
  if (missing.has_value()) {
    return unknown_database_response(*missing, call.url());
  }
  RK_TRY(call.server().set_lock_mode(names, mode));
  return Response::empty(204);
}

Result<Response> add_database_node(Call& call) {
  RK_TRY_ASSIGN(const std::string_view name, call.required("name"));
  RK_TRY_ASSIGN(const std::optional<db::DatabaseRecord> record, call.server().record(name));
  if (!record.has_value()) {
    return database_missing_response(name, call.url());
  }
  const std::string_view node = call.request().query.find("node").value_or("");
  if (!node.empty()) {
    RK_TRY(check_node(call, node));
  }
  return error_response(
      Fault::kInternal, call.url(),
      fmt::format("Database '{}' already exists on all the nodes of the cluster.", record->name));
}

Result<Response> promote_database_node(Call& call) {
  RK_TRY_ASSIGN(const std::string_view name, call.required("name"));
  RK_TRY_ASSIGN(const std::string_view node, call.required("node"));
  RK_TRY_ASSIGN(const std::optional<db::DatabaseRecord> record, call.server().record(name));
  if (!record.has_value()) {
    return database_missing_response(name, call.url());
  }
  RK_TRY(check_node(call, node));
  // The only node is a full member from the start.
  return changed_response(call, *record, 200);
}

Result<Response> reorder_database_members(Call& call) {
  RK_TRY_ASSIGN(const std::string_view name, call.required("name"));
  RK_TRY_ASSIGN(const value::Document body, call.parse_body());
  RK_TRY_ASSIGN(const std::optional<db::DatabaseRecord> record, call.server().record(name));
  if (!record.has_value()) {
    return database_missing_response(name, call.url());
  }
  const auto order = body.root().find("MembersOrder");
  if (!order.has_value() || !order->is_array() || order->size() != 1) {
    return Error(ErrorCode::invalid_argument,
                 "'MembersOrder' must name every member of the database exactly once.");
  }
  RK_TRY(check_node(call, order->at(0).as_string().value_or("")));
  return Response::empty(204);
}

Result<Response> put_settings(Call& call) {
  RK_TRY_ASSIGN(const value::Document body, call.parse_body());
  RK_TRY(check_settings(body.root()));
  RK_TRY_ASSIGN(const db::DatabaseRecord record,
                call.server().put_settings(call.database_name(), body.root()));
  static_cast<void>(record);
  return Response::empty(204);
}

}  // namespace rookery::api
