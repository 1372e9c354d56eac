// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "rookery/api/http.h"
#include "rookery/api/log.h"
#include "rookery/db/server.h"

// Purpose. The whole HTTP interface as a function from request to response, over a db::Server. It
// knows no socket: the network edge, simulation, fuzzers and tests call it alike.
// Source: the table of routes in routes.cc.

namespace rookery::api {

struct ServiceOptions {
  // As clients reach this server: what topologies name, without a slash at the end.
  std::string server_url = "http://127.0.0.1:8080";
  std::string tcp_url = "tcp://127.0.0.1:38888";
  std::string node_tag = "A";
  // Random, per data directory; shown as TopologyId.
  std::string topology_id = "rookery-single-node";
  // The size of a request that is parsed where it arrives; bigger ones go through `offload`.
  std::size_t inline_body_bytes_max = 32 * 1024;
  std::size_t document_bytes_max = std::size_t{128} << 20U;
  // A query that takes longer is given up.
  std::chrono::nanoseconds query_time_max = std::chrono::seconds(300);
  // Runs a task that may block on some other thread. False: it has no room, and the request is
  // answered 503. Empty: tasks run where they are, which suits tests.
  std::function<bool(std::function<void()>)> offload;
  // Runs a task once a time has passed, without holding a thread meanwhile. Empty: at once.
  std::function<void(std::chrono::milliseconds, std::function<void()>)> run_after;
};

// Purpose. See the file's head.
// Threads: handle() by any.
// Owns: nothing of its arguments, which outlive it and every answer that is still to come (close
// the db::Server first).
class Service : public Handler {
 public:
  Service(db::Server& server, os::Platform& platform, Log& log, ServiceOptions options);
  ~Service() override;

  void handle(Request request, Responder respond) noexcept override;
  [[nodiscard]] bool streams_body(std::string_view method, std::string_view target) const override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace rookery::api
