// SPDX-License-Identifier: Apache-2.0
#include "merger.h"

#include <iterator>
#include <utility>

#include "execute.h"

namespace rookery::db {

// A transaction between commit_async() and its outcome.
// Owns: shared by the commit's callback and by newest_, since either may be the last to see it.
struct Merger::Flight {
  Group group;
  Group riders;  // guarded by the merger's mutex
};

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
               const DatabaseOptions& options, const doc::DatabaseId& id)
    : environment_(environment),
      platform_(platform),
      executor_(executor),
      options_(options),
      id_(id),
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
    for (Pending& pending : group) {
      fail(std::move(pending), txn.error());
    }
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
  const bool changed = writer->change_count() > 0;
  return commit(std::move(*txn), group, changed) ? Merged::kDone : Merged::kSplit;
}

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
  if (pending.result->has_value()) {
    if (const Result<void> finished = writer->finish(); !finished) {
      pending.result = finished.error();
    }
  }
  const bool changed = pending.result->has_value() && writer->change_count() > 0;
  Group group;
  group.push_back(std::move(pending));
  if (!changed) {
    txn->rollback();
    return ride(std::move(group));
  }
  std::optional<Error> refused;
  commit_changed(std::move(*txn), group, refused);
  if (refused.has_value()) {
    fail(std::move(group.front()), *refused);
  }
}

bool Merger::commit(store::WriteTxn txn, Group& group, bool changed) {
  if (!changed) {
    txn.rollback();
    ride(std::move(group));
    return true;
  }
  std::optional<Error> refused;
  commit_changed(std::move(txn), group, refused);
  // Alone, deletes may draw on the reserve.
  if (refused.has_value() && group.size() == 1 && !only_deletes(group.front().batch.commands)) {
    fail(std::move(group.front()), *refused);
    return true;
  }
  return !refused.has_value();
}

// On refusal the batches are back in `group`.
void Merger::commit_changed(store::WriteTxn txn, Group& group, std::optional<Error>& refused) {
  auto flight = std::make_shared<Flight>();
  flight->group = std::move(group);
  std::shared_ptr<Flight> before;
  {
    // Before the commit: its outcome may be known before commit_async() returns.
    const os::MutexLock lock(mutex_);
    before = std::exchange(newest_, flight);
  }
  const Result<store::TxnId> committed = txn.commit_async(
      [this, flight](const store::CommitOutcome& outcome) { complete(flight, outcome); });
  if (!committed) {
    group = std::move(flight->group);
    refused = committed.error();
    Group riders;
    {
      const os::MutexLock lock(mutex_);
      riders = std::move(flight->riders);
      if (newest_ == flight) {
        // The one before may have landed meanwhile; then there is none in flight.
        newest_ = before != nullptr && !before->group.empty() ? before : nullptr;
      }
    }
    RK_CHECK(riders.empty());
  }
}

void Merger::complete(const std::shared_ptr<Flight>& flight, const store::CommitOutcome& outcome) {
  Group group;
  Group riders;
  {
    const os::MutexLock lock(mutex_);
    group = std::move(flight->group);
    flight->group.clear();
    riders = std::move(flight->riders);
    if (newest_ == flight) {
      newest_ = nullptr;
    }
    if (outcome.result.has_value()) {
      ++stats_.transactions_committed;
    }
  }
  group.insert(group.end(), std::make_move_iterator(riders.begin()),
               std::make_move_iterator(riders.end()));
  answer(std::move(group), outcome);
}

// Answers batches that changed nothing once all that they may have seen is durable.
void Merger::ride(Group group) {
  {
    const os::MutexLock lock(mutex_);
    if (newest_ != nullptr) {
      newest_->riders.insert(newest_->riders.end(), std::make_move_iterator(group.begin()),
                             std::make_move_iterator(group.end()));
      return;
    }
  }
  answer(std::move(group), std::nullopt);
}

// A batch that failed by itself is told its own error, whatever became of the transaction.
void Merger::answer(Group group, const std::optional<store::CommitOutcome>& outcome) {
  std::uint64_t succeeded = 0;
  for (Pending& pending : group) {
    RK_CHECK(pending.result.has_value());
    Result<BatchResult> result = std::move(*pending.result);
    if (result.has_value() && outcome.has_value()) {
      if (outcome->result.has_value()) {
        result->txn = outcome->txn;
      } else {
        result = outcome->result.error();
      }
    }
    succeeded += result.has_value() ? 1U : 0U;
    pending.batch.done(std::move(result));
  }
  const os::MutexLock lock(mutex_);
  stats_.batches_executed += succeeded;
  stats_.batches_failed += group.size() - succeeded;
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
