// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"
#include "rookery/os/sync.h"
#include "rookery/store/environment.h"

#include "data_file.h"
#include "flusher.h"
#include "free_map.h"
#include "header_file.h"
#include "journal.h"
#include "recovery.h"
#include "scratch.h"
#include "state.h"
#include "write_context.h"

// Purpose. One open environment: who may write, what is in flight, who leads the journal, what
// maintenance does, and what a failure means.
//
// Roles, each held by one thread at a time:
//   the writer      holds the write token from begin_write() to commit or rollback
//   the leader      writes what waits in the queue; taken in write_journal(), given back when the
//                   queue is empty; also reloads after a failed journal write
//   maintenance     flush, sync, header, retirement; holds maintenance_mutex_
// Locks, in this order: maintenance_mutex_, header_mutex_, commit_mutex_; the leaf objects
// (scratch, chain, journal, data file) have their own below these. No callback runs under any.
// Source: STORE-INVARIANTS I3, I4, I13, I14, I24.

namespace rookery::store {

class Engine {
 public:
  [[nodiscard]] static Result<void> create(os::Platform& platform,
                                           const EnvironmentOptions& options);
  [[nodiscard]] static Result<std::unique_ptr<Engine>> open(os::Platform& platform,
                                                            EnvironmentOptions options);
  ~Engine();

  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] Result<ReadTxn> begin_read();
  void end_read(const StateChain::Snapshot& snapshot);
  // Errors: snapshot_too_old.
  [[nodiscard]] Result<void> check_age(os::MonotonicTime opened) const;
  [[nodiscard]] os::MonotonicTime read_clock() const;

  [[nodiscard]] Result<WriteTxn> begin_write();
  // Queues the transaction and releases the write token; it is released also when refused.
  using CommitCallback = std::function<void(const CommitOutcome&)>;
  [[nodiscard]] Result<TxnId> enqueue(std::unique_ptr<WriteContext> context,
                                      std::uint64_t generation, bool allow_reserve,
                                      CommitCallback done);
  [[nodiscard]] Result<TxnId> commit_and_wait(std::unique_ptr<WriteContext> context,
                                              std::uint64_t generation, bool allow_reserve);
  void roll_back(std::unique_ptr<WriteContext> context);

  void write_journal();
  [[nodiscard]] bool has_pending_commits() const;

  [[nodiscard]] Result<bool> maintain();
  [[nodiscard]] std::optional<os::Duration> maintenance_due_in() const;
  [[nodiscard]] Result<void> sync_all();
  [[nodiscard]] Result<VerifyReport> verify(std::span<const TableSchema* const> schemas);
  [[nodiscard]] EnvironmentStats stats() const;

  [[nodiscard]] const std::string& path() const noexcept { return options_.path; }

  enum class Flush : std::uint8_t { kEverything, kNothing };
  [[nodiscard]] Result<void> close(Flush flush);

  // Calls that changed the data file since the environment was opened.
  [[nodiscard]] std::uint64_t data_write_calls() const { return data_->write_calls(); }

 private:
  struct PendingCommit {
    std::unique_ptr<EnvironmentState>
        state;  // null: nothing changed, but it may have seen what did
    std::string record;
    std::uint64_t target = 0;  // the journal file that has room for it
    TxnId txn;
    CommitCallback done;
  };

  using PendingCommits = std::vector<PendingCommit>;

  Engine(os::Platform& platform, EnvironmentOptions options);

  // engine_open.cc
  [[nodiscard]] Result<void> create_folder();
  [[nodiscard]] HeaderRecord new_record();
  [[nodiscard]] Result<void> load();
  [[nodiscard]] Result<void> begin_epoch(const Recovered& recovered);
  [[nodiscard]] Result<void> harden_tail(const TailBatch& tail);
  [[nodiscard]] Result<void> empty_folder(const std::string& path, std::string_view suffix);
  void publish_recovered(const Recovered& recovered);

  // engine_commit.cc
  [[nodiscard]] Result<std::uint64_t> take_token();
  void release_token();
  [[nodiscard]] bool try_take_token();
  [[nodiscard]] PendingCommits take_group() RK_REQUIRES(commit_mutex_);
  void write_group(PendingCommits group);
  [[nodiscard]] Result<void> write_records(PendingCommits& group);
  [[nodiscard]] Result<void> append_parts(const PendingCommit& commit);
  [[nodiscard]] Result<void> make_current(std::uint64_t target);
  void publish_group(PendingCommits& group);
  void fail(PendingCommits written, const Error& cause);
  [[nodiscard]] Result<void> reload();
  // What a commit needs before it is queued: room in the data file, and in the journal.
  [[nodiscard]] Result<void> claim_home(std::uint64_t page_count, bool allow_reserve);
  [[nodiscard]] Result<std::uint64_t> claim_journal(std::uint64_t record_bytes, bool allow_reserve);
  [[nodiscard]] std::optional<Error> refusal_of_data() const;
  [[nodiscard]] BatchItem item_for(const PendingCommit& commit) const;
  void dispose_graveyard() RK_REQUIRES(commit_mutex_);
  // Requires: the token. Returns once nothing is in flight.
  void wait_until_published();
  void note_pressure();

