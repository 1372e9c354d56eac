// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "rookery/os/sync.h"

// Purpose. Threads for the part of a request that would hold an io thread up: opening a database,
// parsing a big body, reading many documents.

namespace rookery::edge {

// Threads: submit() by any; the owner makes and destroys it.
class WorkerPool {
 public:
  WorkerPool(std::string name, std::uint32_t thread_count, std::size_t queue_count_max);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  // Runs what is queued, then joins.
  ~WorkerPool();

  // False when the queue is full or the pool is stopping; `task` is then not run.
  // `task` must not throw.
  [[nodiscard]] bool submit(std::function<void()> task);
  // No more tasks; returns when those queued have run.
  void stop();

 private:
  void run();

  const std::size_t queue_count_max_;
  os::Mutex mutex_;
  os::CondVar changed_;
  std::deque<std::function<void()>> queue_ RK_GUARDED_BY(mutex_);
  bool stopping_ RK_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace rookery::edge
