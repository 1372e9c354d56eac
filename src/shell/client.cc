// SPDX-License-Identifier: Apache-2.0
#include "client.h"

#include <fmt/format.h>

#include "rookery/value/json.h"

namespace rookery::shell {

using value::View;

namespace {

// What one answer may take. A page that is larger wants a smaller \limit.
constexpr std::uint64_t kAnswerBytesMax = std::uint64_t{256} << 20U;
// A document of any legal depth, inside an answer.
constexpr value::ParseOptions kParse = {.size_bytes_max = kAnswerBytesMax,
                                        .depth_max = value::kDepthMax};
constexpr std::size_t kNamesAPage = 1024;

ErrorCode code_of(int status) {
  constexpr int kNotFound = 404;
  constexpr int kNotBuilt = 501;
  return status == kNotFound   ? ErrorCode::not_found
         : status == kNotBuilt ? ErrorCode::not_supported
                               : ErrorCode::invalid_argument;
}

Error refusal(const api::Response& response) {
  const auto body = value::parse_json(response.body, kParse);
  const View root = body.has_value() ? body->root() : View();
  const auto message = root.find_string("Message");
  const auto type = root.find_string("Type");
  if (!message.has_value()) {
    return {code_of(response.status),
            fmt::format("the server answered with status {}", response.status)};
  }
  return {code_of(response.status),
          type.has_value() ? fmt::format("{} [{}, status {}]", *message, *type, response.status)
                           : fmt::format("{} [status {}]", *message, response.status)};
}

Error no_answer(std::string_view what) {
  return {ErrorCode::malformed, fmt::format("the server's answer has no {}", what)};
}

Result<View> array_in(View body, std::string_view key) {
  const auto found = body.find(key);
  if (!found.has_value() || !found->is_array()) {
    return no_answer(key);
  }
  return *found;
}

// A value as text, whatever the server makes of it: an etag is a number that may exceed 64 bits.
std::string text_of(View object, std::string_view key) {
  const auto found = object.find(key);
  if (!found.has_value() || found->is_null()) {
    return {};
  }
  return found->is_string() ? std::string(*found->as_string()) : to_json(*found);
}

std::string query_body(const QueryRequest& request) {
  std::string body;
  value::JsonWriter writer(body);
  writer.begin_object();
  writer.string("Query", request.text);
  writer.uint64("Start", request.start);
  writer.uint64("PageSize", request.page_rows);
  if (request.wait) {
    writer.boolean("WaitForNonStaleResults", true);
  }
  writer.key("QueryParameters");
  writer.begin_object();
  for (const auto& [name, json] : request.parameters) {
    writer.raw(name, json);
  }
  writer.end_object();
  writer.end_object();
  return body;
}

}  // namespace

View QueryAnswer::results() const {
  return body.root().find("Results").value_or(View());
}

Client::Client(Transport& transport, os::Clock& clock, std::string url)
    : transport_(transport), clock_(clock), url_(std::move(url)) {
  while (url_.ends_with('/')) {
    url_.pop_back();
  }
  // A query may run for long, and can be cancelled.
  timeout_ = std::chrono::minutes(30);
}

std::string Client::database_path(const std::string& database, std::string_view rest) const {
  return fmt::format("/databases/{}{}", edge::percent_encode(database), rest);
}

Result<value::Document> Client::call(edge::ClientRequest request) {
  request.url = url_ + request.url;
  request.timeout = timeout_;
  request.body_bytes_max = kAnswerBytesMax;
  request.cancel_descriptor = cancel_descriptor_;
  RK_TRY_ASSIGN(const api::Response response, transport_.send(request));
  constexpr int kErrors = 400;
  if (response.status >= kErrors) {
    return refusal(response);
  }
  auto body = value::parse_json(response.body, kParse);
  if (!body.has_value()) {
    return Error(ErrorCode::malformed,
                 fmt::format("the server's answer is no JSON: {}", body.error().message()));
  }
  return body;
}

Result<value::Document> Client::get(const std::string& path) {
  return call({.url = path});
}

Result<value::Document> Client::post(const std::string& path, std::string body) {
  edge::ClientRequest request{.method = "POST", .url = path};
  request.headers.add("Content-Type", "application/json");
  request.body = std::move(body);
  return call(std::move(request));
}

Result<std::string> Client::server_version() {
  RK_TRY_ASSIGN(const value::Document body, get("/build/version"));
  return text_of(body.root(), "FullVersion");
}

Result<std::vector<std::string>> Client::databases() {
  std::vector<std::string> out;
  for (;;) {
    RK_TRY_ASSIGN(const value::Document body,
                  get(fmt::format("/databases?namesOnly=true&start={}&pageSize={}", out.size(),
                                  kNamesAPage)));
    RK_TRY_ASSIGN(const View names, array_in(body.root(), "Databases"));
    for (std::size_t i = 0; i < names.size(); ++i) {
      out.emplace_back(names.at(i).as_string().value_or(""));
    }
    if (names.size() < kNamesAPage) {
      return out;
    }
  }
}

Result<std::vector<Collection>> Client::collections(const std::string& database) {
  RK_TRY_ASSIGN(const value::Document body, get(database_path(database, "/collections/stats")));
  const auto collections = body.root().find("Collections");
  if (!collections.has_value() || !collections->is_object()) {
    return no_answer("Collections");
  }
  std::vector<Collection> out;
  for (std::size_t i = 0; i < collections->size(); ++i) {
    out.push_back({.name = std::string(collections->key_at(i)),
                   .document_count = collections->value_at(i).as_int64().value_or(0)});
  }
  return out;
}

Result<value::Document> Client::indexes(const std::string& database) {
  RK_TRY_ASSIGN(value::Document body, get(database_path(database, "/indexes/stats")));
  RK_TRY(array_in(body.root(), "Results"));
  return body;
}

Result<QueryAnswer> Client::query(const std::string& database, const QueryRequest& request) {
  const os::MonotonicTime begin = clock_.monotonic();
  QueryAnswer answer;
  RK_TRY_ASSIGN(answer.body, post(database_path(database, "/queries"), query_body(request)));
  answer.round_trip = clock_.monotonic() - begin;
  const View root = answer.body.root();
  RK_TRY(array_in(root, "Results"));
  answer.index_name = text_of(root, "IndexName");
  answer.result_etag = text_of(root, "ResultEtag");
  answer.total =
      root.find_int64("LongTotalResults").value_or(root.find_int64("TotalResults").value_or(0));
  answer.skipped = root.find_int64("SkippedResults").value_or(0);
  answer.is_stale = root.find_bool("IsStale").value_or(false);
  answer.server_ms = root.find_int64("DurationInMs").value_or(0);
  return answer;
}

Result<value::Document> Client::explain(const std::string& database, const QueryRequest& request) {
  return post(database_path(database, "/queries?debug=plan"), query_body(request));
}

Result<value::Document> Client::document(const std::string& database, const std::string& id) {
  RK_TRY_ASSIGN(value::Document body,
                get(database_path(database, "/docs?id=" + edge::percent_encode(id))));
  RK_TRY_ASSIGN(const View results, array_in(body.root(), "Results"));
  if (results.size() != 1) {
    return no_answer("result");
  }
  return body;
}

}  // namespace rookery::shell
