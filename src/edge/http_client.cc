// SPDX-License-Identifier: Apache-2.0
#include "rookery/edge/http_client.h"

#include <exception>
#include <limits>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <fmt/format.h>

namespace rookery::edge {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

struct Target {
  std::string host;
  std::string port;
  std::string path;
};

Result<Target> split_url(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("'{}' does not begin with {}", url, kScheme));
  }
  const std::string_view rest = url.substr(kScheme.size());
  const std::size_t slash = rest.find('/');
  const std::string_view authority = rest.substr(0, slash);
  const std::size_t colon = authority.rfind(':');
  Target target;
  target.host = authority.substr(0, colon);
  target.port = colon == std::string_view::npos ? "80" : std::string(authority.substr(colon + 1));
  target.path = slash == std::string_view::npos ? "/" : std::string(rest.substr(slash));
  if (target.host.empty()) {
    return Error(ErrorCode::invalid_argument, fmt::format("'{}' names no host", url));
  }
  return target;
}

http::request<http::string_body> make_message(const ClientRequest& request, const Target& target) {
  http::request<http::string_body> message;
  message.version(11);
  message.method_string(request.method);
  message.target(target.path);
  message.set(http::field::host, target.host + ":" + target.port);
  for (const api::Field& field : request.headers) {
    message.set(field.name, field.value);
  }
  message.body() = request.body;
  message.prepare_payload();
  return message;
}

Error failed(std::string_view what, const Target& target, const error_code& error) {
  const ErrorCode code = error == beast::error::timeout ? ErrorCode::timed_out : ErrorCode::io;
  return {code, fmt::format("{} {}:{}: {}", what, target.host, target.port, error.message())};
}

// Runs the one operation that was begun, then looks at its outcome.
void run(asio::io_context& loop) {
  loop.restart();
  loop.run();
}

Result<api::Response> call(const ClientRequest& request, const Target& target) {
  asio::io_context loop;
  error_code error;
  asio::ip::tcp::resolver resolver(loop);
  const auto found = resolver.resolve(target.host, target.port, error);
  if (error) {
    return failed("cannot resolve", target, error);
  }
  beast::tcp_stream stream(loop);
  stream.expires_after(request.timeout);
  stream.async_connect(found, [&](error_code e, const auto&) { error = e; });
  run(loop);
  if (error) {
    return failed("cannot connect to", target, error);
  }
  const auto message = make_message(request, target);
  stream.expires_after(request.timeout);
  http::async_write(stream, message, [&](error_code e, std::size_t) { error = e; });
  run(loop);
  if (error) {
    return failed("cannot send to", target, error);
  }
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  parser.skip(request.method == "HEAD");
  stream.expires_after(request.timeout);
  http::async_read(stream, buffer, parser, [&](error_code e, std::size_t) { error = e; });
  run(loop);
  if (error) {
    return failed("no answer from", target, error);
  }
  api::Response response;
  response.status = static_cast<int>(parser.get().result_int());
  for (const auto& field : parser.get()) {
    response.headers.add({field.name_string().data(), field.name_string().size()},
                         {field.value().data(), field.value().size()});
  }
  response.body = std::move(parser.get().body());
  return response;
}

}  // namespace

Result<api::Response> http_call(const ClientRequest& request) {
  RK_TRY_ASSIGN(const Target target, split_url(request.url));
  try {
    return call(request, target);
  } catch (const std::exception& e) {
    return Error(ErrorCode::io, e.what());
  }
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kUnreserved = "-._~";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kUnreserved.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace rookery::edge
