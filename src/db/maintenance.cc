// SPDX-License-Identifier: Apache-2.0
#include "maintenance.h"

#include <chrono>

#include "rookery/base/check.h"

namespace rookery::db {

namespace {

// After a failed step, and while there is something unsynced that a later step will want to sync.
constexpr os::Duration kRetryDelay = std::chrono::seconds(1);

}  // namespace

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

bool MaintenanceWorker::run_once() {
  const Result<bool> more = environment_->maintain();
  if (!more) {
    std::string failure = more.error().to_string();
    if (log_ != nullptr && failure != last_failure_) {
      log_(LogLevel::kError, name_ + ": " + failure);
    }
    last_failure_ = std::move(failure);
    executor_.wake_after(*this, kRetryDelay);
    return false;
  }
  last_failure_.clear();
  if (!*more && environment_->stats().unsynced_pages > 0) {
    executor_.wake_after(*this, kRetryDelay);
  }
  return *more;
}

}  // namespace rookery::db
