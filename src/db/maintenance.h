// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "rookery/db/database.h"
#include "rookery/os/executor.h"
#include "rookery/os/sync.h"
#include "rookery/store/environment.h"

// Purpose. Flush and sync of one environment, as one worker of the background executor.
// Threads: any.

namespace rookery::db {

class MaintenanceWorker final : public os::Worker {
 public:
  // All arguments outlive the worker.
  MaintenanceWorker(os::Executor& executor, std::string_view database, const LogSink& log);
  // Requires: stopped.
  ~MaintenanceWorker() override;

  // What to give to EnvironmentOptions::on_maintenance_needed; may be called before start().
  void wake() { executor_.wake(*this); }

  // Something was committed: sees to it that it is synced in time, if nothing does yet. Cheap.
  void note_commit();

  // `environment` outlives the call of stop().
  void start(store::Environment& environment);
  // Returns once no step is running; none will run again. Idempotent.
  void stop();

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }

  [[nodiscard]] os::Priority priority() const noexcept override { return os::Priority::kLow; }

  bool run_once() override;

 private:
  os::Executor& executor_;
  const std::string name_;
  const LogSink& log_;
  bool attached_ = false;                      // the owner's thread only
  store::Environment* environment_ = nullptr;  // set while detached
  std::string last_failure_;                   // run_once() only
  // A run or a timer is coming that will look at whatever was committed until now.
  std::atomic<bool> armed_ = false;
};

}  // namespace rookery::db
