// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "rookery/os/platform.h"
#include "rookery/os/scheduler_hook.h"
#include "rookery/testing/virtual_clock.h"

// Purpose. Runs the threads of the code under test as fibers of one OS thread. At each os call a
// seeded generator chooses who goes on, so that one seed is one schedule and can be run again.
// Threads: one at a time; everything happens on the thread that calls run().
// Source: DESIGN "Plain blocking code".

namespace rookery::testing {

struct SchedulerOptions {
  std::uint64_t seed = 1;
  // More than this is taken for a livelock.
  std::uint64_t steps_max = 20'000'000;
  // A scheduling point chooses anew once in so many on average; 0: drawn from the seed.
  std::uint64_t switch_one_in = 0;
  // The last so many steps are kept as text.
  std::size_t trace_steps_max = 0;
  // Virtual time of one step: a loop that polls the clock gets on.
  os::Duration step_time = os::Duration(100);
};

struct SimulationReport {
  enum class Outcome : std::uint8_t {
    kFinished,   // every fiber returned
    kDeadlock,   // fibers wait and nothing can wake them; `text` names them
    kStepLimit,  // steps_max was reached
  };

  Outcome outcome = Outcome::kFinished;
  std::string text;  // for a reader: seed, outcome, who waits for what
  std::uint64_t steps = 0;
  std::uint64_t trace_hash = 0;  // of who ran and what it did, step by step
  os::Duration elapsed{0};       // virtual
  std::deque<std::string> trace;

  [[nodiscard]] bool finished() const noexcept { return outcome == Outcome::kFinished; }
};

class FiberScheduler final : public os::SchedulerHook, public os::Threads {
 public:
  // `clock` outlives it.
  FiberScheduler(VirtualClock& clock, const SchedulerOptions& options);
  FiberScheduler(const FiberScheduler&) = delete;
  FiberScheduler& operator=(const FiberScheduler&) = delete;
  ~FiberScheduler() override;

  // Runs `body` as the first fiber, "main", until every fiber has returned. After a deadlock or the
  // step limit the fibers left are abandoned: their stacks are freed and no destructor runs, so
  // what they own leaks. May be called again.
  // Requires: the calling thread is not in a simulation.
  SimulationReport run(std::function<void()> body);

  // os::SchedulerHook
  [[nodiscard]] const void* self() const noexcept override;
  void yield(const char* what) noexcept override;
  bool wait_on(const os::WaitChannel& channel, os::Duration timeout) noexcept override;
  void wake_one(const void* address) noexcept override;
  void wake_all(const void* address) noexcept override;

  // os::Threads. Requires: called from a fiber.
  std::unique_ptr<os::Thread> start(std::string name, std::function<void()> body) override;
  void set_current_name(std::string_view name) override;

  [[nodiscard]] std::uint64_t steps() const noexcept;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace rookery::testing
