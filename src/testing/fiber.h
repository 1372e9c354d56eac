// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <ucontext.h>

// Purpose. One execution context with a stack of its own, and the switch between two of them, told
// to the sanitizers. Knows nothing of scheduling.

namespace rookery::testing {

// Purpose. A stack with an unmapped page below it: an overflow is a fault, not a corruption.
class FiberStack {
 public:
  FiberStack();
  FiberStack(const FiberStack&) = delete;
  FiberStack& operator=(const FiberStack&) = delete;
  ~FiberStack();

  [[nodiscard]] std::byte* bottom() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  std::byte* base_ = nullptr;
};

class FiberContext {
 public:
  // The context of the calling OS thread itself.
  FiberContext();
  // A new one that begins with `entry`, on `stack`. entry must call entered() first and must leave
  // by leave_for_good().
  FiberContext(std::unique_ptr<FiberStack> stack, void (*entry)());
  FiberContext(const FiberContext&) = delete;
  FiberContext& operator=(const FiberContext&) = delete;
  // Requires: not running.
  ~FiberContext();

  // Leaves this context, which runs now, and continues `to`; returns when somebody switches back.
  void switch_to(FiberContext& to) noexcept;
  // As switch_to, but this one is never continued.
  [[noreturn]] void leave_for_good(FiberContext& to) noexcept;
  // Completes the switch into a new context. `from`: who switched.
  void entered(FiberContext& from) noexcept;

  // For reuse. Requires: not running, never continued.
  [[nodiscard]] std::unique_ptr<FiberStack> take_stack() noexcept { return std::move(stack_); }

 private:
  void begin_switch(FiberContext& to, bool for_good) noexcept;

  ucontext_t context_{};
  std::unique_ptr<FiberStack> stack_;  // null: the OS thread's own
  const void* stack_bottom_ = nullptr;
  std::size_t stack_size_ = 0;
  [[maybe_unused]] void* fake_stack_ = nullptr;  // AddressSanitizer's
  [[maybe_unused]] void* tsan_fiber_ = nullptr;  // ThreadSanitizer's
};

}  // namespace rookery::testing
