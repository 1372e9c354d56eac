// SPDX-License-Identifier: Apache-2.0
#include "rookery/os/sync.h"

#include "rookery/base/check.h"
#include "rookery/os/scheduler_hook.h"

namespace rookery::os {

void Mutex::lock() RK_NO_THREAD_SAFETY_ANALYSIS {
  SchedulerHook* hook = SchedulerHook::current();
  if (hook == nullptr) [[likely]] {
    mutex_.lock();
    return;
  }
  hook->yield("lock");
  RK_CHECK(fiber_owner_ != hook->self());
  while (fiber_owner_ != nullptr) {
    hook->wait_on({.address = this, .what = "mutex", .holder = fiber_owner_}, kNoTimeout);
  }
  fiber_owner_ = hook->self();
}

void Mutex::unlock() RK_NO_THREAD_SAFETY_ANALYSIS {
  SchedulerHook* hook = SchedulerHook::current();
  if (hook == nullptr) [[likely]] {
    mutex_.unlock();
    return;
  }
  RK_CHECK(fiber_owner_ == hook->self());
  fiber_owner_ = nullptr;
  hook->wake_one(this);
  hook->yield("unlock");
}

bool Mutex::try_lock() RK_NO_THREAD_SAFETY_ANALYSIS {
  SchedulerHook* hook = SchedulerHook::current();
  if (hook == nullptr) [[likely]] {
    return mutex_.try_lock();
  }
  hook->yield("try_lock");
  if (fiber_owner_ != nullptr) {
    return false;
  }
  fiber_owner_ = hook->self();
  return true;
}

// No scheduling point between giving the mutex up and waiting: that is the promise of a condition.
void Mutex::unlock_for_wait() RK_NO_THREAD_SAFETY_ANALYSIS {
  SchedulerHook* hook = SchedulerHook::current();
  RK_CHECK(fiber_owner_ == hook->self());
  fiber_owner_ = nullptr;
  hook->wake_one(this);
}

void CondVar::wait(Mutex& mutex) RK_NO_THREAD_SAFETY_ANALYSIS {
  SchedulerHook* hook = SchedulerHook::current();
  if (hook == nullptr) [[likely]] {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
    return;
  }
  mutex.unlock_for_wait();
  hook->wait_on({.address = this, .what = "condition"}, kNoTimeout);
  mutex.lock();
}

bool CondVar::wait_for(Mutex& mutex, Duration timeout) RK_NO_THREAD_SAFETY_ANALYSIS {
  SchedulerHook* hook = SchedulerHook::current();
  if (hook == nullptr) [[likely]] {
    // A longer wait would overflow the deadline inside the library; callers loop anyway.
    constexpr Duration kLongest = std::chrono::hours(24 * 365);
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const std::cv_status status =
        condition_.wait_for(lock, timeout < kLongest ? timeout : kLongest);
    lock.release();
    return status == std::cv_status::no_timeout;
  }
  mutex.unlock_for_wait();
  const bool woken = hook->wait_on({.address = this, .what = "condition"}, timeout);
  mutex.lock();
  return woken;
}

void CondVar::notify_one() noexcept {
  SchedulerHook* hook = SchedulerHook::current();
  if (hook == nullptr) [[likely]] {
    condition_.notify_one();
    return;
  }
  hook->wake_one(this);
}

void CondVar::notify_all() noexcept {
  SchedulerHook* hook = SchedulerHook::current();
  if (hook == nullptr) [[likely]] {
    condition_.notify_all();
    return;
  }
  hook->wake_all(this);
}

void Event::set() {
  const MutexLock lock(mutex_);
  set_ = true;
  changed_.notify_all();
}

void Event::reset() {
  const MutexLock lock(mutex_);
  set_ = false;
}

bool Event::is_set() const {
  const MutexLock lock(mutex_);
  return set_;
}

void Event::wait() {
  const MutexLock lock(mutex_);
  while (!set_) {
    changed_.wait(mutex_);
  }
}

bool Event::wait_for(Duration timeout) {
  const MutexLock lock(mutex_);
  // One wait is not enough (a wake without cause), and no clock is at hand here to measure what is
  // left: a spurious wake starts the timeout anew, which only makes the wait longer.
  while (!set_) {
    if (!changed_.wait_for(mutex_, timeout)) {
      return set_;
    }
  }
  return true;
}

}  // namespace rookery::os
