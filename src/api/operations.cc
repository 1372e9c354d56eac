// SPDX-License-Identifier: Apache-2.0
#include "operations.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rookery/value/json.h"
#include "rookery/value/text.h"

namespace rookery::api {

using value::JsonWriter;

namespace {

std::string_view status_name(OperationStatus status) noexcept {
  static constexpr std::array<std::string_view, 4> kNames = {"InProgress", "Completed", "Faulted",
                                                             "Canceled"};
  return kNames[static_cast<std::size_t>(status)];
}

// Null where there is none.
void write_object(JsonWriter& w, std::string_view name, std::string_view json) {
  w.raw(name, json.empty() ? std::string_view("null") : json);
}

}  // namespace

void Operation::set_progress(std::string json) {
  const os::MutexLock lock(mutex_);
  if (!ended_at_.has_value()) {
    progress_ = std::move(json);
  }
}

void Operation::complete(std::string json, os::MonotonicTime now) {
  end(OperationStatus::kCompleted, std::move(json), now);
}

void Operation::fail(Fault fault, std::string_view message, os::MonotonicTime now) {
  const FaultRow& row = fault_row(fault);
  std::string json;
  JsonWriter w(json);
  w.begin_object();
  w.string("Type", row.type);
  w.string("Message", message);
  w.string("Error", fmt::format("{}: {}", row.type, message));
  w.int64("StatusCode", row.status);
  w.end_object();
  end(OperationStatus::kFaulted, std::move(json), now);
}

void Operation::cancel(os::MonotonicTime now) {
  end(OperationStatus::kCanceled, "", now);
}

void Operation::end(OperationStatus status, std::string result, os::MonotonicTime now) {
  // Destroyed outside the lock: it may hold whatever runs.
  std::function<void()> stop;
  const os::MutexLock lock(mutex_);
  if (ended_at_.has_value()) {
    return;
  }
  status_ = status;
  result_ = std::move(result);
  ended_at_ = now;
  stop.swap(stop_);
}

void Operation::on_kill(std::function<void()> stop) {
  const os::MutexLock lock(mutex_);
  if (!ended_at_.has_value()) {
    stop_ = std::move(stop);
  }
}

void Operation::kill() {
  std::function<void()> stop;
  {
    const os::MutexLock lock(mutex_);
    stop = stop_;
  }
  if (stop) {
    stop();
  }
}

std::optional<os::MonotonicTime> Operation::ended_at() const {
  const os::MutexLock lock(mutex_);
  return ended_at_;
}

std::string Operation::state_json() const {
  const os::MutexLock lock(mutex_);
  std::string json;
  JsonWriter w(json);
  w.begin_object();
  w.string("Status", status_name(status_));
  write_object(w, "Progress", progress_);
  write_object(w, "Result", result_);
  w.end_object();
  return json;
}

std::int64_t Operations::next_id() {
  const os::MutexLock lock(mutex_);
  return ++last_id_;
}

Result<std::shared_ptr<Operation>> Operations::begin(std::string_view database,
                                                     std::optional<std::int64_t> id,
                                                     os::MonotonicTime now) {
  const os::MutexLock lock(mutex_);
  if (id.has_value() && (*id <= 0 || *id > last_id_)) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("operation {} is unknown: ask ~/operations/next-operation-id for a "
                             "number",
                             *id));
  }
  forget_old(now);
  const std::int64_t number = id.has_value() ? *id : ++last_id_;
  auto operation = std::make_shared<Operation>(number);
  ById& known = databases_[value::fold_case(database)];
  if (!known.emplace(number, operation).second) {
    return Error(ErrorCode::already_exists, fmt::format("operation {} has begun already", number));
  }
  return operation;
}

std::shared_ptr<Operation> Operations::find(std::string_view database, std::int64_t id) const {
  const os::MutexLock lock(mutex_);
  const auto known = databases_.find(value::fold_case(database));
  if (known == databases_.end()) {
    return nullptr;
  }
  const auto found = known->second.find(id);
  return found == known->second.end() ? nullptr : found->second;
}

void Operations::kill_all(std::string_view database) {
  std::vector<std::shared_ptr<Operation>> all;
  {
    const os::MutexLock lock(mutex_);
    const auto known = databases_.find(value::fold_case(database));
    if (known == databases_.end()) {
      return;
    }
    for (const auto& [id, operation] : known->second) {
      all.push_back(operation);
    }
  }
  for (const auto& operation : all) {
    operation->kill();
  }
}

void Operations::forget_old(os::MonotonicTime now) {
  for (auto database = databases_.begin(); database != databases_.end();) {
    ById& known = database->second;
    std::size_t ended_count = 0;
    // The newest first: those are kept.
    for (auto at = known.end(); at != known.begin();) {
      --at;
      const auto ended_at = at->second->ended_at();
      if (!ended_at.has_value()) {
        continue;
      }
      ++ended_count;
      if (ended_count > kEndedCountMax || now - *ended_at > kEndedTimeMax) {
        at = known.erase(at);
      }
    }
    database = known.empty() ? databases_.erase(database) : std::next(database);
  }
}

}  // namespace rookery::api
