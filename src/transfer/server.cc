// SPDX-License-Identifier: Apache-2.0
#include "server.h"

#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "rookery/value/json.h"

namespace rookery::transfer {

namespace {

constexpr int kAttempts = 4;
constexpr std::chrono::seconds kPauseFirst{1};
// A batch is one request; a server under load may take long to have it durable.
constexpr std::chrono::minutes kTimeout{5};

// Browsers show addresses with one.
ServerAddress without_slash(ServerAddress address) {
  while (address.url.ends_with('/')) {
    address.url.pop_back();
  }
  return address;
}

// What an error body says, or the status where there is none.
std::string message_of(const api::Response& response) {
  const auto body = value::parse_json(response.body);
  if (body.has_value()) {
    if (const auto text = body->root().find_string("Message"); text.has_value()) {
      return std::string(*text);
    }
  }
  return fmt::format("the server answered with status {}", response.status);
}

Error failure_of(const api::Response& response) {
  const ErrorCode code = response.status == 507   ? ErrorCode::no_space
                         : response.status == 404 ? ErrorCode::not_found
                                                  : ErrorCode::invalid_argument;
  return {code, message_of(response)};
}

// The server is not there, or not ready; 503 for a database that does not exist is another thing.
bool is_passing(const Result<api::Response>& response) {
  if (!response.has_value()) {
    return response.error().code() == ErrorCode::io ||
           response.error().code() == ErrorCode::timed_out;
  }
  return response->status == 503 && !response->headers.find("Database-Missing").has_value();
}

}  // namespace

std::optional<Refusal> refusal_of(int status, std::string_view message) {
  constexpr std::string_view kElement = "element ";
  constexpr std::string_view kBehindNumber = " of the bulk insert, at byte ";
  // The element cannot be what the server is to take. Anything else may pass, or is no element's.
  const bool is_final = status == 400 || status == 413 || status == 501;
  if (!is_final || !message.starts_with(kElement)) {
    return std::nullopt;
  }
  message.remove_prefix(kElement.size());
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(message.data(), message.data() + message.size(), number);
  message.remove_prefix(static_cast<std::size_t>(end - message.data()));
  const std::size_t colon = message.find(": ");
  if (error != std::errc() || number == 0 || !message.starts_with(kBehindNumber) ||
      colon == std::string_view::npos) {
    return std::nullopt;
  }
  return Refusal{.index = number - 1, .why = std::string(message.substr(colon + 2))};
}

Server::Server(ServerAddress address, const Interrupt& interrupt)
    : address_(without_slash(std::move(address))), interrupt_(interrupt) {}

edge::ClientRequest Server::request(std::string_view rest) const {
  edge::ClientRequest request;
  request.url = fmt::format("{}/databases/{}/{}", address_.url,
                            edge::percent_encode(address_.database), rest);
  request.cancel_descriptor = interrupt_.descriptor();
  return request;
}

Result<void> Server::create_database() const {
  edge::ClientRequest put = request("");
  put.method = "PUT";
  put.url = fmt::format("{}/admin/databases?name={}&replicationFactor=1", address_.url,
                        edge::percent_encode(address_.database));
  value::JsonWriter w(put.body);
  w.begin_object();
  w.string("DatabaseName", address_.database);
  w.end_object();
  RK_TRY_ASSIGN(const api::Response response, edge::http_call(put));
  // 409: it is there.
  return response.status < 400 || response.status == 409 ? Result<void>() : failure_of(response);
}

Result<std::optional<Refusal>> Server::insert(std::string body) const {
  edge::ClientRequest post = request("bulk_insert?skipOverwriteIfUnchanged=true&keepVersions=true");
  post.method = "POST";
  post.headers.add("Content-Type", "application/json");
  post.body = std::move(body);
  post.timeout = kTimeout;
  std::chrono::milliseconds pause = kPauseFirst;
  for (int attempt = 1;; ++attempt) {
    const Result<api::Response> response = edge::http_call(post);
    if (is_passing(response) && attempt < kAttempts) {
      if (interrupt_.wait_for(pause)) {
        return Error(ErrorCode::cancelled, "interrupted");
      }
      pause *= 2;
      continue;
    }
    if (!response.has_value()) {
      return response.error();
    }
    if (response->status < 300) {
      return std::optional<Refusal>();
    }
    std::optional<Refusal> refusal = refusal_of(response->status, message_of(*response));
    return refusal.has_value() ? Result<std::optional<Refusal>>(std::move(refusal))
                               : failure_of(*response);
  }
}

Result<value::Document> Server::load(const std::vector<std::string>& ids) const {
  edge::ClientRequest post = request("docs");
  post.method = "POST";
  value::JsonWriter w(post.body);
  w.begin_object();
  w.key("Ids");
  w.begin_array();
  for (const std::string& id : ids) {
    w.string(id);
  }
  w.end_array();
  w.end_object();
  RK_TRY_ASSIGN(const api::Response response, edge::http_call(post));
  if (response.status != 200) {
    return failure_of(response);
  }
  value::ParseOptions options;
  options.size_bytes_max = response.body.size();
  options.depth_max = value::kDepthMax;
  return value::parse_json(response.body, options);
}

Result<void> Server::stream(const edge::BodySink& sink) const {
  edge::ClientRequest get = request("streams/docs?format=jsonl");
  get.timeout = kTimeout;
  RK_TRY_ASSIGN(const api::Response response, edge::http_download(get, sink));
  return response.status == 200 ? Result<void>() : failure_of(response);
}

Result<DatabaseFacts> Server::facts() const {
  RK_TRY_ASSIGN(const api::Response response, edge::http_call(request("stats")));
  if (response.status != 200) {
    return failure_of(response);
  }
  RK_TRY_ASSIGN(const value::Document body, value::parse_json(response.body));
  const auto count = body.root().find_int64("CountOfDocuments");
  const auto id = body.root().find_string("DatabaseId");
  if (!count.has_value() || !id.has_value()) {
    return Error(ErrorCode::malformed, "the server's answer has no statistics of a database");
  }
  return DatabaseFacts{.id = std::string(*id),
                       .document_count = static_cast<std::uint64_t>(*count)};
}

}  // namespace rookery::transfer
