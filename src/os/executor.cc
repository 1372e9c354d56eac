// SPDX-License-Identifier: Apache-2.0
#include "rookery/os/executor.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rookery/base/check.h"

namespace rookery::os {
namespace {

constexpr std::size_t kPriorities = 3;
constexpr std::uint64_t kLowestFirstEvery = 16;

// One attached worker. It is queued at most once, so the queues are bounded by the workers.
struct Entry {
  enum class Phase : std::uint8_t { kIdle, kQueued, kRunning };

  Worker* worker = nullptr;
  // Breaks ties of timers in a way that repeats from run to run, which an address would not.
  std::uint64_t number = 0;
  Phase phase = Phase::kIdle;
  bool woken_while_running = false;
  bool detaching = false;
  std::optional<MonotonicTime> timer;
};

using TimerKey = std::pair<MonotonicTime, std::uint64_t>;

}  // namespace

class Executor::State {
 public:
  State(Platform& platform, std::string name) : platform_(platform), name_(std::move(name)) {}

  void start(std::uint32_t thread_count) {
    RK_CHECK(thread_count > 0);
    for (std::uint32_t i = 0; i < thread_count; ++i) {
      threads_.push_back(platform_.threads.start(name_, [this] { run(); }));
    }
  }

  void stop() {
    {
      const MutexLock lock(mutex_);
      RK_CHECK(entries_.empty());
      stopping_ = true;
      work_.notify_all();
    }
    threads_.clear();  // joins
  }

  void attach(Worker& worker) {
    const MutexLock lock(mutex_);
    auto entry = std::make_unique<Entry>();
    entry->worker = &worker;
    entry->number = next_number_++;
    const bool added = entries_.emplace(&worker, std::move(entry)).second;
    RK_CHECK(added);
  }

  void detach(Worker& worker) {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(&worker);
    RK_CHECK(found != entries_.end());
    Entry& entry = *found->second;
    RK_CHECK(!entry.detaching);
    entry.detaching = true;
    while (entry.phase == Entry::Phase::kRunning) {
      stopped_running_.wait(mutex_);
    }
    drop_timer(entry);
    for (std::deque<Entry*>& queue : queues_) {
      std::erase(queue, &entry);
    }
    entries_.erase(&worker);
  }

  void wake(Worker& worker) {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(&worker);
    if (found == entries_.end() || found->second->detaching) {
      return;
    }
    Entry& entry = *found->second;
    if (entry.phase == Entry::Phase::kRunning) {
      entry.woken_while_running = true;
    } else if (entry.phase == Entry::Phase::kIdle) {
      enqueue(entry);
    }
  }

  void wake_after(Worker& worker, Duration delay) {
    const MonotonicTime now = platform_.clock.monotonic();
    const MonotonicTime due =
        delay < MonotonicTime::max() - now ? now + delay : MonotonicTime::max();
    const MutexLock lock(mutex_);
    const auto found = entries_.find(&worker);
    if (found == entries_.end() || found->second->detaching) {
      return;
    }
    Entry& entry = *found->second;
    if (entry.timer.has_value() && *entry.timer <= due) {
      return;
    }
    drop_timer(entry);
    entry.timer = due;
    timers_.emplace(TimerKey(due, entry.number), &entry);
    work_.notify_one();  // whoever sleeps must sleep shorter
  }

 private:
  void run() {
    const MutexLock lock(mutex_);
    while (!stopping_) {
      const MonotonicTime now = platform_.clock.monotonic();
      fire_timers(now);
      Entry* entry = choose();
      if (entry != nullptr) {
        run_entry(*entry);
      } else if (timers_.empty()) {
        work_.wait(mutex_);
      } else {
        static_cast<void>(work_.wait_for(mutex_, timers_.begin()->first.first - now));
      }
    }
  }

  void run_entry(Entry& entry) RK_REQUIRES(mutex_) {
    entry.phase = Entry::Phase::kRunning;
    entry.woken_while_running = false;
    drop_timer(entry);  // this run is what it was for
    mutex_.unlock();
    platform_.threads.set_current_name(entry.worker->name());
    const bool more = entry.worker->run_once();
    platform_.threads.set_current_name(name_);
    mutex_.lock();
    entry.phase = Entry::Phase::kIdle;
    if (entry.detaching) {
      stopped_running_.notify_all();
    } else if (more || entry.woken_while_running) {
      enqueue(entry);
    }
  }

  void enqueue(Entry& entry) RK_REQUIRES(mutex_) {
    RK_CHECK(entry.phase == Entry::Phase::kIdle);
    entry.phase = Entry::Phase::kQueued;
    queues_[static_cast<std::size_t>(entry.worker->priority())].push_back(&entry);
    work_.notify_one();
  }

  Entry* choose() RK_REQUIRES(mutex_) {
    const bool lowest_first = ++choices_ % kLowestFirstEvery == 0;
    for (std::size_t i = 0; i < kPriorities; ++i) {
      std::deque<Entry*>& queue = queues_[lowest_first ? kPriorities - 1 - i : i];
      if (!queue.empty()) {
        Entry* entry = queue.front();
        queue.pop_front();
        return entry;
      }
    }
    return nullptr;
  }

  void fire_timers(MonotonicTime now) RK_REQUIRES(mutex_) {
    while (!timers_.empty() && timers_.begin()->first.first <= now) {
      Entry& entry = *timers_.begin()->second;
      drop_timer(entry);
      if (entry.phase == Entry::Phase::kRunning) {
        entry.woken_while_running = true;
      } else if (entry.phase == Entry::Phase::kIdle) {
        enqueue(entry);
      }
    }
  }

  void drop_timer(Entry& entry) RK_REQUIRES(mutex_) {
    if (entry.timer.has_value()) {
      timers_.erase(TimerKey(*entry.timer, entry.number));
      entry.timer.reset();
    }
  }

  Platform& platform_;
  const std::string name_;
  std::vector<std::unique_ptr<Thread>> threads_;  // by start() and stop() only

  Mutex mutex_;
  CondVar work_;             // something to choose, a nearer timer, or the end
  CondVar stopped_running_;  // a worker that somebody detaches has returned
  bool stopping_ RK_GUARDED_BY(mutex_) = false;
  std::uint64_t choices_ RK_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_number_ RK_GUARDED_BY(mutex_) = 0;
  std::unordered_map<Worker*, std::unique_ptr<Entry>> entries_ RK_GUARDED_BY(mutex_);
  std::array<std::deque<Entry*>, kPriorities> queues_ RK_GUARDED_BY(mutex_);
  std::map<TimerKey, Entry*> timers_ RK_GUARDED_BY(mutex_);
};

Executor::Executor(Platform& platform, std::string name, std::uint32_t thread_count)
    : state_(std::make_unique<State>(platform, std::move(name))) {
  state_->start(thread_count);
}

Executor::~Executor() {
  state_->stop();
}

void Executor::attach(Worker& worker) {
  state_->attach(worker);
}

void Executor::detach(Worker& worker) {
  state_->detach(worker);
}

void Executor::wake(Worker& worker) {
  state_->wake(worker);
}

void Executor::wake_after(Worker& worker, Duration delay) {
  state_->wake_after(worker, delay);
}

}  // namespace rookery::os
