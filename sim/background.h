// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "rookery/os/executor.h"
#include "rookery/os/sync.h"
#include "rookery/store/environment.h"

// Purpose. What a database does beside its writers: the journal's role and the maintenance of one
// environment, each a worker of a small executor.
// Threads: everything is for several threads, but start() and stop().

namespace rookery::sim {

class Background {
 public:
  // `on_error` hears what maintain() could not do; it may be called from any thread.
  Background(os::Platform& platform, std::function<void(const Error&)> on_error);

  ~Background() { stop(); }

  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // The options, with their hook leading here. Call before opening.
  [[nodiscard]] store::EnvironmentOptions hooked(store::EnvironmentOptions options);
  void start(store::Environment& environment);
  // Returns when nothing of it runs any more. Idempotent.
  void stop();

  void journal_needed();
  void maintenance_needed();

 private:
  class Role : public os::Worker {
   public:
    Role(std::string_view name, std::function<bool()> step) : name_(name), step_(std::move(step)) {}

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }

    bool run_once() override { return step_(); }

   private:
    std::string_view name_;
    std::function<bool()> step_;
  };

  std::function<void(const Error&)> on_error_;
  os::Executor executor_;
  store::Environment* environment_ = nullptr;  // set before the roles are attached
  std::atomic<bool> running_{false};
  Role journal_;
  Role maintenance_;
};

// Purpose. Counts commits in flight, so that a writer waits when there are enough of them.
class InFlight {
 public:
  void begin(std::uint32_t most);
  void end();
  void wait_for_none();

 private:
  os::Mutex mutex_;
  os::CondVar changed_;
  std::uint32_t count_ RK_GUARDED_BY(mutex_) = 0;
};

}  // namespace rookery::sim
