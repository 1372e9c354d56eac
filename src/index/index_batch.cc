// SPDX-License-Identifier: Apache-2.0
// The batches of an index: slices of work on one transaction, and what becomes of failures.
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "rookery/base/canary.h"
#include "rookery/base/check.h"
#include "rookery/store/memory_budget.h"
#include "rookery/value/date.h"

#include "batch.h"
#include "coverage.h"
#include "facts.h"
#include "index.h"

namespace rookery::index {

namespace {

// With more of the scratch than this part of it taken by pages on their way to the data file, these
// go first: a batch could fill what room is left, and would have been for nothing.
constexpr std::uint64_t kScratchPart = 4;
// The part of it that the pages of one batch may take.
constexpr std::uint64_t kBatchScratchPart = 2;
// What waits to be written may take as much as the scratch's memory this many times.
constexpr std::uint64_t kPendingScratches = 4;
// Of the memory of all indexes and scratches: the part for one batch, and how much smaller a batch
// is once all of it is taken.
constexpr std::uint64_t kBudgetPart = 4;
constexpr std::uint64_t kShortOfMemory = 16;
// A batch is made smaller down to this.
constexpr std::uint64_t kBatchDocumentsMin = 128;

// Errors after which trying again cannot help.
bool is_lasting(const Error& error) {
  return error.error_class() == ErrorClass::kCorrupt;
}

}  // namespace

bool Index::run_once() {
  expire_waiters();
  if (!may_index()) {
    batch_.reset();
    catching_up_.store(false);
    return maintain();
  }
  const os::MonotonicTime now = around_.platform.clock.monotonic();
  if (batch_ == nullptr && now < next_batch_at_) {
    around_.executor.wake_after(*this, next_batch_at_ - now);
    return maintain();
  }
  const std::uint64_t scratch_high = around_.environment.scratch_total_bytes_max / kScratchPart;
  if (batch_ == nullptr && environment_->stats().scratch_bytes > scratch_high && maintain()) {
    return true;
  }
  const Result<bool> more = step();
  if (!more) {
    fail_batch(more.error());
    return false;
  }
  catching_up_.store(batch_ != nullptr || *more);
  // A sync would hold the documents' snapshot longer.
  if (batch_ != nullptr && batch_->documents.has_value()) {
    return true;
  }
  const bool has_upkeep = maintain();
  return *more || has_upkeep;
}

bool Index::may_index() const {
  const os::MutexLock lock(mutex_);
  return !paused_ && !settings_.disabled && !settings_.deleted && !fault_.has_value() &&
         !too_many_errors_;
}

// True: there is more to do now.
Result<bool> Index::step() {
  if (batch_ == nullptr) {
    RK_TRY_ASSIGN(const bool begun, begin_batch());
    if (!begun) {
      return false;
    }
  }
  const os::MonotonicTime deadline =
      around_.platform.clock.monotonic() + around_.settings.slice_time;
  if (!batch_->documents.has_value()) {
    return finish_batch(deadline);
  }
  if (!batch_->tombstones_done) {
    RK_TRY(remove_entries(deadline));
  }
  if (batch_->tombstones_done) {
    RK_TRY(add_entries(deadline));
  }
  RK_TRY_ASSIGN(const bool is_full, is_batch_full());
  if (batch_->documents_done || is_full) {
    RK_TRY(end_gathering());
  } else if (around_.platform.clock.monotonic() - batch_->snapshot_opened >=
             around_.settings.snapshot_time_max) {
    RK_TRY(next_snapshot());
  }
  return true;
}

// Less where memory is short, or much of it is taken.
std::uint64_t Index::pending_bytes_max() const noexcept {
  std::uint64_t most = std::min(around_.settings.batch_pending_bytes_max,
                                around_.environment.scratch_memory_bytes_max * kPendingScratches);
  const store::MemoryBudget* const budget = around_.environment.memory_budget;
  if (budget == nullptr) {
    return most;
  }
  most = std::min(most, budget->bytes_max() / kBudgetPart);
  return budget->used() >= budget->bytes_max() ? most / kShortOfMemory : most;
}

Result<bool> Index::is_batch_full() {
  Batch& batch = *batch_;
  // What the transaction will have changed must fit into the scratch, beside the batch before.
  RK_TRY_ASSIGN(std::uint64_t dirty_bytes, batch.writer->pending_page_bytes());
  dirty_bytes += batch.txn.dirty_bytes();
  batch.charge.set(batch.writer->pending_bytes());
  return batch.document_count >= documents_max() ||
         batch.writer->pending_bytes() >= pending_bytes_max() ||
         dirty_bytes >= around_.environment.scratch_total_bytes_max / kBatchScratchPart ||
         around_.platform.clock.monotonic() - batch.started >= around_.settings.batch_time_max ||
         writers_waiting_.load() > 0;
}

std::uint64_t Index::documents_max() const noexcept {
  const std::uint64_t most = around_.settings.batch_documents_max;
  return batch_documents_max_ == 0 ? most : std::min(most, batch_documents_max_);
}

// False: there is nothing to do.
Result<bool> Index::begin_batch() {
  RK_TRY_ASSIGN(doc::Snapshot documents, doc::Snapshot::open(around_.documents));
  RK_TRY_ASSIGN(const std::uint64_t last_etag, documents->last_etag());
  if (last_etag <= seen_etag_.load()) {
    return false;
  }
  StoredProgress stored;
  {
    // From the store, not from memory: after a commit of unknown outcome only the store knows.
    RK_TRY_ASSIGN(store::ReadTxn read, environment_->begin_read());
    RK_TRY_ASSIGN(stored, load_progress(read));
  }
  RK_TRY_ASSIGN(const bool behind, is_behind(definition_, documents.documents(), stored.progress));
  if (!behind) {
    RK_TRY(documents.check_health());
    reached(last_etag);
    return false;
  }
  if (canary(Canary::kIndexProgressFirst)) {
    RK_TRY_ASSIGN(store::WriteTxn early, environment_->begin_write());
    StoredProgress lie = stored;
    lie.progress = {last_etag, last_etag};
    RK_TRY(store_progress(early, lie));
    RK_TRY(early.commit());
  }
  RK_TRY_ASSIGN(store::WriteTxn txn, environment_->begin_write());
  auto batch = std::make_unique<Batch>(std::move(documents), std::move(txn),
                                       around_.environment.memory_budget);
  RK_TRY_ASSIGN(search::IndexWriter writer, search::IndexWriter::open(batch->txn));
  batch->writer.emplace(std::move(writer));
  batch->last_etag = last_etag;
  batch->next = stored.progress;
  batch->started = around_.platform.clock.monotonic();
  batch->snapshot_opened = batch->started;
  batch_ = std::move(batch);
  return true;
}

// Goes on from where it is in what the documents are by now: their old state is kept for nobody
// longer than it takes to read so much. To the entries it is as if there were a batch a snapshot.
Result<void> Index::next_snapshot() {
  Batch& batch = *batch_;
  RK_TRY(end_gathering());
  RK_TRY_ASSIGN(doc::Snapshot documents, doc::Snapshot::open(around_.documents));
  RK_TRY_ASSIGN(batch.last_etag, documents->last_etag());
  batch.documents.emplace(std::move(documents));
  batch.tombstones_done = false;
  batch.documents_done = false;
  batch.snapshot_opened = around_.platform.clock.monotonic();
  return {};
}

Result<void> Index::end_gathering() {
  // What could not be read looks like zeros: nothing made of it may stay.
  RK_TRY(batch_->documents->check_health());
  batch_->documents.reset();
  return {};
}

// All tombstones go first: what was deleted and made again since is put back by its document, whose
// etag is higher.
Result<void> Index::remove_entries(os::MonotonicTime deadline) {
  std::uint32_t count = 0;
  bool stopped = false;
  const auto remove = [&](const doc::DocumentView& tombstone) -> Result<bool> {
    if (!canary(Canary::kIndexTombstoneSkipped)) {
      RK_TRY(batch_->writer->erase(tombstone.folded_id));
    }
    batch_->next.tombstone_etag = tombstone.etag;
    stopped = ++count % around_.settings.items_a_look == 0 &&
              around_.platform.clock.monotonic() >= deadline;
    return !stopped;
  };
  RK_TRY(scan_tombstones(definition_, batch_->documents->documents(),
                         batch_->next.tombstone_etag + 1, remove));
  if (!stopped) {
    batch_->tombstones_done = true;
    batch_->next.tombstone_etag = batch_->last_etag;
  }
  return {};
}

Result<void> Index::add_entries(os::MonotonicTime deadline) {
  std::uint32_t count = 0;
  bool stopped = false;
  const auto add = [&](const doc::DocumentView& document) -> Result<bool> {
    RK_TRY(add_entry(document));
    batch_->next.document_etag = document.etag;
    ++batch_->document_count;
    stopped = (++count % around_.settings.items_a_look == 0 &&
               around_.platform.clock.monotonic() >= deadline) ||
              batch_->document_count >= documents_max() ||
              batch_->writer->pending_bytes() >= pending_bytes_max();
    return !stopped;
  };
  RK_TRY(scan_documents(definition_, batch_->documents->documents(), batch_->next.document_etag + 1,
                        add));
  if (!stopped) {
    batch_->documents_done = true;
    batch_->next.document_etag = batch_->last_etag;
  }
  return {};
}

// A document that cannot be indexed is out of the index and on the list of errors; others go on.
Result<void> Index::add_entry(const doc::DocumentView& document) {
  const Result<value::View> body = document.value();
  if (!body) {
    note_map_error(document, body.error());
    RK_TRY(batch_->writer->erase(document.folded_id));
    return {};
  }
  const std::string last_modified = value::format_date(document.last_modified);
  const plan::DocumentFacts facts = facts_of(document, *body, last_modified);
  Result<void> put = batch_->writer->put(document.folded_id, document.id, entries_.build(facts));
  if (!put && put.error().error_class() == ErrorClass::kCaller) {
    note_map_error(document, put.error());
    RK_TRY(batch_->writer->erase(document.folded_id));
    return {};
  }
  return put;
}

void Index::note_map_error(const doc::DocumentView& document, const Error& error) {
  ++batch_->failed_count;
  add_error({around_.platform.clock.wall(), std::string(document.id), "Map", error.to_string()});
}

void Index::add_error(IndexingError error) {
  new_errors_.push_back(std::move(error));
  if (new_errors_.size() > kErrorsMax) {
    new_errors_.pop_front();
  }
}

// True: there is more to do.
Result<bool> Index::finish_batch(os::MonotonicTime deadline) {
  const auto is_over = [&] { return around_.platform.clock.monotonic() >= deadline; };
  RK_TRY_ASSIGN(const bool finished, batch_->writer->finish_some(is_over));
  if (!finished) {
    return true;
  }
  return commit_batch();
}

Result<bool> Index::commit_batch() {
  Batch& batch = *batch_;
  StoredProgress progress;
  progress.database = around_.database;
  progress.progress = batch.next;
  progress.indexed_at = around_.platform.clock.wall();
  std::deque<IndexingError> errors;
  if (!new_errors_.empty()) {
    {
      const os::MutexLock lock(mutex_);
      errors = errors_;
    }
    errors.insert(errors.end(), new_errors_.begin(), new_errors_.end());
    while (errors.size() > kErrorsMax) {
      errors.pop_front();
    }
    RK_TRY(store_errors(batch.txn, errors));
  }
  RK_TRY(store_progress(batch.txn, progress));
  batch.writer.reset();
  RK_TRY(batch.txn.commit());
  const std::uint64_t last_etag = batch.last_etag;
  const bool caught_up = batch.documents_done;
  bool has_failed = false;
  {
    const os::MutexLock lock(mutex_);
    progress_ = progress;
    map_attempts_ += batch.document_count;
    map_errors_ += batch.failed_count;
    const auto spent =
        std::chrono::duration<double>(around_.platform.clock.monotonic() - batch.started);
    mapped_per_second_ =
        spent.count() > 0 ? static_cast<double>(batch.document_count) / spent.count() : 0;
    if (!new_errors_.empty()) {
      errors_ = std::move(errors);
      new_errors_.clear();
    }
    too_many_errors_ = map_attempts_ >= around_.settings.error_attempts_min &&
                       static_cast<double>(map_errors_) >=
                           around_.settings.error_share_max * static_cast<double>(map_attempts_);
    has_failed = too_many_errors_;
  }
  batch_.reset();
  batch_documents_max_ = batch_documents_max_ < around_.settings.batch_documents_max
                             ? batch_documents_max_ + batch_documents_max_ / 8
                             : 0;
  last_failure_.clear();
  if (around_.settings.throttle > os::Duration::zero()) {
    next_batch_at_ = around_.platform.clock.monotonic() + around_.settings.throttle;
  }
  if (caught_up) {
    reached(last_etag);
  } else if (has_failed) {
    release_waiters();
  }
  // Whether the documents changed meanwhile, the next begin_batch() finds out.
  return true;
}

void Index::fail_batch(const Error& error) {
  if (batch_ != nullptr && error.code() == ErrorCode::no_space) {
    batch_documents_max_ = std::max(kBatchDocumentsMin, batch_->document_count / 2);
  }
  batch_.reset();
  if (error.code() == ErrorCode::no_space) {
    // Pages on their way to the data file may be what takes the room, however few they are. If they
    // cannot go either, the next batch says so.
    static_cast<void>(environment_->sync_all());
  }
  catching_up_.store(false);
  new_errors_.clear();
  const std::string text = error.to_string();
  const bool is_news = text != last_failure_;
  if (is_news) {
    log(Severity::kError, text);
    last_failure_ = text;
  }
  const bool lasting = is_lasting(error);
  {
    const os::MutexLock lock(mutex_);
    if (lasting) {
      fault_ = error;
    }
    // The same failure at every try is listed once.
    if (is_news) {
      errors_.push_back({around_.platform.clock.wall(), "", "Write", text});
    }
    if (errors_.size() > kErrorsMax) {
      errors_.pop_front();
    }
  }
  if (lasting) {
    release_waiters();
  } else {
    next_batch_at_ = around_.platform.clock.monotonic() + around_.settings.retry_delay;
    around_.executor.wake_after(*this, around_.settings.retry_delay);
  }
}

// Flush and sync of the environment. True: more to do now.
bool Index::maintain() {
  const Result<bool> more = environment_->maintain();
  if (!more) {
    around_.executor.wake_after(*this, around_.settings.retry_delay);
    return false;
  }
  if (*more) {
    return true;
  }
  if (const auto due = environment_->maintenance_due_in(); due.has_value()) {
    around_.executor.wake_after(*this,
                                *due > os::Duration::zero() ? *due : around_.settings.retry_delay);
  }
  return false;
}

}  // namespace rookery::index
