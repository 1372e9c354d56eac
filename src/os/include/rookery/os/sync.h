// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "rookery/os/thread_annotations.h"
#include "rookery/os/time.h"

// Purpose. Mutexes, condition variables and events that block plainly in production and hand the
// processor to the seeded scheduler in simulation, where each thread is a fiber of one OS thread.
// Threads: all of it is for several threads.
// An object serves either OS threads or the fibers of one simulation at a time; it may change sides
// only while nobody holds or awaits it.
// Requires: a mutex is unlocked by whoever locked it, and is not locked twice (simulation checks).
// Source: DESIGN "Plain blocking code".

namespace rookery::os {

class RK_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() RK_ACQUIRE();
  void unlock() RK_RELEASE();
  [[nodiscard]] bool try_lock() RK_TRY_ACQUIRE(true);

 private:
  void unlock_for_wait();

  friend class CondVar;
  std::mutex mutex_;
  const void* fiber_owner_ = nullptr;  // simulation only
};

class RK_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) RK_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }

  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  ~MutexLock() RK_RELEASE() { mutex_.unlock(); }

 private:
  Mutex& mutex_;
};

class CondVar {
 public:
  CondVar() = default;
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  // May wake without cause: callers loop on their condition.
  void wait(Mutex& mutex) RK_REQUIRES(mutex);
  // False if `timeout` passed.
  bool wait_for(Mutex& mutex, Duration timeout) RK_REQUIRES(mutex);
  void notify_one() noexcept;
  void notify_all() noexcept;

 private:
  std::condition_variable condition_;
};

// Purpose. A latch that is set once or reset, for "something happened, look".
class Event {
 public:
  void set();
  void reset();
  [[nodiscard]] bool is_set() const;
  void wait();
  // False if `timeout` passed.
  bool wait_for(Duration timeout);

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  bool set_ RK_GUARDED_BY(mutex_) = false;
};

}  // namespace rookery::os
