// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include "call.h"
#include "handlers.h"

namespace rookery::api {

namespace {

constexpr std::string_view kDatabasePrefix = "/databases/";

constexpr Route answers(std::string_view method, std::string_view path, Scope scope, Run run,
                        Result<Response> (*handler)(Call&)) {
  return {method, path, scope, run, handler, nullptr};
}

constexpr Route starts(std::string_view method, std::string_view path, Scope scope, Run run,
                       void (*handler)(const CallPtr&)) {
  return {method, path, scope, run, nullptr, handler};
}

constexpr Route streams(std::string_view method, std::string_view path, Scope scope,
                        void (*handler)(const CallPtr&)) {
  return {method, path, scope, Run::kInline, nullptr, handler, Body::kStream};
}

// Every route that exists. What is missing here is answered 501, never 404: the clients read 404 as
// "no such document".
constexpr Route kRoutes[] = {
    answers("GET", "/", Scope::kServer, Run::kInline, get_page),
    answers("GET", "/page/page.js", Scope::kServer, Run::kInline, get_page),
    answers("GET", "/page/json.js", Scope::kServer, Run::kInline, get_page),
    answers("GET", "/page/style.css", Scope::kServer, Run::kInline, get_page),

    answers("GET", "/build/version", Scope::kServer, Run::kInline, get_build_version),
    answers("GET", "/topology", Scope::kServer, Run::kWorker, get_topology),
    answers("GET", "/cluster/topology", Scope::kServer, Run::kInline, get_cluster_topology),
    answers("GET", "/cluster/node-info", Scope::kServer, Run::kInline, get_node_info),
    answers("GET", "/info/tcp", Scope::kServer, Run::kInline, get_tcp_info),
    answers("GET", "/health", Scope::kServer, Run::kInline, get_health),
    answers("GET", "/configuration/client", Scope::kServer, Run::kInline, get_client_configuration),
    answers("GET", "/admin/logs/configuration", Scope::kServer, Run::kInline,
            get_logs_configuration),
    answers("POST", "/admin/logs/configuration", Scope::kServer, Run::kInline,
            post_logs_configuration),
    starts("GET", "/admin/test/delay", Scope::kServer, Run::kInline, delay_answer),

    answers("GET", "/databases", Scope::kServer, Run::kWorker, get_databases),
    answers("GET", "/admin/databases", Scope::kServer, Run::kWorker, get_database_record),
    answers("PUT", "/admin/databases", Scope::kServer, Run::kWorker, put_database),
    answers("DELETE", "/admin/databases", Scope::kServer, Run::kWorker, delete_databases),
    answers("POST", "/admin/databases/enable", Scope::kServer, Run::kWorker, enable_databases),
    answers("POST", "/admin/databases/disable", Scope::kServer, Run::kWorker, disable_databases),
    answers("POST", "/admin/databases/set-lock", Scope::kServer, Run::kWorker, set_databases_lock),
    answers("PUT", "/admin/databases/node", Scope::kServer, Run::kWorker, add_database_node),
    answers("POST", "/admin/databases/promote", Scope::kServer, Run::kWorker,
            promote_database_node),
    answers("POST", "/admin/databases/reorder", Scope::kServer, Run::kWorker,
            reorder_database_members),

    answers("GET", "/admin/record", Scope::kRecord, Run::kWorker, get_own_record),
    answers("PUT", "/admin/configuration/settings", Scope::kRecord, Run::kWorker, put_settings),
    answers("GET", "/info/tcp", Scope::kRecord, Run::kInline, get_tcp_info),
    answers("GET", "/configuration/client", Scope::kDatabase, Run::kInline,
            get_client_configuration),
    answers("GET", "/operations/next-operation-id", Scope::kDatabase, Run::kInline,
            get_next_operation_id),
    answers("GET", "/operations/state", Scope::kDatabase, Run::kInline, get_operation_state),
    answers("POST", "/operations/kill", Scope::kDatabase, Run::kInline, kill_operation),

    answers("GET", "/docs", Scope::kDatabase, Run::kByCost, get_documents),
    answers("POST", "/docs", Scope::kDatabase, Run::kWorker, post_documents),
    answers("HEAD", "/docs", Scope::kDatabase, Run::kInline, head_document),
    starts("PUT", "/docs", Scope::kDatabase, Run::kByCost, put_document),
    starts("DELETE", "/docs", Scope::kDatabase, Run::kInline, delete_document),
    starts("POST", "/bulk_docs", Scope::kDatabase, Run::kByCost, bulk_documents),
    answers("GET", "/streams/docs", Scope::kDatabase, Run::kInline, stream_documents),
    streams("POST", "/bulk_insert", Scope::kDatabase, bulk_insert),
    starts("POST", "/multi_get", Scope::kDatabase, Run::kWorker, multi_get),
    starts("GET", "/hilo/next", Scope::kDatabase, Run::kInline, hilo_next),
    starts("PUT", "/hilo/return", Scope::kDatabase, Run::kInline, hilo_return),
    starts("POST", "/identity/next", Scope::kDatabase, Run::kInline, identity_next),
    starts("POST", "/identity/seed", Scope::kDatabase, Run::kInline, identity_seed),
    answers("GET", "/debug/identities", Scope::kDatabase, Run::kWorker, get_identities),

    answers("GET", "/stats", Scope::kDatabase, Run::kWorker, get_statistics),
    answers("GET", "/stats/essential", Scope::kDatabase, Run::kWorker, get_statistics),
    answers("GET", "/stats/detailed", Scope::kDatabase, Run::kWorker, get_detailed_statistics),
    answers("GET", "/collections/stats", Scope::kDatabase, Run::kInline, get_collection_statistics),
    answers("GET", "/collections/stats/detailed", Scope::kDatabase, Run::kInline,
            get_detailed_collection_statistics),
    answers("GET", "/healthcheck", Scope::kDatabase, Run::kInline, get_health_check),

    starts("POST", "/queries", Scope::kDatabase, Run::kWorker, query_documents),
    starts("GET", "/queries", Scope::kDatabase, Run::kWorker, query_documents),

    answers("GET", "/indexes", Scope::kDatabase, Run::kWorker, get_indexes),
    answers("PUT", "/indexes", Scope::kDatabase, Run::kInline, put_indexes),
    answers("PUT", "/admin/indexes", Scope::kDatabase, Run::kInline, put_indexes),
    answers("DELETE", "/indexes", Scope::kDatabase, Run::kWorker, delete_index),
    answers("RESET", "/indexes", Scope::kDatabase, Run::kWorker, reset_index),
    answers("GET", "/indexes/stats", Scope::kDatabase, Run::kWorker, get_index_statistics),
    answers("GET", "/indexes/status", Scope::kDatabase, Run::kWorker, get_indexing_status),
    answers("GET", "/indexes/errors", Scope::kDatabase, Run::kInline, get_index_errors),
    answers("DELETE", "/indexes/errors", Scope::kDatabase, Run::kWorker, delete_index_errors),
    answers("GET", "/indexes/terms", Scope::kDatabase, Run::kWorker, get_index_terms),
    answers("POST", "/indexes/has-changed", Scope::kDatabase, Run::kInline, has_index_changed),
    answers("POST", "/indexes/set-lock", Scope::kDatabase, Run::kWorker, set_index_lock),
    answers("POST", "/indexes/set-priority", Scope::kDatabase, Run::kWorker, set_index_priority),
    answers("POST", "/admin/indexes/start", Scope::kDatabase, Run::kInline, start_indexing),
    answers("POST", "/admin/indexes/stop", Scope::kDatabase, Run::kInline, stop_indexing),
    answers("POST", "/admin/indexes/enable", Scope::kDatabase, Run::kWorker, enable_index),
    answers("POST", "/admin/indexes/disable", Scope::kDatabase, Run::kWorker, disable_index),
};

// "/databases/{name}/rest" in two; the name is empty if the path is not of that kind.
struct SplitPath {
  std::string_view database;
  std::string_view rest;
};

SplitPath split(std::string_view path) {
  if (path.size() <= kDatabasePrefix.size() ||
      !equal_ignoring_case(path.substr(0, kDatabasePrefix.size()), kDatabasePrefix)) {
    return {{}, path};
  }
  const std::string_view tail = path.substr(kDatabasePrefix.size());
  const std::size_t slash = tail.find('/');
  if (slash == std::string_view::npos || slash == 0) {
    return {{}, path};
  }
  return {tail.substr(0, slash), tail.substr(slash)};
}

// The server's own pages and facts, which load balancers and `curl -I` ask for: the GET, whose body
// the edge leaves out.
bool is_head_of(const Route& route, const Request& request) {
  return request.method == "HEAD" && route.method == "GET" && route.scope == Scope::kServer &&
         route.run == Run::kInline && route.answer != nullptr;
}

}  // namespace

RouteMatch find_route(const Request& request) {
  const SplitPath split_path = split(request.path);
  RouteMatch match;
  match.database_name = split_path.database;
  std::string_view path = split_path.rest;
  if (path.size() > 1 && path.ends_with('/')) {
    path.remove_suffix(1);
  }
  for (const Route& route : kRoutes) {
    if ((route.scope == Scope::kServer) != split_path.database.empty() ||
        !equal_ignoring_case(route.path, path)) {
      continue;
    }
    match.path_is_known = true;
    if (route.method == request.method || is_head_of(route, request)) {
      match.route = &route;
      break;
    }
  }
  return match;
}

bool route_streams_body(std::string_view method, std::string_view target) {
  // Asked of every request with a body: what cannot be it is seen at its end.
  const std::string_view path = target.substr(0, target.find('?'));
  const bool may_be = std::any_of(std::begin(kRoutes), std::end(kRoutes), [&](const Route& route) {
    return route.body == Body::kStream && route.method == method &&
           (path.find('%') != std::string_view::npos || path.ends_with('/') ||
            (path.size() > route.path.size() &&
             equal_ignoring_case(path.substr(path.size() - route.path.size()), route.path)));
  });
  if (!may_be) {
    return false;
  }
  const RouteMatch match = find_route(Request::make(method, target));
  return match.route != nullptr && match.route->body == Body::kStream;
}

std::span<const Route> routes() noexcept {
  return kRoutes;
}

}  // namespace rookery::api
