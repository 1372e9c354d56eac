// SPDX-License-Identifier: Apache-2.0
#include "merger.h"

#include <utility>

#include "execute.h"

namespace rookery::db {

class Merger::TransactionWorker final : public os::Worker {
 public:
  TransactionWorker(Merger& merger, std::string_view database)
      : merger_(merger), name_("rk.txn." + std::string(database)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }

  [[nodiscard]] os::Priority priority() const noexcept override { return os::Priority::kNormal; }

  bool run_once() override { return merger_.run_transaction(); }

 private:
  Merger& merger_;
  const std::string name_;
};

// Writes while the transaction worker executes. Before it, for clients wait for this one.
class Merger::JournalWorker final : public os::Worker {
 public:
  JournalWorker(Merger& merger, std::string_view database)
      : merger_(merger), name_("rk.jrn." + std::string(database)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }

  [[nodiscard]] os::Priority priority() const noexcept override { return os::Priority::kHigh; }

  bool run_once() override {
    merger_.write_journal();
    return false;
  }

 private:
  Merger& merger_;
  const std::string name_;
};

Merger::Merger(store::Environment& environment, os::Platform& platform, os::Executor& executor,
               MaintenanceWorker& maintenance, const DatabaseOptions& options,
               const doc::DatabaseId& id, std::function<void()> on_commit)
    : environment_(environment),
      platform_(platform),
      executor_(executor),
      maintenance_(maintenance),
      options_(options),
      id_(id),
      on_commit_(std::move(on_commit)),
      transaction_worker_(std::make_unique<TransactionWorker>(*this, options.name)),
      journal_worker_(std::make_unique<JournalWorker>(*this, options.name)) {
  executor_.attach(*transaction_worker_);
  executor_.attach(*journal_worker_);
}

Merger::~Merger() {
  RK_CHECK(!attached_);
}

void Merger::submit(Batch batch) {
  RK_CHECK(!batch.commands.empty());
  RK_CHECK(batch.done != nullptr);
  Pending pending;
  pending.bytes = batch_bytes(batch.commands);
  pending.batch = std::move(batch);
  std::optional<Error> refusal;
  {
    const os::MutexLock lock(mutex_);
    const MergerLimits& limits = options_.limits;
    if (closing_) {
      refusal = Error(ErrorCode::shutting_down, "the database is closing");
    } else if (queue_.size() >= limits.queued_batches_max ||
               (!queue_.empty() && queue_bytes_ + pending.bytes > limits.queued_bytes_max)) {
      refusal = Error(ErrorCode::too_many, "too many writes are waiting for this database");
    } else {
      queue_bytes_ += pending.bytes;
      ++open_batches_;
      queue_.push_back(std::move(pending));
    }
  }
  if (refusal.has_value()) {
    pending.batch.done(std::move(*refusal));
    return;
  }
  executor_.wake(*transaction_worker_);
}

void Merger::drain() {
  {
    const os::MutexLock lock(mutex_);
    closing_ = true;
    while (open_batches_ > 0) {
      answered_.wait(mutex_);
    }
  }
  if (attached_) {
    executor_.detach(*transaction_worker_);
    executor_.detach(*journal_worker_);
    attached_ = false;
  }
}

MergerStats Merger::stats() const {
  const os::MutexLock lock(mutex_);
  MergerStats stats = stats_;
  stats.queue_length = queue_.size();
  return stats;
}

std::optional<Merger::Pending> Merger::take() {
  const os::MutexLock lock(mutex_);
  if (queue_.empty()) {
    return std::nullopt;
  }
  Pending pending = std::move(queue_.front());
  queue_.pop_front();
  queue_bytes_ -= pending.bytes;
  return pending;
}

bool Merger::run_transaction() {
  Group group;
  std::optional<Pending> first = take();
  if (!first.has_value()) {
    return false;
  }
  group.push_back(std::move(*first));
  if (run_merged(group) == Merged::kSplit) {
    {
      const os::MutexLock lock(mutex_);
      ++stats_.transactions_split;
    }
    for (Pending& pending : group) {
      pending.result.reset();
      run_alone(std::move(pending));
    }
  }
  bool more = false;
  {
    const os::MutexLock lock(mutex_);
    more = !queue_.empty();
  }
  // With nothing to execute this thread might as well write; else another one does meanwhile.
  if (!more) {
    write_journal();
  } else if (environment_.has_pending_commits()) {
    executor_.wake(*journal_worker_);
  }
  return more;
}

void Merger::write_journal() {
  environment_.write_journal();
}

bool Merger::has_room(const store::WriteTxn& txn, const Group& group,
                      os::MonotonicTime started) const {
  const MergerLimits& limits = options_.limits;
  return group.size() < limits.batches_per_txn_max &&
         txn.dirty_bytes() < limits.dirty_bytes_per_txn_max &&
         platform_.clock.monotonic() - started < limits.execution_time_max;
}

Result<doc::DocumentWriter> Merger::open_writer(store::WriteTxn& txn) const {
  return doc::DocumentWriter::open(txn, {.database = id_,
                                         .node_tag = options_.node_tag,
                                         .separator = options_.separator,
                                         .clock = platform_.clock,
                                         .random = platform_.random});
}

// Executes the first of `group` and as many more of the queue as fit. kSplit: rolled back, and
// `group` holds every batch that was taken.
Merger::Merged Merger::run_merged(Group& group) {
  Result<store::WriteTxn> txn = environment_.begin_write();
  if (!txn) {
    fail(std::move(group.front()), txn.error());
    return Merged::kDone;
  }
  Result<doc::DocumentWriter> writer = open_writer(*txn);
  if (!writer) {
    fail(std::move(group.front()), writer.error());
    return Merged::kDone;
  }
  const os::MonotonicTime started = platform_.clock.monotonic();
  for (std::size_t i = 0;; ++i) {
    Pending& pending = group[i];
    const std::uint64_t changes_before = writer->change_count();
    pending.result = execute_batch(*writer, pending.batch.commands);
    if (!pending.result->has_value()) {
      const ErrorClass why = pending.result->error().error_class();
      const bool harmless = (why == ErrorClass::kCaller || why == ErrorClass::kConflict) &&
                            writer->change_count() == changes_before;
      if (!harmless) {
        return Merged::kSplit;
      }
    }
    std::optional<Pending> next = has_room(*txn, group, started) ? take() : std::nullopt;
    if (!next.has_value()) {
      break;
    }
    group.push_back(std::move(*next));
  }
  if (!writer->finish()) {
    return Merged::kSplit;
  }
  // Refused: perhaps one of the batches alone can still be stored.
  return commit(std::move(*txn), group).has_value() ? Merged::kDone : Merged::kSplit;
}

// What fails here has only itself to blame.
void Merger::run_alone(Pending pending) {
  Result<store::WriteTxn> txn = environment_.begin_write();
  if (!txn) {
    return fail(std::move(pending), txn.error());
  }
  if (only_deletes(pending.batch.commands)) {
    txn->allow_reserve();
  }
  Result<doc::DocumentWriter> writer = open_writer(*txn);
  if (!writer) {
    return fail(std::move(pending), writer.error());
  }
  pending.result = execute_batch(*writer, pending.batch.commands);
  if (!pending.result->has_value()) {
    const Error why = pending.result->error();
    return fail(std::move(pending), why);
  }
  if (const Result<void> finished = writer->finish(); !finished) {
    return fail(std::move(pending), finished.error());
  }
  Group group;
  group.push_back(std::move(pending));
  if (const Result<void> committed = commit(std::move(*txn), group); !committed) {
    fail(std::move(group.front()), committed.error());
  }
}

// A transaction that changed nothing is committed too: its outcome is that of what it has seen. On
// an error `group` is the caller's still.
Result<void> Merger::commit(store::WriteTxn txn, Group& group) {
  // Shared with the callback, which must be copyable, and given back by whoever comes first.
  auto flight = std::make_shared<Group>(std::move(group));
  const Result<store::TxnId> committed =
      txn.commit_async([this, flight](const store::CommitOutcome& outcome) {
        answer(std::exchange(*flight, {}), outcome);
      });
  if (!committed) {
    group = std::move(*flight);
    return committed.error();
  }
  return {};
}

// A batch that failed by itself is told its own error, whatever became of the transaction.
void Merger::answer(Group group, const std::optional<store::CommitOutcome>& outcome) {
  std::uint64_t succeeded = 0;
  for (Pending& pending : group) {
    RK_CHECK(pending.result.has_value());
    Result<BatchResult>& result = *pending.result;
    if (result.has_value()) {
      RK_CHECK(outcome.has_value());
      if (outcome->result.has_value()) {
        result->txn = outcome->txn;
      } else {
        result = outcome->result.error();
      }
    }
    succeeded += result.has_value() ? 1U : 0U;
  }
  // Counted before anybody hears of it: who was answered finds himself in the figures.
  {
    const os::MutexLock lock(mutex_);
    stats_.transactions_committed += outcome.has_value() && outcome->result.has_value() ? 1U : 0U;
    stats_.batches_executed += succeeded;
    stats_.batches_failed += group.size() - succeeded;
  }
  // Whoever follows the documents hears first; clients need not wait for what that leads to.
  if (outcome.has_value() && outcome->result.has_value()) {
    on_commit_();
  }
  for (Pending& pending : group) {
    pending.batch.done(std::move(*pending.result));
  }
  if (outcome.has_value()) {
    maintenance_.note_commit();
  }
  const os::MutexLock lock(mutex_);
  RK_CHECK(open_batches_ >= group.size());
  open_batches_ -= group.size();
  answered_.notify_all();
}

void Merger::fail(Pending pending, const Error& error) {
  pending.result = error;
  Group group;
  group.push_back(std::move(pending));
  answer(std::move(group), std::nullopt);
}

}  // namespace rookery::db
