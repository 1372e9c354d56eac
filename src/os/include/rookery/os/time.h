// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

// Purpose. Clocks behind an interface. Monotonic for every interval; wall only for what users read
// (@last-modified, @expires): nothing orders by it.
// Source: STORE-INVARIANTS I31.

namespace rookery::os {

using Duration = std::chrono::nanoseconds;
// Since an arbitrary start.
using MonotonicTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;
// Since 1970-01-01T00:00:00Z.
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  [[nodiscard]] virtual MonotonicTime monotonic() = 0;
  [[nodiscard]] virtual WallTime wall() = 0;
  // For pacing; never as synchronisation.
  virtual void sleep_for(Duration duration) = 0;
};

}  // namespace rookery::os
