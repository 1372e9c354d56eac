// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rookery/db/command.h"
#include "rookery/db/database.h"
#include "rookery/doc/writer.h"
#include "rookery/os/executor.h"
#include "rookery/os/sync.h"

#include "maintenance.h"

// Purpose. The one writer of a database: takes batches off a queue, executes as many as fit into
// one store transaction, commits it without waiting, and executes the next ones while that is
// written.
//
//   submit -> queue -> [transaction worker] -> commit_async -> [who has the journal role] -> done
//
// Invariants.
// 1. Batches are executed in the order of submission, each whole or not at all.
// 2. done is called once for every batch, never with a lock held.
// 3. Success is told only when all that the batch read or wrote is durable: a batch that changed
//    nothing waits for the transactions in flight before it.
// 4. A batch that fails after it changed something makes the merged transaction roll back; all of
//    its batches run again, each in a transaction of its own, so that neighbours are not harmed.
// Threads: submit, stats: any. drain: one.
// Source: DESIGN "Async commit"; STORE-INVARIANTS I4.

namespace rookery::db {

struct MergerStats {
  std::uint64_t queue_length = 0;
  std::uint64_t batches_executed = 0;  // that succeeded
  std::uint64_t batches_failed = 0;
  std::uint64_t transactions_committed = 0;
  std::uint64_t transactions_split = 0;
};

class Merger {
 public:
  // All arguments outlive the merger. `id` is used until the database has an id of its own.
  // `on_commit` is called after each commit that is durable, with no lock held; it must be quick.
  Merger(store::Environment& environment, os::Platform& platform, os::Executor& executor,
         MaintenanceWorker& maintenance, const DatabaseOptions& options, const doc::DatabaseId& id,
         std::function<void()> on_commit);
  // Requires: drained.
  ~Merger();
  Merger(const Merger&) = delete;
  Merger& operator=(const Merger&) = delete;

  void submit(Batch batch);
  // Refuses new batches and returns when every accepted one has been answered.
  void drain();
  [[nodiscard]] MergerStats stats() const;

 private:
  struct Pending {
    Batch batch;
    std::uint64_t bytes = 0;
    std::optional<Result<BatchResult>> result;  // of its execution, once that is over
  };

  using Group = std::vector<Pending>;

  class TransactionWorker;
  class JournalWorker;

  // One merged transaction; true if there is more to do.
  bool run_transaction();
  void write_journal();

  [[nodiscard]] std::optional<Pending> take();
  [[nodiscard]] bool has_room(const store::WriteTxn& txn, const Group& group,
                              os::MonotonicTime started) const;
  enum class Merged : std::uint8_t { kDone, kSplit };
  Merged run_merged(Group& group);
  void run_alone(Pending pending);
  Result<void> commit(store::WriteTxn txn, Group& group);
  void answer(Group group, const std::optional<store::CommitOutcome>& outcome);
  void fail(Pending pending, const Error& error);
  [[nodiscard]] Result<doc::DocumentWriter> open_writer(store::WriteTxn& txn) const;

  // Constant.
  store::Environment& environment_;
  os::Platform& platform_;
  os::Executor& executor_;
  MaintenanceWorker& maintenance_;
  const DatabaseOptions& options_;
  const doc::DatabaseId& id_;
  const std::function<void()> on_commit_;
  std::unique_ptr<TransactionWorker> transaction_worker_;
  std::unique_ptr<JournalWorker> journal_worker_;

  mutable os::Mutex mutex_;
  os::CondVar answered_;
  std::deque<Pending> queue_ RK_GUARDED_BY(mutex_);
  std::uint64_t queue_bytes_ RK_GUARDED_BY(mutex_) = 0;
  // Accepted and not yet answered, the queue included.
  std::uint64_t open_batches_ RK_GUARDED_BY(mutex_) = 0;
  bool closing_ RK_GUARDED_BY(mutex_) = false;
  bool attached_ = true;  // drain() only
  MergerStats stats_ RK_GUARDED_BY(mutex_);
};

}  // namespace rookery::db
