// SPDX-License-Identifier: Apache-2.0
#include "life_watch.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rookery::cli {

namespace {

constexpr std::string_view kWords = "shutdown no-confirmation";
constexpr int kLookIntervalMs = 500;

sigset_t stop_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

std::string_view stop_reason_name(StopReason reason) noexcept {
  switch (reason) {
    case StopReason::kSignal:
      return "signal";
    case StopReason::kCommand:
      return "command";
    case StopReason::kInputEnded:
      return "input_ended";
    case StopReason::kParentGone:
      return "parent_gone";
  }
  return "unknown";
}

bool ShutdownWords::feed(std::string_view bytes) {
  for (const char c : bytes) {
    if (matched_ == kWords.size()) {
      return true;
    }
    // Only the first letter's 's' can begin the words anew: no other prefix of them repeats.
    matched_ = c == kWords[matched_] ? matched_ + 1 : (c == kWords.front() ? 1 : 0);
  }
  return matched_ == kWords.size();
}

Result<LifeWatch> LifeWatch::begin(std::optional<std::int64_t> parent_process_id) {
  // Reading a terminal from the background would stop the process; a closed pipe would end it.
  ::signal(SIGTTIN, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  const sigset_t set = stop_signals();
  if (const int error = ::pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0) {
    return Error(ErrorCode::io, fmt::format("pthread_sigmask: {}", std::strerror(error)), error);
  }
  const int signals = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) {
    return Error(ErrorCode::io, fmt::format("signalfd: {}", std::strerror(errno)), errno);
  }
  int parent = -1;
  if (parent_process_id.has_value()) {
    // By descriptor where the kernel can: it wakes at once, and a number may be given to another
    // process. Without one, wait() looks by number now and then.
    parent = static_cast<int>(::syscall(SYS_pidfd_open, *parent_process_id, 0));
  }
  return LifeWatch(signals, parent, parent_process_id);
}

LifeWatch::LifeWatch(LifeWatch&& other) noexcept
    : signals_(std::exchange(other.signals_, -1)),
      parent_(std::exchange(other.parent_, -1)),
      parent_process_id_(other.parent_process_id_),
      words_(other.words_) {}

LifeWatch::~LifeWatch() {
  for (const int descriptor : {signals_, parent_}) {
    if (descriptor >= 0) {
      ::close(descriptor);
    }
  }
}

bool LifeWatch::read_input(bool& open) {
  std::array<char, 512> bytes{};
  const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (count > 0) {
    return words_.feed({bytes.data(), static_cast<std::size_t>(count)});
  }
  if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    open = false;
  }
  return false;
}

StopReason LifeWatch::wait() {
  bool input_open = true;
  const bool looks_by_number = parent_process_id_.has_value() && parent_ < 0;
  for (;;) {
    if (looks_by_number && ::kill(static_cast<pid_t>(*parent_process_id_), 0) != 0 &&
        errno == ESRCH) {
      return StopReason::kParentGone;
    }
    std::array<pollfd, 3> watched = {{
        {.fd = signals_, .events = POLLIN, .revents = 0},
        {.fd = input_open ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0},
        {.fd = parent_, .events = POLLIN, .revents = 0},
    }};
    const int timeout_ms = looks_by_number ? kLookIntervalMs : -1;
    if (::poll(watched.data(), watched.size(), timeout_ms) < 0) {
      continue;  // EINTR: nothing else can happen to valid arguments
    }
    if (watched[0].revents != 0) {
      return StopReason::kSignal;
    }
    if (watched[2].revents != 0) {
      return StopReason::kParentGone;
    }
    if (watched[1].revents == 0) {
      continue;
    }
    if (read_input(input_open)) {
      return StopReason::kCommand;
    }
    if (!input_open && parent_process_id_.has_value()) {
      return StopReason::kInputEnded;
    }
  }
}

void LifeWatch::let_signals_through() {
  signalfd_siginfo pending{};
  while (::read(signals_, &pending, sizeof pending) > 0) {
    // The one that woke us would otherwise end the shutdown it has just begun.
  }
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace rookery::cli
