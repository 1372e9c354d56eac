// SPDX-License-Identifier: Apache-2.0
// Opening databases when they are asked for, handing out uses of them, closing them when all uses
// have ended.
#include <algorithm>
#include <utility>

#include "rookery/value/text.h"

#include "server_state.h"
#include "server_workers.h"

namespace rookery::db {

namespace {

// A database that could not be opened is tried again by who asks for it, but not more often.
constexpr os::Duration kFaultRetry = std::chrono::seconds(5);
// Folders deleted by one slice of the worker.
constexpr std::size_t kDeletionsASlice = 16;
// Databases closed by one slice: each syncs a few times, and loads share these threads.
constexpr std::size_t kUnloadsASlice = 4;

// The server has a record of the database: that its files are gone is damage. "Not found" would
// tell clients that there is no such database, and some would make a new one.
Error files_missing(const std::string& name, const Error& error) {
  const std::string what = "the files of database '" + name + "' are missing";
  return error.code() == ErrorCode::not_found
             ? Error(ErrorCode::corrupt, what + ": " + std::string(error.message()))
             : error;
}

}  // namespace

Result<std::unique_ptr<Database>> Server::State::open_database(const Entry& entry) {
  if (const Result<void> there = folders_.complete_creation(entry.folded_name); !there) {
    return files_missing(entry.name,
                         there.error().with_context("the folder of database '" + entry.name + "'"));
  }
  DatabaseOptions options;
  options.name = entry.name;
  options.id = entry.id;
  options.node_tag = options_.node_tag;
  options.limits = options_.limits;
  options.environment = options_.environment;
  options.environment.path = folders_.database_path(entry.folded_name);
  options.environment.create_if_missing = false;
  options.environment.reserve = reserve_.get();
  options.indexing = options_.indexing;
  options.indexing_starts_paused = options_.indexing_starts_paused;
  options.environment.memory_budget = &memory_budget_;
  options.tombstone_purge_interval = options_.tombstone_purge_interval;
  options.log = options_.log;
  Result<std::unique_ptr<Database>> opened =
      Database::open(platform_, {*foreground_, *background_, *indexing_}, std::move(options));
  if (!opened.has_value()) {
    return files_missing(entry.name, opened.error());
  }
  return opened;
}

DatabaseRef Server::State::make_ref(const EntryRef& entry) {
  RK_CHECK(entry->database != nullptr);
  ++entry->users;
  return {entry->database.get(), [this, entry](Database*) { release(*entry); }};
}

void Server::State::release(Entry& entry) {
  const os::MutexLock lock(mutex_);
  RK_CHECK(entry.users > 0);
  if (--entry.users == 0) {
    entry.last_used = platform_.clock.monotonic();
    changed_.notify_all();
  }
}

// nullopt: it is loading.
std::optional<Result<DatabaseRef>> Server::State::acquire_locked(const EntryRef& entry) {
  switch (entry->state) {
    case DatabaseState::kReady:
      return make_ref(entry);
    case DatabaseState::kLoading:
      return std::nullopt;
    case DatabaseState::kDisabled:
      return Error(ErrorCode::disabled, "database '" + entry->name + "' is disabled");
    case DatabaseState::kDropping:
      return unknown_database(entry->name);
    case DatabaseState::kFaulted:
      if (platform_.clock.monotonic() - entry->fault_time < kFaultRetry) {
        return *entry->fault;
      }
      break;
    case DatabaseState::kIdle:
      break;
  }
  entry->state = DatabaseState::kLoading;
  load_queue_.push_back(entry);
  for (const std::unique_ptr<LoadWorker>& worker : load_workers_) {
    loading_->wake(*worker);
  }
  return std::nullopt;
}

Result<DatabaseRef> Server::State::try_acquire(std::string_view name) {
  const std::string folded = value::fold_case(name);
  const os::MutexLock lock(mutex_);
  if (closing_) {
    return Error(ErrorCode::shutting_down);
  }
  const auto found = entries_.find(folded);
  if (found == entries_.end()) {
    return unknown_database(name);
  }
  std::optional<Result<DatabaseRef>> answer = acquire_locked(found->second);
  if (answer.has_value()) {
    return std::move(*answer);
  }
  return Error(ErrorCode::loading, "database '" + std::string(name) + "' is loading");
}

void Server::State::acquire(std::string_view name, Done done) {
  const std::string folded = value::fold_case(name);
  std::optional<Result<DatabaseRef>> answer;
  {
    const os::MutexLock lock(mutex_);
    const auto found = entries_.find(folded);
    if (closing_) {
      answer = Error(ErrorCode::shutting_down);
    } else if (found == entries_.end()) {
      answer = unknown_database(name);
    } else {
      answer = acquire_locked(found->second);
      if (!answer.has_value()) {
        found->second->waiters.push_back(
            {std::move(done), platform_.clock.monotonic() + options_.load_wait_max});
        loading_->wake_after(*timeout_worker_, options_.load_wait_max);
      }
    }
  }
  if (answer.has_value()) {
    done(std::move(*answer));
  }
}

bool Server::State::load_one() {
  EntryRef entry;
  {
    const os::MutexLock lock(mutex_);
    if (load_queue_.empty()) {
      return false;
    }
    entry = std::move(load_queue_.front());
    load_queue_.pop_front();
    RK_CHECK(entry->state == DatabaseState::kLoading);
  }
  // Nobody else touches what open_database() reads while the entry is loading.
  Result<std::unique_ptr<Database>> opened = open_database(*entry);
  if (!opened) {
    log(LogLevel::kError,
        "database '" + entry->name + "' cannot be opened: " + opened.error().to_string());
  }
  std::vector<std::pair<Done, Result<DatabaseRef>>> answers;
  bool more = false;
  {
    const os::MutexLock lock(mutex_);
    if (opened.has_value()) {
      entry->database = std::move(*opened);
      entry->last_used = platform_.clock.monotonic();
      entry->state = DatabaseState::kReady;
      entry->fault.reset();
    } else {
      entry->state = DatabaseState::kFaulted;
      entry->fault = opened.error();
      entry->fault_time = platform_.clock.monotonic();
    }
    for (Waiter& waiter : std::exchange(entry->waiters, {})) {
      answers.emplace_back(std::move(waiter.done), entry->fault.has_value()
                                                       ? Result<DatabaseRef>(*entry->fault)
                                                       : Result<DatabaseRef>(make_ref(entry)));
    }
    changed_.notify_all();
    more = !load_queue_.empty();
  }
  for (auto& [done, answer] : answers) {
    done(std::move(answer));
  }
  return more;
}

// Answers who has waited too long, and sleeps until the next one has.
bool Server::State::expire_waiters() {
  std::vector<std::pair<Done, std::string>> expired;
  const os::MonotonicTime now = platform_.clock.monotonic();
  {
    const os::MutexLock lock(mutex_);
    os::MonotonicTime next = os::MonotonicTime::max();
    for (auto& [folded, entry] : entries_) {
      std::vector<Waiter>& waiters = entry->waiters;
      const auto waits_on = std::stable_partition(
          waiters.begin(), waiters.end(), [now](const Waiter& w) { return w.deadline > now; });
      for (auto it = waits_on; it != waiters.end(); ++it) {
        expired.emplace_back(std::move(it->done), entry->name);
      }
      waiters.erase(waits_on, waiters.end());
      for (const Waiter& waiter : waiters) {
        next = std::min(next, waiter.deadline);
      }
    }
    if (next != os::MonotonicTime::max()) {
      loading_->wake_after(*timeout_worker_, next - now);
    }
  }
  for (auto& [done, name] : expired) {
    done(Error(ErrorCode::loading, "database '" + name + "' is still loading"));
  }
  return false;
}

Result<void> Server::State::retire(const EntryRef& entry, DatabaseState state, Closing closing) {
  DatabaseState before = state;
  Database* used = nullptr;
  {
    const os::MutexLock lock(mutex_);
    while (entry->state == DatabaseState::kLoading) {
      changed_.wait(mutex_);
    }
    before = entry->state;
    entry->state = state;
    used = entry->database.get();
  }
  // Queries that wait for an index would keep it in use until their time is up. Nobody but us takes
  // the database away: its state is ours.
  if (used != nullptr) {
    used->indexes().set_waiting(false);
  }
  std::unique_ptr<Database> database;
  bool in_use = false;
  {
    const os::MutexLock lock(mutex_);
    const os::MonotonicTime deadline = platform_.clock.monotonic() + options_.release_wait_max;
    while (entry->users > 0 && !in_use) {
      const os::Duration left = deadline - platform_.clock.monotonic();
      in_use = left <= os::Duration::zero();
      if (!in_use) {
        static_cast<void>(changed_.wait_for(mutex_, left));
      }
    }
    if (in_use) {
      entry->state = before;
    } else {
      database = std::move(entry->database);
    }
  }
  if (!in_use) {
    if (database == nullptr) {
      return {};
    }
    return closing == Closing::kFlushed ? database->close() : database->close_unflushed();
  }
  if (used != nullptr) {
    used->indexes().set_waiting(true);
  }
  return Error(ErrorCode::timed_out, "database '" + entry->name + "' is still in use");
}

Result<bool> Server::State::unload(std::string_view name) {
  const NameLock name_lock(*this, {value::fold_case(name)});
  RK_TRY_ASSIGN(const EntryRef entry, existing(name_lock, name));
  return unload(entry);
}

Result<bool> Server::State::unload(const EntryRef& entry) {
  std::unique_ptr<Database> database;
  {
    const os::MutexLock lock(mutex_);
    if (entry->state != DatabaseState::kReady) {
      return entry->database == nullptr && entry->state != DatabaseState::kLoading;
    }
    if (entry->users > 0) {
      return false;
    }
    // kLoading keeps who asks for it meanwhile waiting, but nothing loads it yet.
    entry->state = DatabaseState::kLoading;
    database = std::move(entry->database);
  }
  const Result<void> closed = database->close();
  database.reset();
  {
    const os::MutexLock lock(mutex_);
    if (entry->waiters.empty()) {
      entry->state = DatabaseState::kIdle;
    } else {
      load_queue_.push_back(entry);
      for (const std::unique_ptr<LoadWorker>& worker : load_workers_) {
        loading_->wake(*worker);
      }
    }
    changed_.notify_all();
  }
  RK_TRY(closed);
  return true;
}

// Closes databases that nobody has used for long, a few at a time; comes again in a while.
bool Server::State::unload_idle() {
  std::vector<EntryRef> idle;
  bool more = false;
  {
    const os::MonotonicTime now = platform_.clock.monotonic();
    const os::MutexLock lock(mutex_);
    if (closing_) {
      return false;
    }
    for (const auto& [folded, entry] : entries_) {
      // A name that is taken is being changed by somebody: it is not idle, and not waited for.
      if (entry->state != DatabaseState::kReady || entry->users > 0 ||
          now - entry->last_used < options_.idle_time_max || busy_names_.contains(folded)) {
        continue;
      }
      // It would begin its work again when it is opened, and give up what it holds of a batch.
      if (entry->database->indexes().is_catching_up()) {
        continue;
      }
      if (idle.size() == kUnloadsASlice) {
        more = true;
        break;
      }
      busy_names_.insert(folded);
      idle.push_back(entry);
    }
  }
  std::uint64_t unloaded = 0;
  for (const EntryRef& entry : idle) {
    const Result<bool> closed = unload(entry);
    if (!closed) {
      log(LogLevel::kWarning,
          "database '" + entry->name + "' was idle, and closing it: " + closed.error().to_string());
    }
    unloaded += closed.has_value() && *closed ? 1U : 0U;
  }
  const os::MutexLock lock(mutex_);
  for (const EntryRef& entry : idle) {
    busy_names_.erase(entry->folded_name);
  }
  stats_.idle_unload_count += unloaded;
  changed_.notify_all();
  if (!more) {
    loading_->wake_after(*idle_worker_, options_.idle_check_interval);
  }
  return more;
}

bool Server::State::delete_folders() {
  std::vector<Deletion> deletions;
  bool more = false;
  {
    const os::MutexLock lock(mutex_);
    while (!deletions_.empty() && deletions.size() < kDeletionsASlice) {
      deletions.push_back(std::move(deletions_.front()));
      deletions_.pop_front();
    }
    more = !deletions_.empty();
  }
  std::vector<Deletion> finished;
  for (const Deletion& deletion : deletions) {
    if (const Result<void> deleted = folders_.finish_deletion(deletion); deleted.has_value()) {
      finished.push_back(deletion);
    } else {
      // It stays noted: the next start tries again.
      log(LogLevel::kWarning,
          "cannot delete folder " + deletion.target + ": " + deleted.error().to_string());
    }
  }
  if (!finished.empty()) {
    if (const Result<void> erased = system_->erase_deletions(finished); !erased) {
      log(LogLevel::kWarning, "cannot forget deleted folders, will try at the next start: " +
                                  erased.error().to_string());
    }
  }
  const os::MutexLock lock(mutex_);
  stats_.folders_deleted += finished.size();
  stats_.deletions_pending -= deletions.size();
  changed_.notify_all();
  return more;
}

void Server::State::wait_for_deletions() {
  const os::MutexLock lock(mutex_);
  while (stats_.deletions_pending > 0 && !closing_) {
    changed_.wait(mutex_);
  }
}

void Server::State::set_state(const EntryRef& entry, DatabaseState state) {
  const os::MutexLock lock(mutex_);
  entry->state = state;
  changed_.notify_all();
}

void Server::State::log(LogLevel level, const std::string& text) const {
  if (options_.log != nullptr) {
    options_.log(level, text);
  }
}

}  // namespace rookery::db
