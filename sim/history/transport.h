// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

// Purpose. How a recorded client reaches the server: a socket, or a simulated machine.

namespace rookery::history {

struct Ask {
  std::string method;
  std::string target;
  std::string body{};
  std::optional<std::string> if_match{};
};

enum class Fate : std::uint8_t {
  kAnswered,
  kNotSent,  // the server certainly never saw it
  kLost,     // sent, perhaps in part, and no whole answer came
};

struct Reply {
  Fate fate = Fate::kNotSent;
  int status = 0;
  std::string body{};
};

// Threads: one.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  // Blocks until a server is there that a call can go to, or the run is over. The next call goes to
  // that server and to none that comes after it: only so the end of the server settles the call.
  virtual void make_ready() = 0;
  // Blocks until the answer is there or lost. Requires: make_ready() came before.
  virtual Reply call(const Ask& ask) = 0;
};

}  // namespace rookery::history
