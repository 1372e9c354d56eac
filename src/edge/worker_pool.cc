// SPDX-License-Identifier: Apache-2.0
#include "rookery/edge/worker_pool.h"

#include <utility>

#include <pthread.h>

namespace rookery::edge {

WorkerPool::WorkerPool(std::string name, std::uint32_t thread_count, std::size_t queue_count_max)
    : queue_count_max_(queue_count_max) {
  for (std::uint32_t i = 0; i < thread_count; ++i) {
    threads_.emplace_back([this] { run(); });
    // The kernel shows fifteen bytes; a failure to name a thread costs only the name.
    static_cast<void>(
        ::pthread_setname_np(threads_.back().native_handle(), name.substr(0, 15).c_str()));
  }
}

WorkerPool::~WorkerPool() {
  stop();
}

bool WorkerPool::submit(std::function<void()> task) {
  {
    const os::MutexLock lock(mutex_);
    if (stopping_ || queue_.size() >= queue_count_max_) {
      return false;
    }
    queue_.push_back(std::move(task));
  }
  changed_.notify_one();
  return true;
}

void WorkerPool::stop() {
  {
    const os::MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) {
      thread.join();
    }
  }
}

void WorkerPool::run() {
  for (;;) {
    std::function<void()> task;
    {
      const os::MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) {
        changed_.wait(mutex_);
      }
      if (queue_.empty()) {
        return;
      }
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }
}

}  // namespace rookery::edge
