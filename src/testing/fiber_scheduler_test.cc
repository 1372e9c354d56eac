// SPDX-License-Identifier: Apache-2.0
#include "rookery/testing/fiber_scheduler.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/base/test_seed.h"
#include "rookery/os/executor.h"
#include "rookery/os/sync.h"
#include "rookery/testing/sim_platform.h"

namespace rookery::testing {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(FiberScheduler, RunsThreadsUntilAllHaveEnded) {
  std::string order;
  const SimulationReport report = run_simulation(test_seed(), [&](SimPlatform& machine) {
    auto a = machine.platform().threads.start("a", [&] { order += "a"; });
    auto b = machine.platform().threads.start("b", [&] { order += "b"; });
    a->join();
    b->join();
    order += "m";
  });
  EXPECT_TRUE(report.finished()) << report.text;
  EXPECT_EQ(order.size(), 3U);
  EXPECT_EQ(order.back(), 'm');
}

// Three threads that take turns under one mutex, with sleeps and files between.
SimulationReport busy_run(std::uint64_t seed, std::string* order) {
  SimPlatform machine(seed, {.scheduler = {.trace_steps_max = 100'000}});
  return machine.run([&] {
    os::Platform& platform = machine.platform();
    os::Mutex mutex;
    std::vector<std::unique_ptr<os::Thread>> threads;
    for (int i = 0; i < 3; ++i) {
      threads.push_back(platform.threads.start("t" + std::to_string(i), [&, i] {
        auto file =
            platform.files.open("/f" + std::to_string(i), {.creation = os::Creation::kCreateNew})
                .value();
        for (int round = 0; round < 10; ++round) {
          const os::MutexLock lock(mutex);
          order->push_back(static_cast<char>('0' + i));
          ASSERT_TRUE(file->write_at(0, as_bytes(std::string(3000, 'x'))).has_value());
          platform.clock.sleep_for(milliseconds(i));
        }
      }));
    }
  });
}

TEST(FiberScheduler, RepeatsARunFromItsSeed) {
  std::string first_order;
  std::string second_order;
  const SimulationReport first = busy_run(test_seed(), &first_order);
  const SimulationReport second = busy_run(test_seed(), &second_order);
  ASSERT_TRUE(first.finished()) << first.text;
  EXPECT_EQ(first_order, second_order);
  EXPECT_EQ(first.trace, second.trace);
  EXPECT_EQ(first.trace_hash, second.trace_hash);
  EXPECT_EQ(first.elapsed, second.elapsed);
  std::vector<std::string> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    busy_run(seed, &orders.emplace_back());
  }
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  EXPECT_GT(orders.size(), 15U);
}

TEST(FiberScheduler, NamesWhoIsInADeadlock) {
  int deadlocks = 0;
  // The classic: two threads, two mutexes, two orders. Some schedules escape, so many are tried.
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    VirtualClock clock;
    FiberScheduler scheduler(clock, {.seed = seed, .switch_one_in = 2});
    // Outside the fibers, whose stacks a deadlock abandons.
    std::vector<std::unique_ptr<os::Thread>> threads;
    auto one = std::make_unique<os::Mutex>();
    auto two = std::make_unique<os::Mutex>();
    const auto lock_both = [](os::Mutex& a, os::Mutex& b) {
      const os::MutexLock outer(a);
      const os::MutexLock inner(b);
    };
    const SimulationReport report = scheduler.run([&] {
      threads.push_back(scheduler.start("ada", [&] { lock_both(*one, *two); }));
      threads.push_back(scheduler.start("bob", [&] { lock_both(*two, *one); }));
      threads[0]->join();
    });
    if (report.finished()) {
      continue;
    }
    ++deadlocks;
    EXPECT_EQ(report.outcome, SimulationReport::Outcome::kDeadlock);
    EXPECT_THAT(report.text, HasSubstr("'ada' waits for mutex held by 'bob'"));
    EXPECT_THAT(report.text, HasSubstr("'bob' waits for mutex held by 'ada'"));
    EXPECT_THAT(report.text, HasSubstr("'main' waits for the end of 'ada'"));
  }
  EXPECT_GT(deadlocks, 5);
  EXPECT_LT(deadlocks, 200);
}

TEST(FiberScheduler, ReportsALoopThatNeverEnds) {
  VirtualClock clock;
  FiberScheduler scheduler(clock, {.steps_max = 1000});
  const SimulationReport report = scheduler.run([&] {
    while (true) {
      static_cast<void>(clock.monotonic());
    }
  });
  EXPECT_EQ(report.outcome, SimulationReport::Outcome::kStepLimit);
  EXPECT_THAT(report.text, HasSubstr("no end after 1000 steps"));
  EXPECT_TRUE(scheduler.run([] {}).finished());  // usable again
}

TEST(FiberScheduler, LetsTimePassOnlyWhenAllSleep) {
  const SimulationReport report = run_simulation(test_seed(), [](SimPlatform& machine) {
    os::Clock& clock = machine.platform().clock;
    const os::MonotonicTime began = clock.monotonic();
    std::vector<int> woken;
    auto late = machine.platform().threads.start("late", [&] {
      clock.sleep_for(hours(48));
      woken.push_back(2);
    });
    auto early = machine.platform().threads.start("early", [&] {
      clock.sleep_for(hours(1));
      woken.push_back(1);
    });
    early->join();
    EXPECT_GE(clock.monotonic() - began, hours(1));
    EXPECT_LT(clock.monotonic() - began, hours(1) + seconds(1));
    late->join();
    EXPECT_EQ(woken, (std::vector<int>{1, 2}));
  });
  EXPECT_TRUE(report.finished()) << report.text;
  EXPECT_GE(report.elapsed, hours(48));
}

// A queue of one slot between two threads: loses its way if a notify falls between look and wait.
TEST(FiberScheduler, ConditionsLoseNoWake) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const SimulationReport report = run_simulation(seed, [](SimPlatform& machine) {
      os::Mutex mutex;
      os::CondVar changed;
      bool full = false;
      int taken = 0;
      auto producer = machine.platform().threads.start("producer", [&] {
        for (int i = 0; i < 20; ++i) {
          const os::MutexLock lock(mutex);
          while (full) {
            changed.wait(mutex);
          }
          full = true;
          changed.notify_one();
        }
      });
      while (taken < 20) {
        const os::MutexLock lock(mutex);
        while (!full) {
          changed.wait(mutex);
        }
        full = false;
        ++taken;
        changed.notify_one();
      }
    });
    ASSERT_TRUE(report.finished()) << report.text;
  }
}

