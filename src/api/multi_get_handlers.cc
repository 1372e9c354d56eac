// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rookery/value/json.h"

#include "handlers.h"

// POST ~/multi_get: several reads in one request, all but queries of one snapshot.

namespace rookery::api {

using value::JsonWriter;
using value::View;

namespace {

constexpr std::size_t kPartsMax = 1024;
// {"Requests": [{"Content": ...}]}
constexpr std::size_t kLevelsAroundPart = 3;

Result<Request> make_part(View part) {
  const auto url = part.find_string("Url");
  if (!url.has_value()) {
    return Error(ErrorCode::invalid_argument, "'Url' must be a string.");
  }
  const std::string_view query = part.find_string("Query").value_or("");
  std::string target(*url);
  if (!query.empty()) {
    target += query.starts_with('?') ? "" : "?";
    target += query;
  }
  const std::string_view method = part.find_string("Method").value_or("");
  Request request = Request::make(method.empty() ? "GET" : method, target);
  if (const auto headers = part.find("Headers"); headers.has_value() && headers->is_object()) {
    for (std::size_t i = 0; i < headers->size(); ++i) {
      if (const auto text = headers->value_at(i).as_string(); text.has_value()) {
        request.headers.add(headers->key_at(i), *text);
      }
    }
  }
  if (const auto content = part.find("Content"); content.has_value() && !content->is_null()) {
    const auto text = content->as_string();
    request.body = text.has_value() ? std::string(*text) : value::to_json(*content);
  }
  return request;
}

void write_part(JsonWriter& w, const Response& response) {
  w.begin_object();
  w.int64("StatusCode", response.status);
  w.key("Headers");
  w.begin_object();
  for (const Field& field : response.headers) {
    w.string(field.name, field.value);
  }
  w.end_object();
  // Clients read 404 as null.
  if (response.body.empty() || response.status == 404) {
    w.null("Result");
  } else {
    w.raw("Result", response.body);
  }
  w.boolean("ForceRetry", false);
  w.end_object();
}

bool is_query(const Request& request) {
  const RouteMatch match = find_route(request);
  return match.route != nullptr && match.route->start == query_documents;
}

// Queries go first, one after another, since their indexes may have to be waited for, and each
// reads snapshots of its own; then all the rest from one snapshot.
// Shared: a query that waits calls back when the request's own thread has long gone.
class MultiGet : public std::enable_shared_from_this<MultiGet> {
 public:
  MultiGet(CallPtr call, std::vector<Request> parts)
      : call_(std::move(call)), parts_(std::move(parts)), answers_(parts_.size()) {}

  // Goes on until a query waits; whoever ends that wait calls it again.
  void go_on() {
    while (next_ < parts_.size()) {
      const std::size_t number = next_++;
      if (is_query(parts_[number]) && !ask(number)) {
        return;
      }
    }
    finish();
  }

 private:
  // False: the answer comes later, and go_on() with it.
  bool ask(std::size_t number) {
    turn_.store(0);
    dispatch_query(*call_, std::move(parts_[number]),
                   [self = shared_from_this(), number](Response response) {
                     self->answers_[number] = std::move(response);
                     if (self->turn_.fetch_add(1) == 1) {
                       self->go_on();
                     }
                   });
    return turn_.fetch_add(1) == 1;
  }

  void finish() {
    std::string out;
    JsonWriter w(out);
    w.begin_object();
    w.key("Results");
    w.begin_array();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      write_part(
          w, answers_[i].has_value() ? *answers_[i] : dispatch_part(*call_, std::move(parts_[i])));
    }
    w.end_array();
    w.end_object();
    call_->finish(Response::json(std::move(out)));
  }

  CallPtr call_;
  std::vector<Request> parts_;
  std::vector<std::optional<Response>> answers_;
  std::size_t next_ = 0;
  // Who comes second, the answer of a query or the return from asking, goes on.
  std::atomic<int> turn_ = 0;
};

Result<std::vector<Request>> make_parts(const Call& call) {
  RK_TRY_ASSIGN(const value::Document body, call.parse_body(kLevelsAroundPart));
  const auto parts = body.root().find("Requests");
  if (!parts.has_value() || !parts->is_array()) {
    return Error(ErrorCode::invalid_argument, "'Requests' must be an array.");
  }
  if (parts->size() > kPartsMax) {
    return Error(ErrorCode::too_large, fmt::format("A multi_get may have {} requests, not {}.",
                                                   kPartsMax, parts->size()));
  }
  std::vector<Request> made;
  for (std::size_t i = 0; i < parts->size(); ++i) {
    Result<Request> part = make_part(parts->at(i));
    if (!part.has_value()) {
      return part.error().with_context(fmt::format("request {} of the multi_get", i + 1));
    }
    made.push_back(std::move(part).value());
  }
  return made;
}

}  // namespace

void multi_get(const CallPtr& call) {
  Result<std::vector<Request>> parts = make_parts(*call);
  if (!parts.has_value()) {
    call->fail(parts.error());
    return;
  }
  std::make_shared<MultiGet>(call, std::move(parts).value())->go_on();
}

}  // namespace rookery::api
