// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/api/errors.h"
#include "rookery/base/result.h"
#include "rookery/os/sync.h"
#include "rookery/os/time.h"

// Purpose. What takes longer than a request should, or needs watching while it runs: its state is
// asked for by number, and it can be killed. They live as long as the process.

namespace rookery::api {

enum class OperationStatus : std::uint8_t { kInProgress, kCompleted, kFaulted, kCanceled };

// Purpose. One operation. It ends once; what comes later is ignored.
// Threads: any.
class Operation {
 public:
  explicit Operation(std::int64_t id) : id_(id) {}

  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  [[nodiscard]] std::int64_t id() const noexcept { return id_; }

  // Both take the text of a JSON object.
  void set_progress(std::string json);
  void complete(std::string json, os::MonotonicTime now);
  // As error_response() would tell it.
  void fail(Fault fault, std::string_view message, os::MonotonicTime now);
  void cancel(os::MonotonicTime now);

  // What kill() calls, on its thread; forgotten at the end. It must not hold the operation alive
  // for ever: a weak reference suits.
  void on_kill(std::function<void()> stop);
  // Asks it to stop; it ends when it has. Nothing, if it has ended.
  void kill();

  // nullopt while it runs.
  [[nodiscard]] std::optional<os::MonotonicTime> ended_at() const;
  // {"Status", "Progress", "Result"}, as clients read it.
  [[nodiscard]] std::string state_json() const;

 private:
  void end(OperationStatus status, std::string result, os::MonotonicTime now);

  const std::int64_t id_;
  mutable os::Mutex mutex_;
  OperationStatus status_ RK_GUARDED_BY(mutex_) = OperationStatus::kInProgress;
  std::string progress_ RK_GUARDED_BY(mutex_);
  std::string result_ RK_GUARDED_BY(mutex_);
  std::function<void()> stop_ RK_GUARDED_BY(mutex_);
  std::optional<os::MonotonicTime> ended_at_ RK_GUARDED_BY(mutex_);
};

// Purpose. The operations of all databases of a server, each database seeing its own.
// Threads: any.
class Operations {
 public:
  // Of one database; beyond either the oldest ended ones are forgotten.
  static constexpr std::size_t kEndedCountMax = 512;
  static constexpr std::chrono::minutes kEndedTimeMax{60};

  // Numbers are unique in this process.
  [[nodiscard]] std::int64_t next_id();
  // nullopt: a new number. Errors: invalid_argument (a number that was not given out),
  // already_exists.
  [[nodiscard]] Result<std::shared_ptr<Operation>> begin(std::string_view database,
                                                         std::optional<std::int64_t> id,
                                                         os::MonotonicTime now);
  // Null if the database knows none of that number.
  [[nodiscard]] std::shared_ptr<Operation> find(std::string_view database, std::int64_t id) const;
  // Before a database goes away: what runs in it would keep it.
  void kill_all(std::string_view database);

 private:
  using ById = std::map<std::int64_t, std::shared_ptr<Operation>>;

  void forget_old(os::MonotonicTime now) RK_REQUIRES(mutex_);

  mutable os::Mutex mutex_;
  std::int64_t last_id_ RK_GUARDED_BY(mutex_) = 0;
  std::map<std::string, ById> databases_ RK_GUARDED_BY(mutex_);  // by folded name
};

}  // namespace rookery::api