  // engine_maintain.cc
  // Nothing is due before `delay` has passed.
  void stall(os::Duration delay);
  [[nodiscard]] Result<bool> maintain_locked(bool force) RK_REQUIRES(maintenance_mutex_);
  [[nodiscard]] Result<void> sync_to(std::uint64_t txn) RK_REQUIRES(maintenance_mutex_);
  [[nodiscard]] Result<bool> flush_step(bool force) RK_REQUIRES(maintenance_mutex_);
  [[nodiscard]] Result<void> finish_job() RK_REQUIRES(maintenance_mutex_);
  [[nodiscard]] Result<void> sync_data_file() RK_REQUIRES(maintenance_mutex_);
  void drop_job() RK_REQUIRES(maintenance_mutex_);
  [[nodiscard]] Result<void> write_start(const EnvironmentState& state)
      RK_REQUIRES(maintenance_mutex_);
  [[nodiscard]] Result<void> repair() RK_REQUIRES(maintenance_mutex_);
  [[nodiscard]] bool sync_due() const;
  [[nodiscard]] bool file_too_short() const;
  [[nodiscard]] Result<void> grow_data_file(std::uint64_t page_count, bool allow_reserve);
  void try_trim();
  // What is at home and nobody reads any more: its images, states and scratch.
  void let_go_of_synced() RK_REQUIRES(maintenance_mutex_);
  void trim_with_token();
  [[nodiscard]] Result<void> record_incarnation();
  [[nodiscard]] Result<void> relieve_pressure();
  void retire_journals();
  void poison_data(const Error& cause);
  void unpoison_data();
  [[nodiscard]] bool poisoned() const;
  [[nodiscard]] bool data_failed() const;
  [[nodiscard]] Result<void> begin_close();
  [[nodiscard]] Result<void> close_headers() RK_REQUIRES(maintenance_mutex_);

  // Constant after open().
  os::Platform& platform_;
  const EnvironmentOptions options_;
  const std::string journal_path_;
  const std::string temp_path_;
  std::unique_ptr<DataFile> data_;
  std::uint64_t opened_txn_ = 0;
  Uuid environment_id_{};
  Uuid incarnation_{};
  std::uint64_t batches_replayed_ = 0;
  std::uint64_t torn_tails_ = 0;

  // Their own synchronisation.
  ScratchPool scratch_;
  StateChain states_;
  Journal journal_;
  std::atomic<std::uint64_t> next_state_seq_{2};
  std::atomic<std::uint64_t> synced_txn_{0};
  std::atomic<std::uint64_t> synced_journal_bytes_{0};
  std::atomic<std::int64_t> last_sync_ns_{0};
  std::atomic<std::int64_t> stalled_until_ns_{0};  // what was due could not be done: not before
  std::atomic<std::uint64_t> reloads_{0};
  std::atomic<bool> shut_{false};  // no snapshot opens any more

  // The writer's.
  FreeMap free_map_;
  std::uint64_t free_map_generation_ = 0;

  os::Mutex maintenance_mutex_;
  std::optional<FlushJob> job_ RK_GUARDED_BY(maintenance_mutex_);
  // What the job wrote may not have reached the disk: it is all to be written again.
  bool job_suspect_ RK_GUARDED_BY(maintenance_mutex_) = false;
  bool closed_ RK_GUARDED_BY(maintenance_mutex_) = false;

  os::Mutex header_mutex_;
  HeaderFiles headers_ RK_GUARDED_BY(header_mutex_);
  HeaderRecord record_ RK_GUARDED_BY(header_mutex_);

  mutable os::Mutex commit_mutex_;
  os::CondVar token_free_;
  os::CondVar published_;
  bool token_taken_ RK_GUARDED_BY(commit_mutex_) = false;
  bool leading_ RK_GUARDED_BY(commit_mutex_) = false;
  bool closing_ RK_GUARDED_BY(commit_mutex_) = false;
  std::deque<PendingCommit> pending_ RK_GUARDED_BY(commit_mutex_);
  // What the next writer builds on: the newest state executed, durable or not.
  EnvironmentState* tip_ RK_GUARDED_BY(commit_mutex_) = nullptr;
  // Grows when what was in flight is rolled back; a writer of an older one cannot commit.
  std::uint64_t generation_ RK_GUARDED_BY(commit_mutex_) = 0;
  // States that came to nothing, while a writer may still read them.
  std::vector<std::unique_ptr<EnvironmentState>> graveyard_ RK_GUARDED_BY(commit_mutex_);
  std::optional<Error> journal_failed_ RK_GUARDED_BY(commit_mutex_);
  std::optional<Error> data_failed_ RK_GUARDED_BY(commit_mutex_);
  bool incarnations_full_ RK_GUARDED_BY(commit_mutex_) = false;
};

}  // namespace rookery::store
