// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rookery/value/json.h"

#include "handlers.h"

// POST ~/multi_get: several reads in one request, all of one snapshot.

namespace rookery::api {

using value::JsonWriter;
using value::View;

namespace {

constexpr std::size_t kPartsMax = 1024;
// {"Requests": [{"Content": ...}]}
constexpr std::size_t kWrappingLevels = 3;

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
  if (response.body.empty()) {
    w.null("Result");
  } else {
    w.raw("Result", response.body);
  }
  w.boolean("ForceRetry", false);
  w.end_object();
}

}  // namespace

Result<Response> multi_get(Call& call) {
  RK_TRY_ASSIGN(const value::Document body, call.parse_body(kWrappingLevels));
  const auto parts = body.root().find("Requests");
  if (!parts.has_value() || !parts->is_array()) {
    return Error(ErrorCode::invalid_argument, "'Requests' must be an array.");
  }
  if (parts->size() > kPartsMax) {
    return Error(ErrorCode::too_large, fmt::format("A multi_get may have {} requests, not {}.",
                                                   kPartsMax, parts->size()));
  }
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.key("Results");
  w.begin_array();
  for (std::size_t i = 0; i < parts->size(); ++i) {
    Result<Request> part = make_part(parts->at(i));
    if (!part.has_value()) {
      return part.error().with_context(fmt::format("request {} of the multi_get", i + 1));
    }
    write_part(w, dispatch_part(call, std::move(part).value()));
  }
  w.end_array();
  w.end_object();
  return Response::json(std::move(out));
}

}  // namespace rookery::api
