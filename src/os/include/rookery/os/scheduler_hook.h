// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rookery/os/time.h"

// Purpose. How the blocking primitives hand the processor to a simulated scheduler, where every
// thread of the code under test is a fiber of one OS thread. In production no hook is ever set and
// each primitive pays one predictable branch on a thread-local pointer.
// Threads: one hook an OS thread; a hook is only called from the thread it was set on.
// Source: DESIGN "Plain blocking code". Implemented by rookery::testing::FiberScheduler.

namespace rookery::os {

inline constexpr Duration kNoTimeout = Duration::max();

// Purpose. What a fiber waits for: an address nobody else uses, and words for a deadlock report.
struct WaitChannel {
  const void* address = nullptr;
  const char* what = "";
  const void* holder = nullptr;  // the fiber (SchedulerHook::self) that must act, if known
};

class SchedulerHook {
 public:
  SchedulerHook() = default;
  SchedulerHook(const SchedulerHook&) = delete;
  SchedulerHook& operator=(const SchedulerHook&) = delete;
  virtual ~SchedulerHook() = default;

  // The running fiber; never null while a hook is set.
  [[nodiscard]] virtual const void* self() const noexcept = 0;
  // A point where another fiber may be chosen.
  virtual void yield(const char* what) noexcept = 0;
  // Blocks until woken on that channel (true) or until `timeout` passed (false). Nothing else runs
  // between the call and the registration, so a caller that looked first loses no wake.
  virtual bool wait_on(const WaitChannel& channel, Duration timeout) noexcept = 0;
  // Neither switches. wake_one picks any waiter.
  virtual void wake_one(const void* address) noexcept = 0;
  virtual void wake_all(const void* address) noexcept = 0;

  [[nodiscard]] static SchedulerHook* current() noexcept { return current_; }

  static void set_current(SchedulerHook* hook) noexcept { current_ = hook; }

 private:
  static inline thread_local constinit SchedulerHook* current_ = nullptr;
};

}  // namespace rookery::os
