// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "rookery/base/result.h"

// Purpose. A `rookery` of our own over a folder, to be killed at any moment.
// Threads: one.

namespace rookery::history {

struct ServerCommand {
  std::string binary;
  std::string folder;
  // What runs the binary and dies with it, such as strace; empty: nothing.
  std::vector<std::string> prefix{};
};

class ServerProcess {
 public:
  // Blocks until the server listens. Errors: io, with what it last said.
  [[nodiscard]] static Result<ServerProcess> start(const ServerCommand& command);
  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&& other) noexcept;
  // Kills it, if it lives.
  ~ServerProcess();

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  // Whether it has ended by itself by the time `patience` is over. Then nothing of it is left.
  [[nodiscard]] bool ends_within(std::chrono::milliseconds patience);
  // SIGKILL; returns when nothing of it is left.
  void kill();
  // SIGTERM. The exit status; negative for a signal.
  [[nodiscard]] int stop();

 private:
  ServerProcess(pid_t child, int output, bool has_prefix)
      : child_(child), output_(output), has_prefix_(has_prefix) {}

  Result<void> read_port();
  void signal(int number) const;
  int reap();

  pid_t child_;  // -1: reaped
  int output_;   // its standard output
  bool has_prefix_;
  std::uint16_t port_ = 0;
};

}  // namespace rookery::history
