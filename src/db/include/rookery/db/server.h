// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/db/database.h"
#include "rookery/db/record.h"
#include "rookery/os/platform.h"

// Purpose. The landlord: all databases of one data directory. Keeps their records in an environment
// of its own, creates and drops them atomically, opens them when they are first asked for.
// Threads: everything is for several threads. Calls marked "blocks" do file I/O or wait; run them
// on a worker, not on a thread that serves sockets.
// Source: docs/format/documents.md, "System environment"; STORE-INVARIANTS I16, I30.

namespace rookery::db {

struct ServerOptions {
  std::string data_dir;
  std::string node_tag = "A";
  std::uint32_t foreground_threads = 4;
  std::uint32_t background_threads = 2;
  std::uint32_t indexing_threads = 1;  // indexes that run at once
  index::Settings indexing;
  bool indexing_starts_paused = false;
  MergerLimits limits;
  // path and reserve are set by the server for each database.
  store::EnvironmentOptions environment;
  // Space kept back on the volume for deletes and shutdown; 0: none.
  std::uint64_t reserve_bytes = 16ULL * 1024 * 1024;
  // Anonymous memory that the scratch of all databases may hold together.
  std::uint64_t scratch_memory_bytes_max = 256ULL * 1024 * 1024;
  os::Duration load_wait_max = std::chrono::seconds(30);
  // How long a drop or disable waits for those who still use the database.
  os::Duration release_wait_max = std::chrono::seconds(30);
  // A database that nobody has used for as long is closed; it opens again when it is asked for.
  // Looked for at this interval. 0: they stay open.
  os::Duration idle_time_max{0};
  os::Duration idle_check_interval = std::chrono::seconds(60);
  // Of each database; see DatabaseOptions.
  os::Duration tombstone_purge_interval{0};
  // Verifies each database before it is dropped; what it finds is counted and logged.
  bool verify_on_delete = false;
  LogSink log;
};

// Purpose. Use of an open database; it is not closed while one exists. Shared because requests end
// on whichever thread completes them.
using DatabaseRef = std::shared_ptr<Database>;

enum class DatabaseState : std::uint8_t { kIdle, kLoading, kReady, kDisabled, kFaulted, kDropping };

struct DatabaseSummary {
  std::string name;
  DatabaseState state = DatabaseState::kIdle;
  bool disabled = false;
  std::string fault;  // why it could not be opened, if so
};

struct ServerStats {
  std::uint64_t database_count = 0;
  std::uint64_t open_database_count = 0;
  std::uint64_t verified_on_delete_count = 0;
  std::uint64_t verify_problem_count = 0;  // databases in which it found any
  std::uint64_t idle_unload_count = 0;
  std::uint64_t folders_deleted = 0;
  std::uint64_t deletions_pending = 0;
};

struct DropResult {
  // nullopt: the lock mode said to ignore the wish; the database is still there.
  std::optional<std::uint64_t> index;
};

class Server {
 public:
  // Blocks. Finishes what an earlier run left half done (folders to delete, creations to complete
  // or undo), then is ready; databases open later. Errors: those of Environment::open, in
  // particular busy when another process holds the directory.
  [[nodiscard]] static Result<std::unique_ptr<Server>> open(os::Platform& platform,
                                                            ServerOptions options);
  // As close(), ignoring errors.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // --- Records. Names are case-insensitive; not_found names the database that does not exist.

  // Blocks. Creates the database, or replaces its record. A new one: `expected_etag` is nullopt or
  // 0. An existing one: must be its etag, else concurrency. `record` may be null ({}). Errors: also
  // invalid_argument (name, record), no_space, busy (its old folder is in use).
  [[nodiscard]] Result<DatabaseRecord> put_database(std::string_view name, value::View record,
                                                    std::optional<std::uint64_t> expected_etag);
  // Blocks. After success no trace of it is found under its name; the files go soon after. With
  // `hard` false they stay, and a later put_database() of that name takes them over.
  // Errors: not_found; locked (by its lock mode); timed_out (it is still in use).
  [[nodiscard]] Result<DropResult> drop_database(std::string_view name, bool hard);
  // nullopt if there is none.
  [[nodiscard]] Result<std::optional<DatabaseRecord>> record(std::string_view name);
  // Sorted by name.
  [[nodiscard]] std::vector<DatabaseSummary> list() const;
  // Blocks. Disabling waits for those who use it.
  [[nodiscard]] Result<DatabaseRecord> set_disabled(std::string_view name, bool disabled);
  // Blocks. All or none.
  [[nodiscard]] Result<void> set_lock_mode(std::span<const std::string> names, LockMode mode);
  // Blocks. `settings`: an object of strings; replaces the record's Settings.
  [[nodiscard]] Result<DatabaseRecord> put_settings(std::string_view name, value::View settings);
  // The index of the last change to any record: what clients call a Raft command index.
  [[nodiscard]] std::uint64_t last_index() const noexcept;

  // --- Databases.

  // The database if it is open now; else loading (a load was started), not_found, disabled, or why
  // it cannot be opened. Never blocks.
  [[nodiscard]] Result<DatabaseRef> try_acquire(std::string_view name);
  // Opens it if need be. `done` is called exactly once: at once on this thread where the answer is
  // known, else on a thread of the server when it has loaded, failed, or load_wait_max has passed
  // (loading).
  void acquire(std::string_view name, std::function<void(Result<DatabaseRef>)> done);
  // The same, blocking.
  [[nodiscard]] Result<DatabaseRef> acquire_and_wait(std::string_view name);
  // Blocks. Closes the database if it is open and nobody uses it; it opens again when asked for.
  // False if it is in use.
  [[nodiscard]] Result<bool> unload(std::string_view name);

  // Blocks until the folders of dropped databases are gone; those that cannot be removed are tried
  // again at the next start.
  void wait_for_deletions();

  [[nodiscard]] ServerStats stats() const;
  [[nodiscard]] const ServerOptions& options() const noexcept;

  // Blocks. Refuses new work, lets accepted batches finish, closes everything. Idempotent.
  // Errors: the first of any database; the others are closed all the same. timed_out if someone
  // still holds one after release_wait_max.
  [[nodiscard]] Result<void> close();

 private:
  class State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rookery::db
