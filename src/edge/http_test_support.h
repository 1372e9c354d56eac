// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/api/http.h"
#include "rookery/api/log.h"
#include "rookery/edge/http_server.h"

// Purpose. For tests of the edge: a handler that shows what it was given, and a client that can
// send anything at all.

namespace rookery::edge {

// Answers /echo with "METHOD TARGET\nBODY", /headers with those it got, /held when release() says
// so, /large with a megabyte, /dropped never, /no-content with 204.
class EchoHandler final : public api::Handler {
 public:
  void handle(api::Request request, api::Responder respond) noexcept override;

  // Answers every request that is held, from this thread.
  void release();
  [[nodiscard]] std::size_t held_count();
  // Returns once that many requests are held.
  void wait_for_held(std::size_t count);

 private:
  std::mutex mutex_;
  std::vector<api::Responder> held_;
};

// Purpose. A blocking TCP connection. Every wait ends after ten seconds, so that a test fails
// instead of hanging.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient();

  [[nodiscard]] bool connected() const noexcept { return socket_ >= 0; }

  // False if the server has closed the connection.
  bool send(std::string_view bytes) const;
  void finish_sending() const;
  // Sends up to `size` bytes of 'x' for as long as the server takes them; returns how many it took
  // before it had taken none for a while.
  [[nodiscard]] std::size_t send_until_full(std::size_t size) const;
  // One response with its body by Content-Length; empty at the end of the stream. `without_body`:
  // of a HEAD request.
  [[nodiscard]] std::string read_response(bool without_body = false);
  // All that comes until the server closes.
  [[nodiscard]] std::string read_to_end();

  // True if the server closes the connection without another byte.
  [[nodiscard]] bool closed_by_server() { return read_to_end().empty(); }

 private:
  [[nodiscard]] bool receive();

  int socket_ = -1;
  std::string buffer_;
};

// Purpose. A server on a free port of the loopback.
class TestServer {
 public:
  explicit TestServer(HttpLimits limits = {}, std::uint32_t thread_count = 2,
                      api::Handler* other_handler = nullptr);

  [[nodiscard]] RawClient connect() const { return RawClient(http->port()); }

  EchoHandler handler;
  std::unique_ptr<api::Log> log;
  std::unique_ptr<HttpServer> http;
};

// The status of a response's first line; 0 if it is none.
[[nodiscard]] int status_of(std::string_view response);
[[nodiscard]] std::string body_of(std::string_view response);

}  // namespace rookery::edge