// The same with the look outside the lock: the scheduler must find the lost wake.
TEST(FiberScheduler, FindsALostWake) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto mutex = std::make_unique<os::Mutex>();
    auto changed = std::make_unique<os::CondVar>();
    auto ready = std::make_unique<bool>(false);
    VirtualClock clock;
    FiberScheduler scheduler(clock, {.seed = seed});
    std::unique_ptr<os::Thread> setter;  // outside: a deadlock abandons the fibers' stacks
    const SimulationReport report = scheduler.run([&] {
      setter = scheduler.start("setter", [&] {
        const os::MutexLock lock(*mutex);
        *ready = true;
        changed->notify_all();
      });
      if (!*ready) {  // the bug
        const os::MutexLock lock(*mutex);
        changed->wait(*mutex);
      }
    });
    found += report.outcome == SimulationReport::Outcome::kDeadlock ? 1 : 0;
  }
  EXPECT_GT(found, 10);
}

TEST(FiberScheduler, WaitForTimesOutInVirtualTime) {
  const SimulationReport report = run_simulation(test_seed(), [](SimPlatform& machine) {
    os::Event event;
    EXPECT_FALSE(event.wait_for(seconds(30)));
    auto setter = machine.platform().threads.start("setter", [&] {
      machine.platform().clock.sleep_for(seconds(5));
      event.set();
    });
    EXPECT_TRUE(event.wait_for(seconds(30)));
    EXPECT_TRUE(event.is_set());
    event.reset();
    EXPECT_FALSE(event.wait_for(os::Duration::zero()));
  });
  EXPECT_TRUE(report.finished()) << report.text;
  EXPECT_GE(report.elapsed, seconds(35));
  EXPECT_LT(report.elapsed, seconds(36));
}

TEST(FiberScheduler, TakesThousandsOfThreads) {
  int ran = 0;
  const SimulationReport report = run_simulation(test_seed(), [&](SimPlatform& machine) {
    for (int i = 0; i < 3000; ++i) {
      machine.platform().threads.start("short", [&ran] { ++ran; })->join();
    }
  });
  EXPECT_TRUE(report.finished());
  EXPECT_EQ(ran, 3000);
}

