// SPDX-License-Identifier: Apache-2.0
#include "service_notifier.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace rookery::cli {

Result<void> ServiceNotifier::send(std::string_view state) const {
  if (socket_.empty()) {
    return {};
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if ((socket_.front() != '/' && socket_.front() != '@') ||
      socket_.size() >= sizeof address.sun_path) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("NOTIFY_SOCKET is '{}', which is no socket's name", socket_));
  }
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') {
    address.sun_path[0] = '\0';  // a name of the abstract kind, which has no end but its length
  }
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) {
    return Error(ErrorCode::io, fmt::format("socket: {}", std::strerror(errno)), errno);
  }
  const ssize_t sent = ::sendto(descriptor, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                                reinterpret_cast<const sockaddr*>(&address), length);
  const int failed = sent < 0 ? errno : 0;
  ::close(descriptor);
  if (failed != 0) {
    return Error(ErrorCode::io, fmt::format("notifying '{}': {}", socket_, std::strerror(failed)),
                 failed);
  }
  return {};
}

}  // namespace rookery::cli
