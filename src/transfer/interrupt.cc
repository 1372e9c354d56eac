// SPDX-License-Identifier: Apache-2.0
#include "interrupt.h"

#include <array>
#include <csignal>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "rookery/base/check.h"

namespace rookery::transfer {

Interrupt::~Interrupt() {
  if (descriptor_ < 0) {
    return;
  }
  // What is pending would kill the process now, after it has said how it ended.
  signalfd_siginfo unused{};
  while (::read(descriptor_, &unused, sizeof unused) == static_cast<ssize_t>(sizeof unused)) {
  }
  ::close(descriptor_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupt::arm() {
  RK_CHECK(descriptor_ < 0);
  sigset_t signals{};
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  descriptor_ = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  if (descriptor_ < 0) {
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
}

bool Interrupt::wait_for(std::chrono::milliseconds time) const {
  // A descriptor of -1 is never readable: then this only waits.
  pollfd watched{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return ::poll(&watched, 1, static_cast<int>(time.count())) > 0;
}

bool Interrupt::wait_readable(int other) const {
  std::array<pollfd, 2> watched{{{.fd = descriptor_, .events = POLLIN, .revents = 0},
                                 {.fd = other, .events = POLLIN, .revents = 0}}};
  for (;;) {
    // What poll() cannot do is for read() to find out.
    if (::poll(watched.data(), watched.size(), -1) <= 0) {
      return true;
    }
    if (watched[0].revents != 0) {
      return false;
    }
    if (watched[1].revents != 0) {
      return true;
    }
  }
}

}  // namespace rookery::transfer
