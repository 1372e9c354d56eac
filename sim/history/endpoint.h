// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "rookery/os/sync.h"

// Purpose. Where the server listens just now, for clients that outlive it.

namespace rookery::history {

// Threads: any.
class Endpoint {
 public:
  struct Place {
    std::uint64_t generation = 0;  // goes up with each start
    std::uint16_t port = 0;
  };

  void open(std::uint16_t port) {
    const os::MutexLock lock(mutex_);
    port_ = port;
    ++generation_;
    changed_.notify_all();
  }

  // Nobody listens until the next open().
  void close() {
    const os::MutexLock lock(mutex_);
    port_ = 0;
  }

  // The run is over: nobody waits any more.
  void end() {
    const os::MutexLock lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }

  // Blocks until somebody listens who is newer than `generation`. Nothing: the run is over.
  std::optional<Place> wait_for(std::uint64_t generation) {
    const os::MutexLock lock(mutex_);
    while (!is_over_ && (port_ == 0 || generation_ <= generation)) {
      changed_.wait(mutex_);
    }
    if (is_over_) {
      return std::nullopt;
    }
    return Place{generation_, port_};
  }

 private:
  os::Mutex mutex_;
  os::CondVar changed_;
  std::uint64_t generation_ RK_GUARDED_BY(mutex_) = 0;
  std::uint16_t port_ RK_GUARDED_BY(mutex_) = 0;
  bool is_over_ RK_GUARDED_BY(mutex_) = false;
};

}  // namespace rookery::history
