// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "rookery/os/platform.h"

// Purpose. A few threads that run the bounded slices of many workers, so that a thousand idle
// databases need no thread each.
// Source: DESIGN "Workers".

namespace rookery::os {

enum class Priority : std::uint8_t { kHigh, kNormal, kLow };

// Purpose. One background activity. run_once() does a bounded slice (aim: under 10 ms).
// Threads: the executor never runs one worker on two threads at once.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  virtual ~Worker() = default;

  // Shown as the thread's name while it runs.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  [[nodiscard]] virtual Priority priority() const noexcept { return Priority::kNormal; }

  // True: there is more to do now, run again. False: sleep until wake() or `next_run`.
  virtual bool run_once() = 0;
};

// Purpose. Runs attached workers on `thread_count` threads. Higher priorities first, but every
// sixteenth choice goes to the lowest that waits, so that nothing starves; first come, first served
// within one priority.
// Threads: any method from any thread.
class Executor {
 public:
  Executor(Platform& platform, std::string name, std::uint32_t thread_count);
  ~Executor();  // stops; every worker must be detached before

  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Attaches; the worker stays idle until it is woken. Owns: nothing.
  void attach(Worker& worker);
  // Returns once the worker is not running and will not run again.
  // Requires: not called from that worker's own run_once().
  void detach(Worker& worker);
  // The worker will run soon. Cheap; may be called from anywhere, from run_once() too. A wake
  // during run_once() makes it run again: no wake is lost. A worker that is not attached is left
  // alone, so that a late wake may race with detach().
  void wake(Worker& worker);
  // The worker will run once `delay` has passed, unless it is woken before. One timer a worker: the
  // earlier of two wins.
  void wake_after(Worker& worker, Duration delay);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace rookery::os
