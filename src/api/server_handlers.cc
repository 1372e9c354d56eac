// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "rookery/api/time_span.h"
#include "rookery/api/version.h"
#include "rookery/value/json.h"

#include "handlers.h"
#include "json_object.h"
#include "record_json.h"

// What a client asks about the server itself.

namespace rookery::api {

using value::JsonWriter;

namespace {

void write_build(JsonWriter& w) {
  w.string("ProductVersion", kProtocolVersionShort);
  w.int64("BuildVersion", kProtocolBuild);
  w.string("CommitHash", "");
  w.string("FullVersion", kProtocolVersion);
  w.string("Product", kProductName);
  w.string("ProductRelease", kProductVersion);
}

}  // namespace

Result<Response> get_build_version(Call& call) {
  static_cast<void>(call);
  return json_object(write_build);
}

Result<Response> get_topology(Call& call) {
  RK_TRY_ASSIGN(const std::string_view name, call.required("name"));
  RK_TRY_ASSIGN(const std::optional<db::DatabaseRecord> record, call.server().record(name));
  if (!record.has_value()) {
    return database_missing_response(name, call.url());
  }
  const ServiceOptions& options = call.service().options;
  return json_object([&](JsonWriter& w) {
    w.int64("Etag", kTopologyEtag);
    w.key("Nodes");
    w.begin_array();
    w.begin_object();
    w.string("Url", options.server_url);
    w.string("Database", record->name);
    w.string("ClusterTag", options.node_tag);
    w.string("ServerRole", "Member");
    w.end_object();
    w.end_array();
  });
}

Result<Response> get_cluster_topology(Call& call) {
  const ServiceOptions& options = call.service().options;
  return json_object([&](JsonWriter& w) {
    w.key("Topology");
    w.begin_object();
    w.string("TopologyId", options.topology_id);
    for (const std::string_view group : {"AllNodes", "Members"}) {
      w.key(group);
      w.begin_object();
      w.string(options.node_tag, options.server_url);
      w.end_object();
    }
    for (const std::string_view group : {"Promotables", "Watchers"}) {
      w.key(group);
      w.begin_object();
      w.end_object();
    }
    w.string("LastNodeId", options.node_tag);
    w.int64("Etag", kTopologyEtag);
    w.end_object();
    w.int64("Etag", kTopologyEtag);
    w.string("Leader", options.node_tag);
    w.string("LeaderShipDuration", "");
    w.string("CurrentState", "Leader");
    w.string("NodeTag", options.node_tag);
    w.string("ServerRole", "Member");
    w.int64("CurrentTerm", 1);
    w.key("NodeLicenseDetails");
    w.begin_object();
    w.end_object();
    w.null("LastStateChangeReason");
    w.key("Status");
    w.begin_object();
    w.end_object();
  });
}

Result<Response> get_node_info(Call& call) {
  const ServiceOptions& options = call.service().options;
  return json_object([&](JsonWriter& w) {
    w.string("NodeTag", options.node_tag);
    w.string("TopologyId", options.topology_id);
    w.null("Certificate");
    w.string("ClusterStatus", "Leader");
    w.int64("NumberOfCores", std::max(1U, std::thread::hardware_concurrency()));
    w.null("InstalledMemoryInGb");
    w.null("UsableMemoryInGb");
    w.key("BuildInfo");
    w.begin_object();
    write_build(w);
    w.end_object();
    w.string("ServerRole", "Member");
    w.boolean("HasFixedPort", true);
    w.int64("ServerSchemaVersion", 1);
  });
}

// Where the TCP protocol of subscriptions and replication will be spoken. Clients only dial it for
// those, and both are refused before (their routes are not built).
Result<Response> get_tcp_info(Call& call) {
  const ServiceOptions& options = call.service().options;
  return json_object([&](JsonWriter& w) {
    const std::string& url = options.tcp_url;
    const std::size_t colon = url.rfind(':');
    w.string("Url", url);
    w.key("Urls");
    w.begin_array();
    w.string(url);
    w.end_array();
    w.null("Certificate");
    if (colon != std::string::npos && colon + 1 < url.size()) {
      w.string("Port", url.substr(colon + 1));
    } else {
      w.null("Port");
    }
    w.string("NodeTag", options.node_tag);
    w.string("ServerId", options.topology_id);
  });
}

Result<Response> get_health(Call& call) {
  const db::ServerStats stats = call.server().stats();
  ServiceState& service = call.service();
  const auto uptime = std::chrono::duration_cast<std::chrono::milliseconds>(
      service.platform.clock.monotonic() - service.started);
  return json_object([&](JsonWriter& w) {
    w.string("Status", "ok");
    w.int64("UptimeInMs", uptime.count());
    w.uint64("Databases", stats.database_count);
    w.uint64("OpenDatabases", stats.open_database_count);
    w.uint64("DatabasesVerifiedOnDelete", stats.verified_on_delete_count);
    w.uint64("DatabasesWithProblems", stats.verify_problem_count);
    w.uint64("LogLinesLost", service.log.lost_count());
  });
}

Result<Response> get_client_configuration(Call& call) {
  // None can be set yet, so there is none: of the server (404 reads as null), or of a database.
  if (call.database_name().empty()) {
    return Response::empty(404);
  }
  return Response::json(R"({"Etag":0,"Configuration":null})");
}

Result<Response> get_logs_configuration(Call& call) {
  const Log& log = call.service().log;
  return json_object([&](JsonWriter& w) {
    w.string("CurrentMode", log_mode_name(log.mode()));
    w.string("Mode", log_mode_name(log.options().mode));
    w.string("Path", log.options().directory);
    w.boolean("UseUtcTime", true);
    w.string("RetentionTime", format_time_span(std::chrono::duration_cast<Ticks>(log.retention())));
    w.null("RetentionSize");
    w.boolean("Compress", false);
  });
}

Result<Response> post_logs_configuration(Call& call) {
  RK_TRY_ASSIGN(const value::Document body, call.parse_body());
  const value::View root = body.root();
  const auto mode_name = root.find_string("Mode");
  if (!mode_name.has_value()) {
    return Error(ErrorCode::invalid_argument, "'Mode' is missing");
  }
  RK_TRY_ASSIGN(const LogMode mode, parse_log_mode(*mode_name));
  if (root.find_bool("Compress").value_or(false)) {
    return Error(ErrorCode::not_supported, "Compressed logs are not supported.");
  }
  if (const auto size = root.find("RetentionSize"); size.has_value() && !size->is_null()) {
    return Error(ErrorCode::not_supported,
                 "'RetentionSize' is not supported: logs are kept by time and by number of files.");
  }
  Log& log = call.service().log;
  if (const auto text = root.find_string("RetentionTime"); text.has_value()) {
    const auto span = parse_time_span(*text);
    if (!span.has_value() || span->count() < 0 || *span > std::chrono::hours(24 * 36500)) {
      return Error(ErrorCode::invalid_argument,
                   fmt::format("'RetentionTime' is '{}', which is not a time span", *text));
    }
    log.set_retention(*span);
  }
  log.set_mode(mode);
  return Response::empty(204);
}

// For clients that test what they do when an answer takes long.
void delay_answer(const CallPtr& call) {
  constexpr std::int64_t kDelayMsMax = 60'000;
  const Result<std::optional<std::int64_t>> value = call->integer("value");
  if (!value.has_value()) {
    call->fail(value.error());
    return;
  }
  const std::int64_t delay_ms = value->value_or(0);
  if (delay_ms < 0 || delay_ms > kDelayMsMax) {
    call->fail(Fault::kBadRequest, fmt::format("'value' must be from 0 to {} ms.", kDelayMsMax));
    return;
  }
  const auto& run_after = call->service().options.run_after;
  if (!run_after) {
    call->finish(Response::empty(204));
    return;
  }
  run_after(std::chrono::milliseconds(delay_ms), [call] { call->finish(Response::empty(204)); });
}

}  // namespace rookery::api
