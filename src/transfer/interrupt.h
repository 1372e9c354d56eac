// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>

// Purpose. The user's wish to stop, as a descriptor: whoever waits for something else waits for it
// too, so that a command ends between two steps and not within one.

namespace rookery::transfer {

// Purpose. SIGINT and SIGTERM, once armed; until then they do what they always do.
// Threads: arm() and the destructor by the main thread, before and after all others.
class Interrupt {
 public:
  Interrupt() = default;
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  // Signals do again what they did before; one that came meanwhile is forgotten.
  ~Interrupt();

  // From now on the signals only make descriptor() readable, and it stays so. Where the system
  // gives no descriptor they go on as before.
  void arm();

  // For poll(); -1 before arm().
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  [[nodiscard]] bool is_set() const { return wait_for(std::chrono::milliseconds(0)); }

  // Whether it came within `time`.
  [[nodiscard]] bool wait_for(std::chrono::milliseconds time) const;
  // Returns when `other` can be read from (which includes its end), or false: interrupted.
  [[nodiscard]] bool wait_readable(int other) const;

 private:
  int descriptor_ = -1;
  sigset_t before_{};
};

}  // namespace rookery::transfer
