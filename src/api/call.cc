// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <charconv>

#include <fmt/format.h>

#include "rookery/value/json.h"

namespace rookery::api {

Result<const doc::DocumentReader*> Call::documents() {
  if (shared_reader_ != nullptr) {
    return shared_reader_;
  }
  if (!snapshot_.has_value()) {
    RK_TRY_ASSIGN(doc::Snapshot opened, database_->snapshot());
    snapshot_.emplace(std::move(opened));
  }
  return &snapshot_->documents();
}

void Call::finish(Response response) {
  // A page that could not be read looked like zeros from some moment on: whatever was made of this
  // snapshot, found or missed, may be made of them.
  if (snapshot_.has_value()) {
    if (const Result<void> health = snapshot_->check_health(); !health) {
      response = error_response(health.error(), url());
    }
  }
  // The client may ask again at once, and to drop the database: what this request holds goes first.
  snapshot_.reset();
  database_.reset();
  respond_(std::move(response));
}

void Call::fail(const Error& error) {
  if (error.code() == ErrorCode::not_found && !database_name_.empty()) {
    finish(database_missing_response(database_name_, url()));
    return;
  }
  finish(error_response(error, url()));
}

void Call::finish(Result<Response> result) {
  if (result.has_value()) {
    finish(std::move(result).value());
  } else {
    fail(result.error());
  }
}

std::shared_ptr<BodyStream> Call::take_body_stream() {
  return request_.stream != nullptr ? std::move(request_.stream)
                                    : make_body_stream(std::move(request_.body));
}

Result<value::Document> Call::parse_body(std::size_t wrapping_levels) const {
  value::ParseOptions options;
  options.size_bytes_max = request_.body.size();
  options.depth_max = value::kDepthDefault + wrapping_levels;
  return value::parse_json(request_.body, options);
}

Result<std::string_view> Call::required(std::string_view name) const {
  const auto found = request_.query.find(name);
  if (!found.has_value()) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the query string parameter '{}' is missing", name));
  }
  return *found;
}

Result<std::optional<std::int64_t>> Call::integer(std::string_view name) const {
  const auto found = request_.query.find(name);
  if (!found.has_value() || found->empty()) {
    return std::optional<std::int64_t>();
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(found->data(), found->data() + found->size(), value);
  if (error != std::errc() || end != found->data() + found->size()) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the query string parameter '{}' is '{}', which is not a whole number",
                             name, *found));
  }
  return std::optional<std::int64_t>(value);
}

Result<bool> Call::flag(std::string_view name) const {
  const auto found = request_.query.find(name);
  if (!found.has_value()) {
    return false;
  }
  if (found->empty() || equal_ignoring_case(*found, "true")) {
    return true;
  }
  if (equal_ignoring_case(*found, "false")) {
    return false;
  }
  return Error(ErrorCode::invalid_argument,
               fmt::format("the query string parameter '{}' is '{}', which is not true or false",
                           name, *found));
}

}  // namespace rookery::api
