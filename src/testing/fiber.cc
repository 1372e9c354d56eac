// SPDX-License-Identifier: Apache-2.0
#include "fiber.h"

#include <cstdlib>

#include <sys/mman.h>

#include "rookery/base/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define RK_ASAN_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RK_ASAN_FIBERS 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define RK_TSAN_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RK_TSAN_FIBERS 1
#endif
#endif

#if defined(RK_ASAN_FIBERS)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(RK_TSAN_FIBERS)
#include <sanitizer/tsan_interface.h>
#endif

namespace rookery::testing {
namespace {

constexpr std::size_t kGuard = 4096;
// Address space; only what is touched costs memory. Sanitized frames are several times larger.
#if defined(RK_ASAN_FIBERS) || defined(RK_TSAN_FIBERS)
constexpr std::size_t kStackSize = 2 * 1024 * 1024;
#else
constexpr std::size_t kStackSize = 512 * 1024;
#endif

}  // namespace

FiberStack::FiberStack() {
  void* base = mmap(nullptr, kGuard + kStackSize, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  RK_CHECK(base != MAP_FAILED);
  RK_CHECK(mprotect(base, kGuard, PROT_NONE) == 0);
  base_ = static_cast<std::byte*>(base);
}

FiberStack::~FiberStack() {
#if defined(RK_ASAN_FIBERS)
  __asan_unpoison_memory_region(bottom(), size());  // for whoever maps these addresses next
#endif
  RK_CHECK(munmap(base_, kGuard + kStackSize) == 0);
}

std::byte* FiberStack::bottom() const noexcept {
  return base_ + kGuard;
}

std::size_t FiberStack::size() const noexcept {
  return kStackSize;
}

FiberContext::FiberContext() {
#if defined(RK_TSAN_FIBERS)
  tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

FiberContext::FiberContext(std::unique_ptr<FiberStack> stack, void (*entry)())
    : stack_(std::move(stack)), stack_bottom_(stack_->bottom()), stack_size_(stack_->size()) {
#if defined(RK_ASAN_FIBERS)
  // The frames of the fiber before were left, not returned from: their red zones are still marked.
  __asan_unpoison_memory_region(stack_->bottom(), stack_->size());
#endif
  RK_CHECK(getcontext(&context_) == 0);
  context_.uc_stack.ss_sp = stack_->bottom();
  context_.uc_stack.ss_size = stack_->size();
  context_.uc_link = nullptr;
  makecontext(&context_, entry, 0);
#if defined(RK_TSAN_FIBERS)
  tsan_fiber_ = __tsan_create_fiber(0);
#endif
}

FiberContext::~FiberContext() {
#if defined(RK_TSAN_FIBERS)
  if (stack_size_ != 0 && tsan_fiber_ != nullptr && tsan_fiber_ != __tsan_get_current_fiber()) {
    __tsan_destroy_fiber(tsan_fiber_);
  }
#endif
}

// Inlined: ThreadSanitizer notes calls and returns on the stack of the fiber that it believes to
// run, so no function may be entered under one and left under the other.
[[gnu::always_inline]] inline void FiberContext::begin_switch(FiberContext& to,
                                                              bool for_good) noexcept {
#if defined(RK_ASAN_FIBERS)
  // Null tells it to free the fake frames of a context that never runs again.
  __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack_, to.stack_bottom_,
                                 to.stack_size_);
#endif
#if defined(RK_TSAN_FIBERS)
  __tsan_switch_to_fiber(to.tsan_fiber_, 0);
#endif
  static_cast<void>(to);
  static_cast<void>(for_good);
}

void FiberContext::switch_to(FiberContext& to) noexcept {
  RK_CHECK(this != &to);
  begin_switch(to, false);
  RK_CHECK(swapcontext(&context_, &to.context_) == 0);
#if defined(RK_ASAN_FIBERS)
  __sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr);
#endif
}

void FiberContext::leave_for_good(FiberContext& to) noexcept {
  begin_switch(to, true);
  setcontext(&to.context_);
  std::abort();  // setcontext returns only on an invalid context
}

void FiberContext::entered(FiberContext& from) noexcept {
#if defined(RK_ASAN_FIBERS)
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  if (from.stack_ == nullptr) {  // only now is the extent of the thread's own stack known
    from.stack_bottom_ = bottom;
    from.stack_size_ = size;
  }
#endif
  static_cast<void>(from);
}

}  // namespace rookery::testing
