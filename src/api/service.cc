// SPDX-License-Identifier: Apache-2.0
#include "rookery/api/service.h"

#include <charconv>
#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "call.h"
#include "etag.h"
#include "record_json.h"
#include "service_state.h"

namespace rookery::api {

namespace {

// A read of more documents than this leaves the thread it arrived on.
constexpr std::size_t kInlineIdsMax = 16;

bool is_costly(const Call& call) {
  const Request& request = call.request();
  if (request.body.size() > 32 * 1024) {
    return true;
  }
  return request.query.has("startsWith") || request.query.all("id").size() > kInlineIdsMax;
}

void run_handler(const Route& route, const CallPtr& call) {
  // What third parties throw (out of memory, above all) ends this request and nothing else.
  try {
    if (route.answer != nullptr) {
      call->finish(route.answer(*call));
    } else {
      route.start(call);
    }
  } catch (const std::bad_alloc&) {
    call->fail(Fault::kBusy, "the server is out of memory");
  } catch (const std::exception& e) {
    call->fail(Fault::kInternal, e.what());
  }
}

void run_route(const Route& route, const CallPtr& call) {
  if (route.run == Run::kWorker || (route.run == Run::kByCost && is_costly(*call))) {
    offload(call, [&route, call] { run_handler(route, call); });
  } else {
    run_handler(route, call);
  }
}

void open_and_run(const Route& route, const CallPtr& call) {
  Result<db::DatabaseRef> open = call->server().try_acquire(call->database_name());
  if (open.has_value()) {
    call->set_database(std::move(open).value());
    run_route(route, call);
    return;
  }
  if (open.error().code() != ErrorCode::loading) {
    call->fail(open.error());
    return;
  }
  call->server().acquire(call->database_name(), [&route, call](Result<db::DatabaseRef> loaded) {
    if (!loaded.has_value()) {
      call->fail(loaded.error());
      return;
    }
    call->set_database(std::move(loaded).value());
    // This is the thread that loads databases: it has others to load.
    offload(call, [&route, call] { run_handler(route, call); });
  });
}

// A client that knows an older topology than there is, is told to ask for the new one.
bool has_old_topology(const Request& request) {
  const auto header = request.headers.find("Topology-Etag");
  if (!header.has_value()) {
    return false;
  }
  const std::string_view text = unquoted(*header);
  std::int64_t etag = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), etag);
  return error == std::errc() && end == text.data() + text.size() && etag < kTopologyEtag;
}

Response no_route(const Request& request, const RouteMatch& match) {
  const std::string message =
      match.path_is_known
          ? fmt::format(
                "There is no handler for {} {}: this server has that path only with other "
                "methods.",
                request.method, request.path)
          : fmt::format("There is no handler for {} {}: this server does not have it (yet).",
                        request.method, request.path);
  return error_response(Fault::kNotBuilt, request.target, message);
}

}  // namespace

void offload(const CallPtr& call, std::function<void()> task) {
  const auto& run = call->service().options.offload;
  if (!run) {
    task();
  } else if (!run(std::move(task))) {
    call->fail(Fault::kBusy, "the server has more work queued than it can take");
  }
}

void dispatch(ServiceState& service, Request request, Responder respond) {
  RouteMatch match = find_route(request);
  if (match.route == nullptr) {
    respond(no_route(request, match));
    return;
  }
  const Route& route = *match.route;
  if (!match.database_name.empty() && has_old_topology(request)) {
    respond = [respond = std::move(respond)](Response response) {
      response.headers.add("Refresh-Topology", "true");
      respond(std::move(response));
    };
  }
  if (std::string key = RepeatMemory::key_of(request); !key.empty()) {
    if (std::optional<Response> known = service.repeats.find(key); known.has_value()) {
      respond(std::move(*known));
      return;
    }
    respond = [&service, key = std::move(key), respond = std::move(respond)](Response response) {
      service.repeats.remember(key, response);
      respond(std::move(response));
    };
  }
  auto call = std::make_shared<Call>(service, std::move(request), std::move(respond));
  call->set_database_name(std::move(match.database_name));
  if (route.scope == Scope::kDatabase) {
    open_and_run(route, call);
  } else {
    run_route(route, call);
  }
}

namespace {

Response refuse_as_part(const Request& request) {
  return error_response(
      Fault::kNotBuilt, request.target,
      fmt::format("{} {} cannot be part of a multi_get.", request.method, request.path));
}

// Why a part of a multi_get cannot be; nullopt: it can.
std::optional<Response> refuse_part(const Call& parent, const Request& request,
                                    const RouteMatch& match) {
  if (match.route == nullptr) {
    return no_route(request, match);
  }
  if (match.route->scope != Scope::kDatabase) {
    return refuse_as_part(request);
  }
  if (!equal_ignoring_case(match.database_name, parent.database_name())) {
    return error_response(Fault::kBadRequest, request.target,
                          fmt::format("A multi_get of database '{}' cannot ask database '{}'.",
                                      parent.database_name(), match.database_name));
  }
  return std::nullopt;
}

CallPtr make_part_call(Call& parent, Request request, Responder respond) {
  auto call = std::make_shared<Call>(parent.service(), std::move(request), std::move(respond));
  call->set_database_name(parent.database_name());
  call->set_database(parent.database_ref());
  return call;
}

}  // namespace

Response dispatch_part(Call& parent, Request request) {
  const RouteMatch match = find_route(request);
  if (std::optional<Response> refused = refuse_part(parent, request, match); refused.has_value()) {
    return std::move(*refused);
  }
  if (match.route->answer == nullptr) {
    return refuse_as_part(request);
  }
  std::optional<Response> answer;
  const CallPtr call = make_part_call(
      parent, std::move(request), [&answer](Response response) { answer = std::move(response); });
  Result<const doc::DocumentReader*> reader = parent.documents();
  if (!reader.has_value()) {
    call->fail(reader.error());
  } else {
    call->share_snapshot(*reader.value());
    run_handler(*match.route, call);
  }
  if (answer->stream != nullptr) {
    return refuse_as_part(call->request());
  }
  return std::move(*answer);
}

void dispatch_query(Call& parent, Request request, Responder respond) {
  const RouteMatch match = find_route(request);
  if (std::optional<Response> refused = refuse_part(parent, request, match); refused.has_value()) {
    respond(std::move(*refused));
    return;
  }
  run_handler(*match.route, make_part_call(parent, std::move(request), std::move(respond)));
}

class Service::State : public ServiceState {
 public:
  using ServiceState::ServiceState;
};

Service::Service(db::Server& server, os::Platform& platform, Log& log, ServiceOptions options)
    : state_(std::make_unique<State>(server, platform, log, std::move(options))) {}

Service::~Service() = default;

void Service::handle(Request request, Responder respond) noexcept {
  dispatch(*state_, std::move(request), std::move(respond));
}

bool Service::streams_body(std::string_view method, std::string_view target) const {
  return route_streams_body(method, target);
}

}  // namespace rookery::api
