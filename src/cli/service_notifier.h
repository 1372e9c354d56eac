// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "rookery/base/result.h"

// Purpose. Tells a service manager (systemd, or what speaks its protocol) how far the server is: a
// datagram to the socket that NOTIFY_SOCKET names.
// Threads: one at a time.
// Source: sd_notify(3).

namespace rookery::cli {

class ServiceNotifier {
 public:
  // `socket`: the variable's value: a path, or '@' and an abstract name. Empty: nobody listens, and
  // sending does nothing.
  explicit ServiceNotifier(std::string socket) : socket_(std::move(socket)) {}

  // "READY=1\nSTATUS=...". Never blocks for long.
  // Errors: invalid_argument (no such kind of socket), io. The server is none the worse for it.
  [[nodiscard]] Result<void> send(std::string_view state) const;

 private:
  std::string socket_;
};

}  // namespace rookery::cli
