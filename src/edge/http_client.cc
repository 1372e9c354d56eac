// SPDX-License-Identifier: Apache-2.0
#include "rookery/edge/http_client.h"

#include <exception>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <fcntl.h>
#include <fmt/format.h>

#include "part_body.h"

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
  if (error == http::error::body_limit) {
    return {ErrorCode::too_large, "the answer is larger than the caller allows"};
  }
  const ErrorCode code = error == beast::error::timeout ? ErrorCode::timed_out : ErrorCode::io;
  return {code, fmt::format("{} {}:{}: {}", what, target.host, target.port, error.message())};
}

// Purpose. One connection, one step at a time, watching the caller's wish to cancel meanwhile.
// Threads: one.
class ClientConnection {
 public:
  // `cancel_descriptor` as in ClientRequest. Throws what Asio throws.
  explicit ClientConnection(int cancel_descriptor) : stream(loop), cancel_(loop) {
    if (cancel_descriptor >= 0) {
      // A copy, so that what Asio closes is its own.
      cancel_.assign(::fcntl(cancel_descriptor, F_DUPFD_CLOEXEC, 0));
      cancel_.async_wait(asio::posix::stream_descriptor::wait_read, [this](error_code e) {
        if (!e) {
          is_cancelled_ = true;
          stream.cancel();
        }
      });
    }
  }

  // What every asynchronous operation is begun with.
  auto handler() {
    done_ = false;
    return [this](error_code e, const auto& /*what was done*/) {
      error_ = e;
      done_ = true;
    };
  }

  // Returns when the operation that was begun has ended.
  error_code finish() {
    while (!done_) {
      loop.run_one();
    }
    return is_cancelled_ ? error_code(asio::error::operation_aborted) : error_;
  }

  [[nodiscard]] bool is_cancelled() const noexcept { return is_cancelled_; }

  asio::io_context loop;
  beast::tcp_stream stream;

 private:
  // Between two operations there is nothing to do, and a loop without work would stop for good.
  asio::executor_work_guard<asio::io_context::executor_type> work_{loop.get_executor()};
  asio::posix::stream_descriptor cancel_;
  bool is_cancelled_ = false;
  bool done_ = false;
  error_code error_;
};

// Connects and sends.
Result<void> send(ClientConnection& connection, const ClientRequest& request,
                  const Target& target) {
  beast::tcp_stream& stream = connection.stream;
  const auto fail = [&](std::string_view what, const error_code& error) {
    return connection.is_cancelled() ? Error(ErrorCode::cancelled) : failed(what, target, error);
  };
  error_code error;
  asio::ip::tcp::resolver resolver(connection.loop);
  const auto found = resolver.resolve(target.host, target.port, error);
  if (error) {
    return fail("cannot resolve", error);
  }
  stream.expires_after(request.timeout);
  stream.async_connect(found, connection.handler());
  if (error = connection.finish(); error) {
    return fail("cannot connect to", error);
  }
  const auto message = make_message(request, target);
  stream.expires_after(request.timeout);
  http::async_write(stream, message, connection.handler());
  if (error = connection.finish(); error) {
    return fail("cannot send to", error);
  }
  return {};
}

template <typename Parser>
api::Response head_of(const Parser& parser) {
  api::Response response;
  response.status = static_cast<int>(parser.get().result_int());
  for (const auto& field : parser.get()) {
    response.headers.add({field.name_string().data(), field.name_string().size()},
                         {field.value().data(), field.value().size()});
  }
  return response;
}

Result<api::Response> call(const ClientRequest& request, const Target& target) {
  ClientConnection connection(request.cancel_descriptor);
  RK_TRY(send(connection, request, target));
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(request.body_bytes_max);
  parser.skip(request.method == "HEAD");
  connection.stream.expires_after(request.timeout);
  http::async_read(connection.stream, buffer, parser, connection.handler());
  if (const error_code error = connection.finish(); error) {
    return connection.is_cancelled() ? Error(ErrorCode::cancelled)
                                     : failed("no answer from", target, error);
  }
  api::Response response = head_of(parser);
  response.body = std::move(parser.get().body());
  return response;
}

Result<api::Response> download(const ClientRequest& request, const Target& target,
                               const BodySink& sink) {
  constexpr std::size_t kErrorBytesMax = 1024 * 1024;
  ClientConnection connection(request.cancel_descriptor);
  RK_TRY(send(connection, request, target));
  beast::flat_buffer buffer;
  http::response_parser<PartBody> parser;
  parser.body_limit(boost::none);
  api::Response response;
  while (!parser.is_done()) {
    connection.stream.expires_after(request.timeout);
    // A part at a time, or the whole head.
    if (parser.is_header_done()) {
      http::async_read_some(connection.stream, buffer, parser, connection.handler());
    } else {
      http::async_read_header(connection.stream, buffer, parser, connection.handler());
    }
    if (const error_code error = connection.finish(); error) {
      return connection.is_cancelled() ? Error(ErrorCode::cancelled)
                                       : failed("no whole answer from", target, error);
    }
    const std::string part = std::exchange(parser.get().body(), {});
    if (parser.get().result_int() == 200) {
      RK_TRY(sink(part));
    } else if (response.body.size() + part.size() <= kErrorBytesMax) {
      response.body += part;
    }
  }
  api::Response head = head_of(parser);
  head.body = std::move(response.body);
  return head;
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

Result<api::Response> http_download(const ClientRequest& request, const BodySink& sink) {
  RK_TRY_ASSIGN(const Target target, split_url(request.url));
  try {
    return download(request, target, sink);
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
