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
#include "rookery/os/platform.h"
#include "rookery/store/fixed_tree.h"
#include "rookery/store/ids.h"
#include "rookery/store/page.h"
#include "rookery/store/table.h"
#include "rookery/store/tree.h"

// Purpose. A transactional environment in one folder: data.rks, Journals/, Temp/, header.one and
// header.two. One writer at a time, any number of readers, each on its own snapshot.
// Source: DESIGN section 3; STORE-INVARIANTS; docs/format/.

namespace rookery::store {

class Engine;
class MemoryBudget;
class SpaceReserve;

struct EnvironmentOptions {
  std::string path;
  bool create_if_missing = true;
  // Opens without writing a byte; recovery is done in memory. begin_write() is refused.
  bool read_only = false;
  std::uint64_t journal_size_first_bytes = 256 * 1024;
  std::uint64_t journal_size_max_bytes = 64 * 1024 * 1024;
  // Anonymous scratch memory before it spills to Temp/, and the bound on both together, at which
  // writers wait for the flush (or get no_space if that cannot proceed).
  std::uint64_t scratch_memory_bytes_max = 64ULL * 1024 * 1024;
  std::uint64_t scratch_total_bytes_max = 512ULL * 1024 * 1024;
  // Flush and sync are due when a commit has waited this long for them, or when the journals that a
  // recovery would replay hold this many bytes: what bounds a recovery's time.
  os::Duration sync_interval = std::chrono::seconds(10);
  std::uint64_t journal_replay_bytes_max = 64ULL * 1024 * 1024;
  // A reader older than this gets snapshot_too_old on its next page (0: never).
  os::Duration snapshot_age_max{0};
  enum class WriteMode : std::uint8_t { kFileIo, kVectoredFileIo };
  WriteMode write_mode = WriteMode::kVectoredFileIo;
  // Shared by all environments of one volume; may be null. Outlives the environment.
  SpaceReserve* reserve = nullptr;
  // Shared by all environments of one process: anonymous scratch beyond it goes to Temp/ at once.
  // May be null. Outlives the environment.
  MemoryBudget* memory_budget = nullptr;
  // Called, from any thread and with no lock held, when maintain() has something to do.
  std::function<void()> on_maintenance_needed;
};

// Purpose. A snapshot.
// Owns: one reader slot, until destroyed.
// Threads: one thread at a time; may be opened on one thread and closed on another.
class ReadTxn : public PageReader {
 public:
  ReadTxn(ReadTxn&&) noexcept;
  ReadTxn& operator=(ReadTxn&&) noexcept;
  ~ReadTxn() override;

  [[nodiscard]] TxnId id() const noexcept;
  [[nodiscard]] Result<PageView> page(PageNo number) override;
  // Asked before what was read is given to anyone: io, if the data file could not be read meanwhile
  // (its pages then look like zeros).
  [[nodiscard]] Result<void> check_health() const;

  // A structure that does not exist reads as an empty one.
  [[nodiscard]] Result<Tree> tree(std::string_view name);
  [[nodiscard]] Result<FixedTree> fixed_tree(std::string_view name, std::uint16_t value_size);
  [[nodiscard]] Result<Table> table(const TableSchema& schema);

