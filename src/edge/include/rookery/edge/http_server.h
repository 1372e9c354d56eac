// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "rookery/api/http.h"
#include "rookery/api/log.h"
#include "rookery/base/result.h"

// Purpose. HTTP/1.1 on a TCP port, in front of an api::Handler.
// Source: DESIGN section 6; docs/adr on the HTTP library.

namespace rookery::edge {

struct HttpLimits {
  std::size_t header_bytes_max = 64 * 1024;  // request line and headers together
  std::uint64_t body_bytes_max = 512ULL * 1024 * 1024;
  // Bodies being received, over all connections; beyond it a request is answered 503.
  std::uint64_t body_bytes_total_max = 2048ULL * 1024 * 1024;
  std::uint32_t connection_count_max = 10'000;
  // From a request's first byte to the end of its headers.
  std::chrono::milliseconds header_time_max{30'000};
  // Between requests.
  std::chrono::milliseconds idle_time_max{130'000};
  // A body, in either direction, may take this long and then as long as its bytes need at
  // `rate_bytes_per_s_min`.
  std::chrono::milliseconds body_time_grace{15'000};
  std::uint64_t rate_bytes_per_s_min = 1024;
  // Between two bytes of a body that its handler reads as a stream, once it asks for more. Such a
  // body may otherwise be as long, and take as long, as the client likes.
  std::chrono::milliseconds stream_idle_time_max{120'000};
  // What shutdown() gives to requests in flight.
  std::chrono::milliseconds drain_time_max{10'000};
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";  // numeric, or a host name
  std::uint16_t port = 0;             // 0: any free port
  std::uint32_t thread_count = 0;     // 0: one a core
  HttpLimits limits{};
};

struct HttpServerStats {
  std::uint64_t connections_open = 0;
  std::uint64_t connections_accepted = 0;
  std::uint64_t requests = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t refused = 0;  // malformed, too large, too many
};

// Purpose. See the file's head. One io_context a thread, one acceptor that binds exclusively and
// deals connections out in turn. A connection's requests are answered in order; while an answer is
// awaited no thread waits with it.
// Threads: all but stats() and run_after() by the owner.
class HttpServer {
 public:
  // Takes the port; connections wait in its backlog until serve().
  // Errors: busy (the address is in use), invalid_argument (it is none of ours), io.
  // `log` outlives the server.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> bind(const HttpServerOptions& options,
                                                                api::Log& log);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();  // shutdown()

  [[nodiscard]] std::uint16_t port() const noexcept;
  // Begins to answer. `handler` outlives the server, and may still answer when the server is gone.
  // Requires: called once.
  [[nodiscard]] Result<void> serve(api::Handler& handler);
  [[nodiscard]] HttpServerStats stats() const noexcept;

  // Runs `task` on an io thread once `delay` has passed; drops it when the server ends before. Any
  // thread. `task` must be quick and must not throw.
  void run_after(std::chrono::milliseconds delay, std::function<void()> task);

  // Stops accepting, closes idle connections, lets requests in flight finish within
  // drain_time_max, then ends all. Returns whether everything finished in time. Idempotent.
  bool shutdown();

 private:
  class State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rookery::edge
