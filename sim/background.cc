// SPDX-License-Identifier: Apache-2.0
#include "background.h"

#include <utility>

namespace rookery::sim {

Background::Background(os::Platform& platform, std::function<void(const Error&)> on_error)
    : on_error_(std::move(on_error)),
      executor_(platform, "background", 2),
      journal_("journal",
               [this] {
                 environment_->write_journal();
                 return environment_->has_pending_commits();
               }),
      maintenance_("maintenance", [this] {
        const Result<bool> more = environment_->maintain();
        if (!more.has_value()) {
          on_error_(more.error());
        } else if (*more) {
          return true;
        }
        if (const auto due = environment_->maintenance_due_in(); due.has_value()) {
          executor_.wake_after(maintenance_, *due);
        }
        return false;
      }) {}

store::EnvironmentOptions Background::hooked(store::EnvironmentOptions options) {
  options.on_maintenance_needed = [this] { maintenance_needed(); };
  return options;
}

void Background::start(store::Environment& environment) {
  environment_ = &environment;
  executor_.attach(journal_);
  executor_.attach(maintenance_);
  running_ = true;
  maintenance_needed();
}

void Background::stop() {
  if (!running_.exchange(false)) {
    return;
  }
  executor_.detach(journal_);
  executor_.detach(maintenance_);
}

void Background::journal_needed() {
  if (running_) {
    executor_.wake(journal_);
  }
}

void Background::maintenance_needed() {
  if (running_) {
    executor_.wake(maintenance_);
  }
}

void InFlight::begin(std::uint32_t most) {
  os::MutexLock lock(mutex_);
  while (count_ >= most) {
    changed_.wait(mutex_);
  }
  ++count_;
}

void InFlight::end() {
  os::MutexLock lock(mutex_);
  --count_;
  changed_.notify_all();
}

void InFlight::wait_for_none() {
  os::MutexLock lock(mutex_);
  while (count_ > 0) {
    changed_.wait(mutex_);
  }
}

}  // namespace rookery::sim
