// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>

#include "rookery/os/time.h"

// Purpose. Time that passes only when somebody says so: the fiber scheduler when all sleep, or a
// test. Wall time follows monotonic time unless it is made to jump or to stop.
// Threads: any. Each reading from a fiber is a scheduling point.
// Source: STORE-INVARIANTS I31.

namespace rookery::testing {

class VirtualClock final : public os::Clock {
 public:
  os::MonotonicTime monotonic() override;
  os::WallTime wall() override;
  // In a fiber: blocks it. Elsewhere: time passes at once.
  void sleep_for(os::Duration duration) override;

  // As monotonic(), but no scheduling point.
  [[nodiscard]] os::MonotonicTime now() const;
  void advance(os::Duration duration);
  // Nothing if `time` has passed already.
  void advance_to(os::MonotonicTime time);

  // An operator or a time server sets the wall clock; negative goes back.
  void jump_wall(os::Duration delta);
  // The wall clock stands still until resume_wall(), and goes on from there.
  void stop_wall();
  void resume_wall();

 private:
  [[nodiscard]] os::WallTime wall_locked() const;

  mutable std::mutex mutex_;  // never held across a scheduling point
  os::MonotonicTime now_{std::chrono::hours(1)};
  // 2026-01-01T00:00:00Z, less the hour above.
  os::Duration wall_offset_ = std::chrono::seconds(1'767'225'600) - std::chrono::hours(1);
  std::optional<os::WallTime> wall_stopped_;
};

}  // namespace rookery::testing