class Ticker final : public os::Worker {
 public:
  explicit Ticker(os::Executor& executor, os::Clock& clock) : executor_(executor), clock_(clock) {}

  std::string_view name() const noexcept override { return "rk.ticker"; }

  bool run_once() override {
    EXPECT_FALSE(running_);
    running_ = true;
    clock_.sleep_for(milliseconds(1));  // so that others look meanwhile
    running_ = false;
    if (++runs_ < 50) {
      executor_.wake_after(*this, seconds(60));
    } else {
      done_.set();
    }
    return false;
  }

  os::Event& done() { return done_; }

  int runs() const { return runs_; }

 private:
  os::Executor& executor_;
  os::Clock& clock_;
  bool running_ = false;
  int runs_ = 0;
  os::Event done_;
};

TEST(Executor, RunsTimersInSimulation) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SimulationReport report = run_simulation(seed, [](SimPlatform& machine) {
      os::Executor executor(machine.platform(), "rk.pool", 3);
      Ticker ticker(executor, machine.platform().clock);
      executor.attach(ticker);
      executor.wake(ticker);
      ticker.done().wait();
      executor.detach(ticker);
      EXPECT_EQ(ticker.runs(), 50);
    });
    ASSERT_TRUE(report.finished()) << report.text;
    EXPECT_GE(report.elapsed, seconds(60) * 49);
    EXPECT_LT(report.elapsed, seconds(60) * 50);
  }
}

// Wakes that race with runs: each must be followed by a run that began after it.
class Consumer final : public os::Worker {
 public:
  std::string_view name() const noexcept override { return "rk.consumer"; }

  bool run_once() override {
    const os::MutexLock lock(mutex_);
    seen_ = offered_;
    changed_.notify_all();
    return false;
  }

  void offer(os::Executor& executor, int value) {
    {
      const os::MutexLock lock(mutex_);
      offered_ = value;
    }
    executor.wake(*this);
  }

  void wait_until_seen(int value) {
    const os::MutexLock lock(mutex_);
    while (seen_ < value) {
      changed_.wait(mutex_);
    }
  }

 private:
  os::Mutex mutex_;
  os::CondVar changed_;
  int offered_ RK_GUARDED_BY(mutex_) = 0;
  int seen_ RK_GUARDED_BY(mutex_) = 0;
};

TEST(Executor, LosesNoWakeUnderAnySchedule) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const SimulationReport report = run_simulation(seed, [](SimPlatform& machine) {
      os::Executor executor(machine.platform(), "rk.pool", 2);
      Consumer consumer;
      executor.attach(consumer);
      for (int i = 1; i <= 30; ++i) {
        consumer.offer(executor, i);
        if (i % 3 == 0) {
          consumer.wait_until_seen(i);
        }
      }
      consumer.wait_until_seen(30);
      consumer.offer(executor, 31);  // races with detach
      executor.detach(consumer);
      executor.wake(consumer);  // too late: left alone
    });
    ASSERT_TRUE(report.finished()) << report.text;
  }
}

TEST(VirtualClock, KeepsWallTimeApart) {
  VirtualClock clock;
  const os::WallTime wall = clock.wall();
  const os::MonotonicTime monotonic = clock.monotonic();
  clock.sleep_for(seconds(10));
  EXPECT_EQ(clock.wall() - wall, seconds(10));
  clock.jump_wall(-hours(24));
  EXPECT_EQ(clock.wall() - wall, seconds(10) - hours(24));
  EXPECT_EQ(clock.monotonic() - monotonic, seconds(10));
  clock.stop_wall();
  clock.advance(seconds(5));
  EXPECT_EQ(clock.wall() - wall, seconds(10) - hours(24));
  EXPECT_EQ(clock.monotonic() - monotonic, seconds(15));
  clock.resume_wall();
  clock.advance(seconds(1));
  EXPECT_EQ(clock.wall() - wall, seconds(11) - hours(24));
}

// The analysis of clang would see it at once.
void lock_twice() RK_NO_THREAD_SAFETY_ANALYSIS {
  os::Mutex mutex;
  mutex.lock();
  mutex.lock();
}

TEST(MutexDeathTest, LockingTwiceFromOneFiberIsCaught) {
  EXPECT_DEATH(run_simulation(1, [](SimPlatform&) { lock_twice(); }), "check failed");
}

}  // namespace
}  // namespace rookery::testing
