// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/db/database.h"
#include "rookery/os/executor.h"
#include "rookery/os/sync.h"
#include "rookery/store/environment.h"

#include "merger.h"

// Purpose. Removes the tombstones that nobody needs any more, from time to time, as a worker of the
// background executor: a look at the oldest one, and batches of bounded size through the merger.
// Threads: any, but start() and stop().

namespace rookery::db {

class TombstonePurger final : public os::Worker {
 public:
  // All arguments outlive the purger. `interval` zero: never purges.
  TombstonePurger(os::Executor& executor, std::string_view database, os::Duration interval);
  // Requires: stopped.
  ~TombstonePurger() override;

  // See Database::keep_tombstones_for().
  void add_consumer(std::string name, SeenEtag seen);
  void remove_consumer(std::string_view name);

  // Both outlive the call of stop(), and the merger's drain() comes before the destructor.
  void start(store::Environment& environment, Merger& merger);
  // Returns once no step is running; none will run again. Idempotent.
  void stop();

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }

  [[nodiscard]] os::Priority priority() const noexcept override { return os::Priority::kLow; }

  bool run_once() override;

 private:
  // nullopt: there is none that may go.
  [[nodiscard]] Result<std::optional<std::uint64_t>> purgeable_up_to() const;
  void submit(std::uint64_t up_to_etag);

  os::Executor& executor_;
  const std::string name_;
  const os::Duration interval_;
  bool attached_ = false;                      // the owner's thread only
  store::Environment* environment_ = nullptr;  // set while detached
  Merger* merger_ = nullptr;                   // set while detached
  std::atomic<bool> purging_ = false;          // a batch is on its way

  mutable os::Mutex mutex_;
  std::map<std::string, SeenEtag, std::less<>> consumers_ RK_GUARDED_BY(mutex_);
};

}  // namespace rookery::db
