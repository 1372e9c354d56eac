// SPDX-License-Identifier: Apache-2.0
#include "rookery/db/server.h"

#include <algorithm>
#include <utility>

#include "rookery/value/text.h"

#include "server_state.h"
#include "server_workers.h"

namespace rookery::db {

namespace {

constexpr std::uint32_t kLoadsAtOnce = 2;

}  // namespace

Server::State::State(os::Platform& platform, ServerOptions options)
    : platform_(platform),
      options_(std::move(options)),
      folders_(platform_, options_.data_dir),
      memory_budget_(options_.scratch_memory_bytes_max) {}

Server::State::~State() {
  RK_CHECK(!workers_attached_);
}

Result<void> Server::State::open() {
  RK_TRY(folders_.prepare());
  foreground_ = std::make_unique<os::Executor>(platform_, "rk.fore", options_.foreground_threads);
  background_ = std::make_unique<os::Executor>(platform_, "rk.back", options_.background_threads);
  indexing_ = std::make_unique<os::Executor>(platform_, "rk.index",
                                             std::max(options_.indexing_threads, 1U));
  // One thread more than loads, for the clock of those who wait.
  loading_ = std::make_unique<os::Executor>(platform_, "rk.load", kLoadsAtOnce + 1);
  if (options_.reserve_bytes > 0) {
    RK_TRY_ASSIGN(reserve_, store::SpaceReserve::open(platform_, folders_.reserve_path(),
                                                      options_.reserve_bytes));
  }
  store::EnvironmentOptions system = options_.environment;
  system.path = folders_.system_path();
  system.create_if_missing = true;
  system.reserve = reserve_.get();
  system.memory_budget = &memory_budget_;
  RK_TRY_ASSIGN(system_,
                SystemStore::open(platform_, *background_, std::move(system), options_.log));
  RK_TRY_ASSIGN(const std::uint64_t index, system_->last_index());
  last_index_.store(index);
  RK_TRY(recover_folders());

  timeout_worker_ = std::make_unique<TimeoutWorker>(*this);
  loading_->attach(*timeout_worker_);
  deletion_worker_ = std::make_unique<DeletionWorker>(*this);
  background_->attach(*deletion_worker_);
  for (std::uint32_t i = 0; i < kLoadsAtOnce; ++i) {
    load_workers_.push_back(std::make_unique<LoadWorker>(*this));
    loading_->attach(*load_workers_.back());
  }
  if (options_.idle_time_max > os::Duration::zero()) {
    idle_worker_ = std::make_unique<IdleWorker>(*this);
    loading_->attach(*idle_worker_);
    loading_->wake_after(*idle_worker_, options_.idle_check_interval);
  }
  workers_attached_ = true;
  background_->wake(*deletion_worker_);
  return {};
}

Result<void> Server::State::close() {
  if (closed_) {
    return {};
  }
  std::vector<Waiter> waiters;
  {
    const os::MutexLock lock(mutex_);
    closing_ = true;
    changed_.notify_all();
    while (!busy_names_.empty()) {
      changed_.wait(mutex_);
    }
  }
  if (workers_attached_) {
    for (const std::unique_ptr<LoadWorker>& worker : load_workers_) {
      loading_->detach(*worker);
    }
    loading_->detach(*timeout_worker_);
    if (idle_worker_ != nullptr) {
      loading_->detach(*idle_worker_);
    }
    background_->detach(*deletion_worker_);
    workers_attached_ = false;
  }
  {
    const os::MutexLock lock(mutex_);
    load_queue_.clear();
    for (auto& [folded, entry] : entries_) {
      if (entry->state == DatabaseState::kLoading) {
        entry->state = DatabaseState::kIdle;
      }
      for (Waiter& waiter : std::exchange(entry->waiters, {})) {
        waiters.push_back(std::move(waiter));
      }
    }
  }
  for (Waiter& waiter : waiters) {
    waiter.done(Error(ErrorCode::shutting_down));
  }
  const Result<void> closed = close_entries();
  if (!closed && closed.error().code() == ErrorCode::timed_out) {
    return closed;  // someone uses a database still: call again
  }
  closed_ = true;
  const Result<void> system_closed = system_ == nullptr ? Result<void>() : system_->close();
  return closed.has_value() ? system_closed : closed;
}

// The first error, timed_out before all others.
Result<void> Server::State::close_entries() {
  std::vector<EntryRef> entries;
  {
    const os::MutexLock lock(mutex_);
    for (const auto& [folded, entry] : entries_) {
      entries.push_back(entry);
    }
  }
  Result<void> first;
  for (const EntryRef& entry : entries) {
    const Result<void> closed = retire(entry, DatabaseState::kIdle, Closing::kFlushed);
    if (!closed && (first.has_value() || closed.error().code() == ErrorCode::timed_out)) {
      first = closed;
    }
  }
  return first;
}

Result<std::optional<DatabaseRecord>> Server::State::record(std::string_view name) {
  return system_->record(value::fold_case(name));
}

std::vector<DatabaseSummary> Server::State::list() const {
  std::vector<DatabaseSummary> summaries;
  const os::MutexLock lock(mutex_);
  for (const auto& [folded, entry] : entries_) {
    if (entry->state != DatabaseState::kDropping) {
      summaries.push_back(
          {entry->name, entry->state, entry->disabled,
           entry->state == DatabaseState::kFaulted ? entry->fault->to_string() : std::string()});
    }
  }
  return summaries;
}

ServerStats Server::State::stats() const {
  const os::MutexLock lock(mutex_);
  ServerStats stats = stats_;
  stats.database_count = entries_.size();
  for (const auto& [folded, entry] : entries_) {
    stats.open_database_count += entry->database != nullptr ? 1U : 0U;
  }
  return stats;
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Server::~Server() {
  // Whoever still uses a database would use freed memory: there is nothing to do but wait.
  while (true) {
    const Result<void> closed = close();
    if (closed.has_value() || closed.error().code() != ErrorCode::timed_out) {
      return;
    }
  }
}

Result<std::unique_ptr<Server>> Server::open(os::Platform& platform, ServerOptions options) {
  auto state = std::make_unique<State>(platform, std::move(options));
  RK_TRY(state->open());
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Result<DatabaseRecord> Server::put_database(std::string_view name, value::View record,
                                            std::optional<std::uint64_t> expected_etag) {
  return state_->put_database(name, record, expected_etag);
}

Result<DropResult> Server::drop_database(std::string_view name, bool hard) {
  return state_->drop_database(name, hard);
}

Result<std::optional<DatabaseRecord>> Server::record(std::string_view name) {
  return state_->record(name);
}

std::vector<DatabaseSummary> Server::list() const {
  return state_->list();
}

Result<DatabaseRecord> Server::set_disabled(std::string_view name, bool disabled) {
  return state_->set_disabled(name, disabled);
}

Result<void> Server::set_lock_mode(std::span<const std::string> names, LockMode mode) {
  return state_->set_lock_mode(names, mode);
}

Result<DatabaseRecord> Server::put_settings(std::string_view name, value::View settings) {
  return state_->put_settings(name, settings);
}

std::uint64_t Server::last_index() const noexcept {
  return state_->last_index();
}

Result<DatabaseRef> Server::try_acquire(std::string_view name) {
  return state_->try_acquire(name);
}

void Server::acquire(std::string_view name, std::function<void(Result<DatabaseRef>)> done) {
  state_->acquire(name, std::move(done));
}

Result<DatabaseRef> Server::acquire_and_wait(std::string_view name) {
  std::optional<Result<DatabaseRef>> outcome;
  os::Event known;
  acquire(name, [&](Result<DatabaseRef> answer) {
    outcome = std::move(answer);
    known.set();
  });
  known.wait();
  return std::move(*outcome);
}

Result<bool> Server::unload(std::string_view name) {
  return state_->unload(name);
}

void Server::wait_for_deletions() {
  state_->wait_for_deletions();
}

ServerStats Server::stats() const {
  return state_->stats();
}

const ServerOptions& Server::options() const noexcept {
  return state_->options();
}

Result<void> Server::close() {
  return state_->close();
}

}  // namespace rookery::db
