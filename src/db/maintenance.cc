// SPDX-License-Identifier: Apache-2.0
#include "maintenance.h"

#include <optional>
#include <utility>

#include "rookery/base/check.h"

namespace rookery::db {

MaintenanceWorker::MaintenanceWorker(os::Executor& executor, std::string_view database,
                                     const LogSink& log)
    : executor_(executor), name_("rk.mnt." + std::string(database)), log_(log) {}

MaintenanceWorker::~MaintenanceWorker() {
  RK_CHECK(!attached_);
}

void MaintenanceWorker::start(store::Environment& environment) {
  RK_CHECK(!attached_);
  environment_ = &environment;
  executor_.attach(*this);
  attached_ = true;
  executor_.wake(*this);  // what was asked for before there was an environment
}

void MaintenanceWorker::stop() {
  if (attached_) {
    executor_.detach(*this);
    attached_ = false;
  }
}

void MaintenanceWorker::note_commit() {
  if (!armed_.exchange(true)) {
    executor_.wake(*this);
  }
}

bool MaintenanceWorker::run_once() {
  armed_.store(false);  // before looking: a commit from here on wakes it again
  const Result<bool> more = environment_->maintain();
  std::string failure = more.has_value() ? std::string() : more.error().to_string();
  if (!failure.empty() && failure != last_failure_ && log_ != nullptr) {
    log_(LogLevel::kError, name_ + ": " + failure);
  }
  last_failure_ = std::move(failure);
  if (more.has_value() && *more) {
    return true;
  }
  if (const std::optional<os::Duration> due = environment_->maintenance_due_in(); due.has_value()) {
    armed_.store(true);
    executor_.wake_after(*this, *due);
  }
  return false;
}

}  // namespace rookery::db
