// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/db/command.h"
#include "rookery/doc/reader.h"
#include "rookery/index/indexes.h"
#include "rookery/os/executor.h"
#include "rookery/os/platform.h"
#include "rookery/store/environment.h"

// Purpose. One open database: snapshots for readers, one merger of transactions for writers, and
// the background work of its store, all on executors that it shares with other databases.
// Threads: everything is for several threads unless said otherwise.

namespace rookery::db {

enum class LogLevel : std::uint8_t { kInfo, kWarning, kError };
// Called from any thread; must not throw.
using LogSink = std::function<void(LogLevel, std::string_view)>;

// Bounds of one store transaction that many batches share, and of the queue before it.
struct MergerLimits {
  std::uint32_t batches_per_txn_max = 1024;
  std::uint64_t dirty_bytes_per_txn_max = 8ULL * 1024 * 1024;
  os::Duration execution_time_max = std::chrono::milliseconds(10);
  std::uint32_t queued_batches_max = 16 * 1024;
  std::uint64_t queued_bytes_max = 256ULL * 1024 * 1024;
};

// The etag up to which somebody has seen all tombstones; nullopt: it needs none. Called from any
// thread; must not block, nor call the database.
using SeenEtag = std::function<std::optional<std::uint64_t>()>;

struct DatabaseOptions {
  std::string name;
  doc::DatabaseId id;  // for a database that has none of its own yet
  std::string node_tag = "A";
  char separator = '/';
  MergerLimits limits;
  store::EnvironmentOptions environment;
  index::Settings indexing;
  bool indexing_starts_paused = false;
  // How often tombstones that nobody needs any more are purged; 0: never.
  os::Duration tombstone_purge_interval{0};
  LogSink log;
};

// Where a database's work runs. Owns: nothing; both outlive the database. Three, so that
// neither slow syncs of a thousand databases nor indexing take the threads that answer clients.
struct Executors {
  os::Executor& foreground;  // transactions and journal writes
  os::Executor& background;  // flush, sync
  os::Executor& indexing;    // batches of indexes: as many threads as indexes run at once
};

struct DatabaseStats {
  doc::DocumentStats documents;
  store::EnvironmentStats environment;
  std::uint64_t merger_queue_length = 0;
  std::uint64_t batches_executed = 0;
  std::uint64_t batches_failed = 0;
  std::uint64_t transactions_committed = 0;
  // Merged transactions that were rolled back and run again batch by batch, for one that failed.
  std::uint64_t transactions_split = 0;
};

class Database {
 public:
  // Opens, or creates, the environment.
  [[nodiscard]] static Result<std::unique_ptr<Database>> open(os::Platform& platform,
                                                              Executors executors,
                                                              DatabaseOptions options);
  // As close(), ignoring errors.
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] const doc::DatabaseId& id() const noexcept;

  // What is durable now. Never waits for writers.
  [[nodiscard]] Result<doc::Snapshot> snapshot();

  // Never waits; batch.done tells the outcome. Requires: at least one command.
  void submit(Batch batch);
  // Submits and waits. Not for threads of the executors, nor for threads that serve sockets.
  [[nodiscard]] Result<BatchResult> execute(std::vector<Command> commands);

  // From here on a tombstone stays until `seen` reaches its etag. Whoever learns of deletions by
  // reading tombstones (an index, a replication) registers before its first look, for as long as it
  // exists. Requires: no such consumer yet.
  void keep_tombstones_for(std::string consumer, SeenEtag seen);
  // Nothing, if there is none. `seen` is not called any more once this returns.
  void release_tombstones_of(std::string_view consumer);

  [[nodiscard]] Result<DatabaseStats> stats();
  [[nodiscard]] index::Indexes& indexes() noexcept;
  // For queries, which read the documents and an index together.
  [[nodiscard]] store::Environment& environment() noexcept;

  // Walks the whole store, see Environment::verify(), and every index.
  [[nodiscard]] Result<store::VerifyReport> verify();
  // Everything durable is in the data file too when it returns.
  [[nodiscard]] Result<void> sync_all();

  // Refuses new batches (shutting_down), finishes those that were accepted, then closes the store.
  // Idempotent. Requires: no snapshot is open; not called from an executor's thread.
  [[nodiscard]] Result<void> close();
  // The same, but the data file is left as it is and the next open replays the journals: for a
  // database that is about to be deleted.
  [[nodiscard]] Result<void> close_unflushed();

 private:
  class State;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rookery::db
