// SPDX-License-Identifier: Apache-2.0
#include "rookery/os/platform.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <pthread.h>

#include "rookery/os/executor.h"

namespace rookery::os {
namespace {

using std::chrono::milliseconds;

std::string current_thread_name() {
  std::array<char, 16> name{};
  EXPECT_EQ(pthread_getname_np(pthread_self(), name.data(), name.size()), 0);
  return name.data();
}

TEST(Platform, StartsNamedThreadsAndJoinsThem) {
  std::string name;
  real_platform().threads.start("rk.a_long_thread_name", [&] { name = current_thread_name(); });
  EXPECT_EQ(name, "rk.a_long_threa");  // the kernel keeps 15 bytes
}

TEST(Platform, DrawsDifferentBytes) {
  std::array<std::byte, 300> first{};
  std::array<std::byte, 300> second{};
  real_platform().random.fill(first);
  real_platform().random.fill(second);
  EXPECT_NE(first, second);
}

TEST(Platform, ClocksMoveForward) {
  Clock& clock = real_platform().clock;
  const MonotonicTime before = clock.monotonic();
  clock.sleep_for(milliseconds(2));
  EXPECT_GE(clock.monotonic() - before, milliseconds(2));
  EXPECT_GT(clock.wall().time_since_epoch(), std::chrono::hours(24 * 365 * 50));
  clock.sleep_for(Duration(-1));
}

TEST(CondVar, WaitsAndTimesOut) {
  Mutex mutex;
  CondVar changed;
  bool ready = false;
  auto setter = real_platform().threads.start("setter", [&] {
    const MutexLock lock(mutex);
    ready = true;
    changed.notify_all();
  });
  {
    const MutexLock lock(mutex);
    while (!ready) {
      changed.wait(mutex);
    }
    while (changed.wait_for(mutex, milliseconds(1))) {
    }
  }
  const bool free_again = mutex.try_lock();
  EXPECT_TRUE(free_again);
  if (free_again) {
    mutex.unlock();
  }
}

TEST(Event, IsALatch) {
  Event event;
  EXPECT_FALSE(event.wait_for(milliseconds(1)));
  auto setter = real_platform().threads.start("setter", [&] { event.set(); });
  event.wait();
  EXPECT_TRUE(event.wait_for(milliseconds(1)));
  event.reset();
  EXPECT_FALSE(event.is_set());
}

// Records who ran, in order; the first blocks until it is let go.
struct Log {
  Mutex mutex;
  std::vector<std::string> order RK_GUARDED_BY(mutex);
  Event blocked;
  Event go;
  Event last;
};

class LoggingWorker final : public Worker {
 public:
  LoggingWorker(Log& log, std::string name, Priority priority)
      : log_(log), name_(std::move(name)), priority_(priority) {}

  std::string_view name() const noexcept override { return name_; }

  Priority priority() const noexcept override { return priority_; }

  bool run_once() override {
    EXPECT_EQ(current_thread_name(), name_);
    if (name_ == "first") {
      log_.blocked.set();
      log_.go.wait();
    }
    const MutexLock lock(log_.mutex);
    log_.order.push_back(name_);
    if (name_ == "low") {
      log_.last.set();
    }
    return false;
  }

 private:
  Log& log_;
  const std::string name_;
  const Priority priority_;
};

TEST(Executor, PrefersHigherPriorities) {
  Log log;
  Executor executor(real_platform(), "rk.pool", 1);
  LoggingWorker first(log, "first", Priority::kNormal);
  LoggingWorker low(log, "low", Priority::kLow);
  LoggingWorker normal(log, "normal", Priority::kNormal);
  LoggingWorker high(log, "high", Priority::kHigh);
  const std::array<LoggingWorker*, 4> all{&first, &low, &normal, &high};
  for (LoggingWorker* worker : all) {
    executor.attach(*worker);
  }
  executor.wake(first);
  log.blocked.wait();
  executor.wake(low);
  executor.wake(normal);
  executor.wake(high);
  log.go.set();
  log.last.wait();
  for (LoggingWorker* worker : all) {
    executor.detach(*worker);
  }
  const MutexLock lock(log.mutex);
  EXPECT_EQ(log.order, (std::vector<std::string>{"first", "high", "normal", "low"}));
}

class Greedy final : public Worker {
 public:
  std::string_view name() const noexcept override { return "greedy"; }

  Priority priority() const noexcept override { return Priority::kHigh; }

  bool run_once() override { return true; }
};

class Modest final : public Worker {
 public:
  std::string_view name() const noexcept override { return "modest"; }

  Priority priority() const noexcept override { return Priority::kLow; }

  bool run_once() override {
    ran.set();
    return false;
  }

  Event ran;
};

TEST(Executor, StarvesNobody) {
  Executor executor(real_platform(), "rk.pool", 1);
  Greedy greedy;
  Modest modest;
  executor.attach(greedy);
  executor.attach(modest);
  executor.wake(greedy);
  executor.wake(modest);
  modest.ran.wait();
  executor.detach(greedy);  // while it runs
  executor.detach(modest);
}

// Counts runs; says if two ever overlapped.
class Counter final : public Worker {
 public:
  std::string_view name() const noexcept override { return "rk.counter"; }

  bool run_once() override {
    EXPECT_FALSE(running_.exchange(true));
    const int offered = offered_.load();
    running_.store(false);
    const MutexLock lock(mutex_);
    seen_ = offered;
    changed_.notify_all();
    return false;
  }

  void offer(int value) { offered_.store(value); }

  void wait_until_seen(int value) {
    const MutexLock lock(mutex_);
    while (seen_ < value) {
      changed_.wait(mutex_);
    }
  }

 private:
  std::atomic<bool> running_{false};
  std::atomic<int> offered_{0};
  Mutex mutex_;
  CondVar changed_;
  int seen_ RK_GUARDED_BY(mutex_) = 0;
};

TEST(Executor, LosesNoWakeBetweenRealThreads) {
  Executor executor(real_platform(), "rk.pool", 3);
  Counter counter;
  executor.attach(counter);
  for (int i = 1; i <= 2000; ++i) {
    counter.offer(i);
    executor.wake(counter);
    if (i % 7 == 0) {
      counter.wait_until_seen(i);
    }
  }
  counter.wait_until_seen(2000);
  counter.offer(2001);
  executor.wake_after(counter, milliseconds(1));
  counter.wait_until_seen(2001);
  executor.wake_after(counter, std::chrono::hours(1));  // left behind
  executor.detach(counter);
}

}  // namespace
}  // namespace rookery::os
