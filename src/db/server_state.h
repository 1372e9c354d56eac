// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rookery/db/server.h"
#include "rookery/os/executor.h"
#include "rookery/os/sync.h"
#include "rookery/store/memory_budget.h"
#include "rookery/store/space_reserve.h"

#include "folders.h"
#include "system_store.h"

// Purpose. What Server is made of: one entry a database, which says its state, who uses it
// and who waits for it; workers that open databases and delete folders.
//
//              acquire             loaded
//     kIdle ------------> kLoading -------> kReady
//       ^                    | failed         |
//       |                    v                | disable, drop, unload: users go, then it is closed
//       |                 kFaulted            v
//       +------------ kDisabled / kDropping / kIdle
//
// Changes of one database's record take turns by NameLock; the mutex is never held over I/O.
// Threads: any.

namespace rookery::db {

struct RecordChange;  // record_json.h

class Server::State {
 public:
  State(os::Platform& platform, ServerOptions options);
  // Requires: closed.
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Result<void> open();
  Result<void> close();

  Result<DatabaseRecord> put_database(std::string_view name, value::View json,
                                      std::optional<std::uint64_t> expected_etag);
  Result<DropResult> drop_database(std::string_view name, bool hard);
  Result<std::optional<DatabaseRecord>> record(std::string_view name);
  std::vector<DatabaseSummary> list() const;
  Result<DatabaseRecord> set_disabled(std::string_view name, bool disabled);
  Result<void> set_lock_mode(std::span<const std::string> names, LockMode mode);
  Result<DatabaseRecord> put_settings(std::string_view name, value::View settings);

  Result<DatabaseRef> try_acquire(std::string_view name);
  void acquire(std::string_view name, std::function<void(Result<DatabaseRef>)> done);
  Result<bool> unload(std::string_view name);
  void wait_for_deletions();
  ServerStats stats() const;

  std::uint64_t last_index() const noexcept { return last_index_.load(); }

  const ServerOptions& options() const noexcept { return options_; }

 private:
  using Done = std::function<void(Result<DatabaseRef>)>;

  struct Waiter {
    Done done;
    os::MonotonicTime deadline;
  };

  // Owns: shared by the map, the queue of loads and every DatabaseRef, which may outlast the drop.
  // Guarded by mutex_.
  struct Entry {
    std::string name;
    std::string folded_name;
    std::uint64_t etag = 0;
    doc::DatabaseId id;
    bool disabled = false;
    LockMode lock_mode = LockMode::kUnlock;
    DatabaseState state = DatabaseState::kIdle;
    std::optional<Error> fault;
    os::MonotonicTime fault_time;
    std::unique_ptr<Database> database;
    std::uint64_t users = 0;
    os::MonotonicTime last_used;  // when the last user went, or it was opened
    std::vector<Waiter> waiters;
  };

  using EntryRef = std::shared_ptr<Entry>;

  // Only one thread at a time changes the record of a name.
  class NameLock {
   public:
    NameLock(State& state, std::vector<std::string> folded_names);
    ~NameLock();
    // shutting_down, if the server is closing: then nothing was locked.
    [[nodiscard]] Result<void> taken() const;
    NameLock(const NameLock&) = delete;
    NameLock& operator=(const NameLock&) = delete;

   private:
    State& state_;
    std::vector<std::string> folded_names_;  // sorted; empty if refused
  };

  class LoadWorker;
  class TimeoutWorker;
  class DeletionWorker;
  class IdleWorker;

  // server_admin.cc
  Result<void> recover_folders();
  Result<DatabaseRecord> create(std::string_view name, const std::string& folded,
                                DatabaseRecord record);
  Result<DatabaseRecord> change_record(std::string_view name, const RecordChange& change);
  Result<DatabaseRecord> apply(const EntryRef& entry, DatabaseRecord record);
  Result<std::uint64_t> erase(const EntryRef& entry, bool hard);
  Result<DatabaseRecord> stored_record(const EntryRef& entry);
  void refresh(const EntryRef& entry);
  void adopt(const EntryRef& entry, const DatabaseRecord& record);
  bool verify_if_ready(const EntryRef& entry);
  void verify_closed(const EntryRef& entry);
  void count_verified(const Entry& entry, const Result<store::VerifyReport>& report);
  EntryRef find(std::string_view folded) const;
  // Of the name that is locked. Errors: shutting_down, not_found.
  Result<EntryRef> existing(const NameLock& lock, std::string_view name) const;
  doc::DatabaseId new_id();

  // server_loading.cc
  Result<std::unique_ptr<Database>> open_database(const Entry& entry);
  std::optional<Result<DatabaseRef>> acquire_locked(const EntryRef& entry) RK_REQUIRES(mutex_);
  DatabaseRef make_ref(const EntryRef& entry) RK_REQUIRES(mutex_);
  void release(Entry& entry);
  enum class Closing : std::uint8_t { kFlushed, kUnflushed };
  // Refuses new users by `state`, waits for those there are, closes. timed_out: as it was before.
  Result<void> retire(const EntryRef& entry, DatabaseState state, Closing closing);
  // Requires: its name is taken.
  Result<bool> unload(const EntryRef& entry);
  bool unload_idle();
  bool load_one();
  bool expire_waiters();
  bool delete_folders();
  void set_state(const EntryRef& entry, DatabaseState state);
  Result<void> close_entries();
  void log(LogLevel level, const std::string& text) const;

  // Constant after open().
  os::Platform& platform_;
  const ServerOptions options_;
  Folders folders_;
  std::unique_ptr<store::SpaceReserve> reserve_;
  store::MemoryBudget memory_budget_;
  std::unique_ptr<os::Executor> foreground_;
  std::unique_ptr<os::Executor> background_;
  std::unique_ptr<os::Executor> indexing_;
  std::unique_ptr<os::Executor> loading_;
  std::unique_ptr<SystemStore> system_;
  std::vector<std::unique_ptr<LoadWorker>> load_workers_;
  std::unique_ptr<TimeoutWorker> timeout_worker_;
  std::unique_ptr<DeletionWorker> deletion_worker_;
  std::unique_ptr<IdleWorker> idle_worker_;  // null: databases stay open

  std::atomic<std::uint64_t> last_index_ = 0;

  mutable os::Mutex mutex_;
  os::CondVar changed_;  // of any entry's state or users, or of busy_names_
  std::map<std::string, EntryRef, std::less<>> entries_ RK_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> busy_names_ RK_GUARDED_BY(mutex_);
  // Bounded by the databases: each is in it at most once.
  std::deque<EntryRef> load_queue_ RK_GUARDED_BY(mutex_);
  std::deque<Deletion> deletions_ RK_GUARDED_BY(mutex_);
  ServerStats stats_ RK_GUARDED_BY(mutex_);
  bool closing_ RK_GUARDED_BY(mutex_) = false;
  bool workers_attached_ = false;  // open() and close() only
  bool closed_ = false;            // close() only
};

}  // namespace rookery::db
