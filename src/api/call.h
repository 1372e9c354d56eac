// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rookery/api/errors.h"
#include "rookery/api/http.h"
#include "rookery/base/result.h"
#include "rookery/db/server.h"
#include "rookery/doc/reader.h"
#include "rookery/value/document.h"

#include "service_state.h"

// Purpose. One request on its way through a handler.

namespace rookery::api {

// Threads: one at a time; it may move from thread to thread.
class Call {
 public:
  Call(ServiceState& service, Request request, Responder respond)
      : request_(std::move(request)), service_(service), respond_(std::move(respond)) {}

  [[nodiscard]] const Request& request() const noexcept { return request_; }

  [[nodiscard]] ServiceState& service() noexcept { return service_; }

  [[nodiscard]] db::Server& server() noexcept { return service_.server; }

  // As the URL has it; empty outside /databases/.
  [[nodiscard]] const std::string& database_name() const noexcept { return database_name_; }

  // Requires: the route's scope is kDatabase.
  [[nodiscard]] db::Database& database() const noexcept { return *database_; }

  [[nodiscard]] const db::DatabaseRef& database_ref() const noexcept { return database_; }

  void set_database_name(std::string name) { database_name_ = std::move(name); }

  void set_database(db::DatabaseRef database) { database_ = std::move(database); }

  // The snapshot that this request reads: of its own, or that of the multi_get it is part of.
  [[nodiscard]] Result<const doc::DocumentReader*> documents();

  void share_snapshot(const doc::DocumentReader& reader) { shared_reader_ = &reader; }

  // Exactly one of these, once. An error takes the place of an answer from a snapshot whose file
  // could not be read meanwhile.
  void finish(Response response);

  void fail(Fault fault, std::string_view message) {
    finish(error_response(fault, url(), message));
  }

  void fail(const Error& error);
  void finish(Result<Response> result);

  // The body of a route that has Body::kStream. Once.
  [[nodiscard]] std::shared_ptr<BodyStream> take_body_stream();

  // What error bodies name.
  [[nodiscard]] std::string_view url() const noexcept { return request_.target; }

  // The body as JSON. `wrapping_levels`: of the request's own around documents.
  [[nodiscard]] Result<value::Document> parse_body(std::size_t wrapping_levels = 0) const;
  // A parameter that must be there. Errors: invalid_argument naming it.
  [[nodiscard]] Result<std::string_view> required(std::string_view name) const;
  // nullopt: not given. Errors: invalid_argument.
  [[nodiscard]] Result<std::optional<std::int64_t>> integer(std::string_view name) const;
  // "true" or valueless: true. Errors: invalid_argument.
  [[nodiscard]] Result<bool> flag(std::string_view name) const;

 private:
  Request request_;
  ServiceState& service_;
  Responder respond_;
  std::string database_name_;
  db::DatabaseRef database_;  // before the snapshot, which must go first
  std::optional<doc::Snapshot> snapshot_;
  const doc::DocumentReader* shared_reader_ = nullptr;
};

// Shared: an answer that comes later is held by a callback that may be copied.
using CallPtr = std::shared_ptr<Call>;

enum class Scope : std::uint8_t {
  kServer,    // outside /databases/
  kRecord,    // /databases/{name}/...; needs no open database
  kDatabase,  // /databases/{name}/...; the database is opened first
};

enum class Run : std::uint8_t {
  kInline,  // short
  kByCost,  // short, unless the body is big or much is asked for
  kWorker,  // may block
};

// How a route wants the body of its request.
enum class Body : std::uint8_t { kWhole, kStream };

struct Route {
  std::string_view method;
  std::string_view path;  // in lower case; below the database for kRecord and kDatabase
  Scope scope;
  Run run;
  // One of the two.
  Result<Response> (*answer)(Call&) = nullptr;
  void (*start)(const CallPtr&) = nullptr;
  Body body = Body::kWhole;
};

// Purpose. What a request's method and path lead to.
struct RouteMatch {
  const Route* route = nullptr;
  std::string database_name;
  bool path_is_known = false;  // under another method
};

[[nodiscard]] RouteMatch find_route(const Request& request);
// Every route there is.
[[nodiscard]] std::span<const Route> routes() noexcept;
// True if the route reads its body while it arrives.
[[nodiscard]] bool route_streams_body(std::string_view method, std::string_view target);

// Runs `task` on a thread that may block; 503 where there is no room for it.
void offload(const CallPtr& call, std::function<void()> task);

// Finds the route and answers. `parent`: the multi_get that this request is part of; its snapshot
// is read, and only routes that answer at once are allowed.
void dispatch(ServiceState& service, Request request, Responder respond);
[[nodiscard]] Response dispatch_part(Call& parent, Request request);
// A query of a multi_get, with snapshots of its own; it may answer later.
void dispatch_query(Call& parent, Request request, Responder respond);

}  // namespace rookery::api
