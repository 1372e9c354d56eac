// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "rookery/api/time_span.h"
#include "rookery/value/text.h"

#include "etag.h"
#include "handlers.h"
#include "includes.h"
#include "query_task.h"

// POST and GET ~/queries. A query whose index must be waited for holds no thread and no snapshot
// meanwhile.

namespace rookery::api {

using index::Readiness;
using value::View;

namespace {

// A query may be prepared again when its index is replaced under it, so often at most.
constexpr int kPreparationsMax = 3;

// {"QueryParameters": {...}}
constexpr std::size_t kLevelsAroundParameters = 2;

Result<std::uint64_t> count_of(std::optional<std::int64_t> given, std::uint64_t otherwise,
                               std::string_view name) {
  if (!given.has_value()) {
    return otherwise;
  }
  if (*given < 0) {
    return Error(ErrorCode::invalid_argument, fmt::format("'{}' cannot be negative.", name));
  }
  return static_cast<std::uint64_t>(*given);
}

// Null is as good as missing.
Result<std::uint64_t> count_in(View body, std::uint64_t otherwise, std::string_view name) {
  const std::optional<View> given = body.find(name);
  if (!given.has_value() || given->is_null()) {
    return otherwise;
  }
  const std::optional<std::int64_t> count = given->as_int64();
  if (!count.has_value()) {
    return Error(ErrorCode::invalid_argument, fmt::format("'{}' must be a whole number.", name));
  }
  return count_of(count, otherwise, name);
}

// Milliseconds, or a text such as "00:00:15": clients send both.
Result<std::optional<os::Duration>> timeout_of(std::optional<View> given) {
  if (!given.has_value() || given->is_null()) {
    return std::optional<os::Duration>();
  }
  if (const auto millis = given->as_double();
      millis.has_value() && *millis >= 0 && *millis < 1e12) {
    return std::optional(std::chrono::duration_cast<os::Duration>(
        std::chrono::duration<double, std::milli>(*millis)));
  }
  const std::optional<Ticks> span = parse_time_span(given->as_string().value_or(""));
  if (!span.has_value() || span->count() < 0) {
    return Error(ErrorCode::invalid_argument,
                 "'WaitForNonStaleResultsTimeout' must be milliseconds or a time span.");
  }
  return std::optional(waiting_time(*span));
}

Result<index::QueryRequest> from_body(Call& call) {
  RK_TRY_ASSIGN(value::Document body, call.parse_body(kLevelsAroundParameters));
  const View root = body.root();
  const auto text = root.find_string("Query");
  if (!text.has_value()) {
    return Error(ErrorCode::invalid_argument, "'Query' must be a string.");
  }
  index::QueryRequest request;
  request.text = *text;
  if (const auto parameters = root.find("QueryParameters"); parameters.has_value()) {
    if (!parameters->is_object() && !parameters->is_null()) {
      return Error(ErrorCode::invalid_argument, "'QueryParameters' must be an object.");
    }
    request.parameters = *parameters;
  }
  RK_TRY_ASSIGN(request.start, count_in(root, 0, "Start"));
  RK_TRY_ASSIGN(request.page_size,
                count_in(root, std::numeric_limits<std::uint64_t>::max(), "PageSize"));
  request.wait_for_non_stale = root.find_bool("WaitForNonStaleResults").value_or(false);
  RK_TRY_ASSIGN(request.wait_timeout, timeout_of(root.find("WaitForNonStaleResultsTimeout")));
  if (const auto projection = root.find_string("ProjectionBehavior");
      projection.has_value() && *projection != "Default" && *projection != "FromDocument") {
    return Error(ErrorCode::not_supported,
                 fmt::format("The projection behavior '{}' is not supported.", *projection));
  }
  request.owner = std::move(body);
  return request;
}

Result<index::QueryRequest> from_url(Call& call) {
  index::QueryRequest request;
  RK_TRY_ASSIGN(const std::string_view text, call.required("query"));
  // A body is JSON, where this was looked at. An error quotes the text.
  if (!value::is_utf8(text)) {
    return Error(ErrorCode::invalid_argument, "The query is not UTF-8.");
  }
  request.text = text;
  RK_TRY_ASSIGN(const std::optional<std::int64_t> start, call.integer("start"));
  RK_TRY_ASSIGN(const std::optional<std::int64_t> page_size, call.integer("pageSize"));
  RK_TRY_ASSIGN(request.start, count_of(start, 0, "start"));
  RK_TRY_ASSIGN(request.page_size,
                count_of(page_size, std::numeric_limits<std::uint64_t>::max(), "pageSize"));
  RK_TRY_ASSIGN(request.wait_for_non_stale, call.flag("waitForNonStaleResults"));
  return request;
}

}  // namespace

Result<index::QueryRequest> make_query_request(Call& call) {
  RK_TRY_ASSIGN(index::QueryRequest request,
                call.request().method == "GET" ? from_url(call) : from_body(call));
  RK_TRY_ASSIGN(request.metadata_only, call.flag("metadataOnly"));
  const std::string_view debug = call.request().query.find("debug").value_or("");
  if (debug == "plan") {
    request.show_plan = true;
  } else if (!debug.empty() && debug != "explain") {
    return Error(ErrorCode::not_supported,
                 fmt::format("Queries with debug={} are not supported.", debug));
  }
  request.known_etag = unquoted(call.request().headers.find("If-None-Match").value_or(""));
  return request;
}

QueryTask::QueryTask(CallPtr call)
    : call_(std::move(call)),
      runner_(call_->service().platform, call_->database().indexes(),
              call_->database().environment(),
              {.node_tag = call_->service().options.node_tag,
               .find_includes = find_includes,
               .time_max = call_->service().options.query_time_max}) {}

void QueryTask::start() {
  Result<index::QueryRequest> request = make_query_request(*call_);
  if (!request.has_value()) {
    call_->fail(request.error());
    return;
  }
  prepare(std::move(request).value());
}

void QueryTask::prepare(index::QueryRequest request) {
  ++preparations_;
  Result<index::PreparedQueryPtr> prepared = runner_.prepare(std::move(request));
  if (!prepared.has_value()) {
    fail(prepared.error());
    return;
  }
  query_ = std::move(prepared).value();
  if (call_->request().query.find("debug").value_or("") == "explain") {
    Result<std::string> explained = runner_.explain(*query_);
    call_->finish(explained.has_value() ? Result<Response>(Response::json(std::move(*explained)))
                                        : explained.error());
    return;
  }
  if (!runner_.must_wait(*query_)) {
    run();
    return;
  }
  runner_.when_ready(*query_, [self = shared_from_this()](Readiness readiness) {
    // This is a thread that indexes, and perhaps holds what it must not wait with.
    offload(self->call_, [self, readiness] { self->go_on(readiness); });
  });
}

void QueryTask::go_on(Readiness readiness) {
  switch (readiness) {
    case Readiness::kReady:
      run();
      return;
    case Readiness::kTimedOut:
      call_->fail(runner_.timeout_error(*query_));
      return;
    case Readiness::kGone:
      break;
  }
  if (preparations_ >= kPreparationsMax) {
    call_->fail(Error(ErrorCode::shutting_down,
                      "the index of the query was removed while the query waited for it"));
    return;
  }
  prepare(index::QueryRunner::take_request(std::move(query_)));
}

void QueryTask::run() {
  Result<index::QueryAnswer> answer = runner_.run(*query_);
  // The answer is made: what it was made of goes before the client hears.
  query_.reset();
  if (!answer.has_value()) {
    fail(answer.error());
    return;
  }
  Response response = answer.value().not_modified ? Response::empty(304)
                                                  : Response::json(std::move(answer.value().body));
  if (!answer.value().etag.empty()) {
    response.headers.add("ETag", quoted(answer.value().etag));
  }
  call_->finish(std::move(response));
}

void QueryTask::fail(const Error& error) {
  query_.reset();
  if (error.code() != ErrorCode::not_found) {
    call_->fail(error);
    return;
  }
  // Clients make their own exception of it.
  Response response = error_response(Fault::kIndexMissing, call_->url(), error.message());
  response.status = 404;
  call_->finish(std::move(response));
}

void query_documents(const CallPtr& call) {
  std::make_shared<QueryTask>(call)->start();
}

}  // namespace rookery::api