 private:
  friend class Engine;
  class Rep;
  explicit ReadTxn(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

// Purpose. What became of a commit.
struct CommitOutcome {
  // ok; not_stored (certain); outcome_unknown; no_space (refused before it began).
  Result<void> result;
  TxnId txn;
};

// Purpose. The one writer. Destroyed without commit: rolled back.
// Threads: one thread at a time.
class WriteTxn : public PageWriter {
 public:
  WriteTxn(WriteTxn&&) noexcept;
  WriteTxn& operator=(WriteTxn&&) noexcept;
  ~WriteTxn() override;

  [[nodiscard]] TxnId id() const noexcept;
  [[nodiscard]] Result<PageView> page(PageNo number) override;
  [[nodiscard]] Result<MutablePage> modify(PageNo number) override;
  [[nodiscard]] Result<MutablePage> allocate(const AllocateOptions& options) override;
  [[nodiscard]] Result<void> free(PageNo number) override;

  // Created on first use.
  [[nodiscard]] Result<MutableTree> tree(std::string_view name);
  [[nodiscard]] Result<MutableFixedTree> fixed_tree(std::string_view name,
                                                    std::uint16_t value_size);
  [[nodiscard]] Result<MutableTable> table(const TableSchema& schema);
  // Bytes of pages changed so far: what the merger bounds a transaction by.
  [[nodiscard]] std::uint64_t dirty_bytes() const noexcept;
  // May draw on the volume's reserve when the disk is full: deletes, shutdown.
  void allow_reserve() noexcept;

  // Durable when it returns ok.
  [[nodiscard]] Result<TxnId> commit();
  // Async commit (early lock release): the write lock is released at once, the next transaction may
  // run on top of this one, and `done` is called once, from whichever thread wrote the batch, when
  // the outcome is known. Somebody must call Environment::write_journal() for that to happen.
  // An error here means refused and rolled back; `done` is then not called.
  [[nodiscard]] Result<TxnId> commit_async(std::function<void(const CommitOutcome&)> done);
  void rollback();

 private:
  friend class Engine;
  class Rep;
  explicit WriteTxn(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

struct EnvironmentStats {
  TxnId last_durable_txn;
  std::uint64_t page_count = 0;
  std::uint64_t free_pages = 0;
  std::uint64_t file_size_bytes = 0;
  std::uint64_t file_allocated_bytes = 0;
  std::uint64_t journal_bytes = 0;
  std::uint64_t journal_files = 0;
  std::uint64_t scratch_bytes = 0;
  std::uint64_t unsynced_pages = 0;
  std::uint64_t open_snapshots = 0;
  std::uint64_t batches_replayed = 0;  // by the last recovery
  std::uint64_t torn_tails = 0;        // found by the last recovery: 0 or 1
  std::uint64_t reloads = 0;           // recoveries from a failed write or sync while running
};

struct VerifyReport {
  std::uint64_t pages_reachable = 0;
  std::uint64_t pages_free = 0;
  std::uint64_t structures = 0;
  std::vector<std::string> problems;  // empty: sound
};

class Environment {
 public:
  // Recovers if needed. Errors: busy (another process or Environment holds the folder; the text
  // names its pid), corrupt, incompatible, io, no_space (only while creating).
  [[nodiscard]] static Result<std::unique_ptr<Environment>> open(os::Platform& platform,
                                                                 EnvironmentOptions options);
  // Makes an empty one in a folder that does not exist yet, with as few syncs as it takes, and does
  // not open it. On return it is durable but for the folder's own name; a cut before, or an error,
  // leaves what the caller has to remove. Errors: already_exists, io, no_space.
  [[nodiscard]] static Result<void> create(os::Platform& platform,
                                           const EnvironmentOptions& options);
  // As close(), ignoring errors.
  ~Environment();

  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // Lock-free. Errors: too_many (reader slots), poisoned never: reads go on.
  [[nodiscard]] Result<ReadTxn> begin_read();
  // Waits for the writer before it. Errors: poisoned, no_space, shutting_down.
  [[nodiscard]] Result<WriteTxn> begin_write();

  // The journal is a role: writes every commit that waits, in one batch, unless another thread is
  // writing (then returns at once; that thread takes them). Callbacks run here.
  void write_journal();
  [[nodiscard]] bool has_pending_commits() const noexcept;

  // One bounded step of flush, sync, retirement. True: call again. Background work of one executor
  // worker; safe to call from several threads.
  // Errors: io, corrupt; not no_space: pages then stay in scratch, and a later call tries again.
  [[nodiscard]] Result<bool> maintain();
  // How long until maintain() has something to do by the clock alone; nullopt: nothing waits. Not
  // zero after a call that failed, or could not do what is due: it says when to try again.
  [[nodiscard]] std::optional<os::Duration> maintenance_due_in() const;
  // Flushes and syncs everything durable. Errors: no_space; busy, if an open snapshot stops it
  // short.
  [[nodiscard]] Result<void> sync_all();

  // Walks every page: each is free or reachable exactly once, every checksum holds, every tree is
  // in order, every index agrees with its table. `schemas`: tables to check against their rows.
  [[nodiscard]] Result<VerifyReport> verify(std::span<const TableSchema* const> schemas = {});

  [[nodiscard]] EnvironmentStats stats() const;
  [[nodiscard]] const std::string& path() const noexcept;

  // Flush, sync, both headers alike. Idempotent. Errors: busy (a transaction is open: nothing was
  // done); whatever kept the flush from ending, such as no_space: closed all the same, and nothing
  // acknowledged is lost, the next open replays it.
  [[nodiscard]] Result<void> close();
  // The same without the flush: the next open replays. For a folder that is about to be deleted.
  [[nodiscard]] Result<void> close_unflushed();

 private:
  explicit Environment(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace rookery::store
