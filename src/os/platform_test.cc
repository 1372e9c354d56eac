// SPDX-License-Identifier: Apache-2.0
#include "rookery/os/platform.h"

#include <gtest/gtest.h>

#include "rookery/os/executor.h"

namespace rookery::os {
namespace {

class Counter final : public Worker {
 public:
  std::string_view name() const noexcept override { return "rk.counter"; }

  bool run_once() override {
    const MutexLock lock(mutex_);
    ++runs_;
    changed_.notify_all();
    return false;
  }

  void wait_for(int runs) {
    const MutexLock lock(mutex_);
    while (runs_ < runs) {
      changed_.wait(mutex_);
    }
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int runs_ RK_GUARDED_BY(mutex_) = 0;
};

TEST(Executor, RunsAWokenWorker) {
  Executor executor(real_platform(), "rk.test", 2);
  Counter counter;
  executor.attach(counter);
  for (int i = 1; i <= 100; ++i) {
    executor.wake(counter);
    counter.wait_for(i);
  }
  executor.wake_after(counter, std::chrono::milliseconds(1));
  counter.wait_for(101);
  executor.detach(counter);
}

}  // namespace
}  // namespace rookery::os
