// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/doc/reader.h"
#include "rookery/index/info.h"
#include "rookery/index/settings.h"
#include "rookery/os/executor.h"
#include "rookery/os/sync.h"
#include "rookery/search/index_reader.h"
#include "rookery/search/index_writer.h"
#include "rookery/store/environment.h"

#include "catalog.h"
#include "entry.h"

// Purpose. One index: its environment, the worker that keeps it up to date, and who waits for it.
//
//   documents' snapshot --tombstones, documents, in etag order--> one write transaction:
//     entries out, entries in, progress  --commit--> waiters answered
//
// A batch is one transaction; it may span slices, and giving it up costs only its work.
// Threads: any, but for run_once(), which is the executor's.
// Source: docs/indexes.md; STORE-INVARIANTS I20.

namespace rookery::index {

// What all indexes of a database share. Outlives them.
struct Surroundings {
  os::Platform& platform;
  os::Executor& executor;
  store::Environment& documents;
  doc::DatabaseId database;
  Settings settings;
  store::EnvironmentOptions environment;  // without path
  LogSink log;
};

enum class WaitOutcome : std::uint8_t {
  kReached,
  kTimedOut,
  kGone,  // deleted, replaced, or the database is closing
};

class Index;
// Shared: a query that began with an index ends with it, though it was replaced meanwhile.
using IndexRef = std::shared_ptr<Index>;

// Purpose. An index as of one of its transactions.
class IndexSnapshot {
 public:
  IndexSnapshot(IndexRef index, std::unique_ptr<store::ReadTxn> txn, search::IndexReader reader,
                StoredProgress progress)
      : index_(std::move(index)),
        txn_(std::move(txn)),
        reader_(std::move(reader)),
        progress_(progress) {}

  [[nodiscard]] const search::IndexReader& reader() const noexcept { return reader_; }

  [[nodiscard]] const StoredProgress& progress() const noexcept { return progress_; }

  [[nodiscard]] const Index& index() const noexcept { return *index_; }

  [[nodiscard]] std::uint64_t txn_id() const noexcept { return txn_->id().value(); }

  [[nodiscard]] Result<void> check_health() const { return txn_->check_health(); }

 private:
  IndexRef index_;  // outlives the transaction
  std::unique_ptr<store::ReadTxn> txn_;
  search::IndexReader reader_;
  StoredProgress progress_;
};

class Index final : public os::Worker, public std::enable_shared_from_this<Index> {
 public:
  using Waiter = std::function<void(WaitOutcome)>;

  // Makes the folder and commits the definition. Errors: those of the store.
  [[nodiscard]] static Result<IndexRef> create(const Surroundings& around, std::string path,
                                               Definition definition,
                                               const StoredSettings& settings);
  // nullptr: what is there was never finished, or was deleted; the folder may go.
  // `last_etag`: of the documents before any write of this run; an index beyond it is of another
  // history, and is emptied; so is one that has missed deletions. Errors: those of the store.
  [[nodiscard]] static Result<IndexRef> open(const Surroundings& around, std::string path,
                                             std::uint64_t last_etag);
  // Requires: closed.
  ~Index() override;

  void start();
  // No slice runs any more, waiters are told kGone. Idempotent; not from a slice of its own.
  void stop();
  // Stops and closes the environment. Requires: no snapshot is open.
  [[nodiscard]] Result<void> close();

  [[nodiscard]] const Definition& definition() const noexcept { return definition_; }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  // --- Queries.

  // Errors: locked (kError), the fault (kFaulty); those of the store.
  [[nodiscard]] Result<IndexSnapshot> snapshot();
  // `done` is called once, perhaps at once, else from the executor. An index that is out of order
  // keeps nobody waiting: snapshot() says what is wrong.
  void wait(std::uint64_t cutoff_etag, os::MonotonicTime deadline, Waiter done);
  // False: who waits, or will, is told kGone.
  void set_waiting(bool allowed);

  // Up to which etag of the database the index holds everything.
  [[nodiscard]] std::uint64_t seen_etag() const noexcept { return seen_etag_.load(); }

  // It has held everything at least once since it was opened.
  [[nodiscard]] bool has_caught_up() const noexcept { return caught_up_.load(); }

  void note_query();

  // --- Life.

  // The database has changed.
  void wake() { around_.executor.wake(*this); }

  void set_paused(bool paused);
  [[nodiscard]] Result<void> set_disabled(bool disabled);
  [[nodiscard]] Result<void> set_priority(IndexPriority priority);
  [[nodiscard]] Result<void> set_lock(IndexLock lock);
  [[nodiscard]] Result<void> clear_errors();
  // Nobody will find it again: noted durably, so that the folder goes even after a crash.
  [[nodiscard]] Result<void> mark_deleted();
  void set_idle(bool idle);
  [[nodiscard]] StoredSettings settings() const;
  [[nodiscard]] Result<IndexInfo> info();
  [[nodiscard]] std::vector<IndexingError> errors() const;
  [[nodiscard]] Progress progress() const;
  [[nodiscard]] os::MonotonicTime last_use() const;
  [[nodiscard]] bool is_paused() const;
  // Damaged: it will not go on from where it is.
  [[nodiscard]] bool is_faulty() const;

  // It has documents or deletions to take in, and does; a failure to do so ends that until the next
  // try.
  [[nodiscard]] bool is_catching_up() const noexcept { return catching_up_.load(); }

  [[nodiscard]] Result<std::vector<std::string>> verify();

  // --- os::Worker.
  [[nodiscard]] std::string_view name() const noexcept override { return worker_name_; }

  [[nodiscard]] os::Priority priority() const noexcept override;
  bool run_once() override;

 private:
  struct Batch;

  struct Waiting {
    std::uint64_t cutoff_etag = 0;
    os::MonotonicTime deadline;
    Waiter done;
  };

  Index(const Surroundings& around, std::string path, std::unique_ptr<store::Environment> env,
        StoredIndex stored);

  [[nodiscard]] static Result<std::unique_ptr<store::Environment>> open_environment(
      const Surroundings& around, const std::string& path, bool create);

  // Of run_once().
  [[nodiscard]] bool may_index() const;
  [[nodiscard]] Result<bool> step();
  [[nodiscard]] std::uint64_t documents_max() const noexcept;
  [[nodiscard]] std::uint64_t pending_bytes_max() const noexcept;
  [[nodiscard]] Result<bool> is_batch_full();
  [[nodiscard]] Result<bool> begin_batch();
  [[nodiscard]] Result<void> next_snapshot();
  [[nodiscard]] Result<void> end_gathering();
  [[nodiscard]] Result<void> remove_entries(os::MonotonicTime deadline);
  [[nodiscard]] Result<void> add_entries(os::MonotonicTime deadline);
  [[nodiscard]] Result<void> add_entry(const doc::DocumentView& document);
  [[nodiscard]] Result<bool> finish_batch(os::MonotonicTime deadline);
  [[nodiscard]] Result<bool> commit_batch();
  [[nodiscard]] bool maintain();
  void fail_batch(const Error& error);
  void note_map_error(const doc::DocumentView& document, const Error& error);
  void add_error(IndexingError error);
  void reached(std::uint64_t etag);
  void release_waiters();
  void expire_waiters();
  void tell(std::vector<Waiting> waiters, WaitOutcome outcome);
  // Ends the batch under way early, so that it does not wait for long.
  [[nodiscard]] Result<store::WriteTxn> begin_write();
  [[nodiscard]] Result<void> change_settings(const std::function<void(StoredSettings&)>& change);
  void log(Severity severity, const std::string& text) const;

  // Constant after construction.
  const Surroundings& around_;
  const std::string path_;
  const Definition definition_;
  const std::string worker_name_;
  const std::unique_ptr<store::Environment> environment_;

  // Of run_once() alone.
  EntryBuilder entries_;
  std::unique_ptr<Batch> batch_;
  std::string last_failure_;
  std::deque<IndexingError> new_errors_;
  os::MonotonicTime next_batch_at_;
  // Documents of the next batch at most: fewer than the settings say after one whose pages did not
  // fit into the environment's scratch. 0: as the settings say.
  std::uint64_t batch_documents_max_ = 0;

  std::atomic<std::uint64_t> seen_etag_ = 0;
  std::atomic<bool> caught_up_ = false;
  std::atomic<bool> catching_up_ = true;  // until the first look says otherwise
  std::atomic<std::uint64_t> waiting_count_ = 0;
  std::atomic<std::uint64_t> writers_waiting_ = 0;  // for the batch to end
  std::atomic<os::Priority> own_priority_;          // for priority(), which may not lock

  mutable os::Mutex mutex_;
  StoredSettings settings_ RK_GUARDED_BY(mutex_);
  StoredProgress progress_ RK_GUARDED_BY(mutex_);
  std::deque<IndexingError> errors_ RK_GUARDED_BY(mutex_);
  // Bounded by the requests that the server lets in at once.
  std::vector<Waiting> waiting_ RK_GUARDED_BY(mutex_);
  bool paused_ RK_GUARDED_BY(mutex_) = false;
  bool idle_ RK_GUARDED_BY(mutex_) = false;
  bool stopped_ RK_GUARDED_BY(mutex_) = true;
  bool waiting_allowed_ RK_GUARDED_BY(mutex_) = true;
  bool closed_ RK_GUARDED_BY(mutex_) = false;
  std::optional<Error> fault_ RK_GUARDED_BY(mutex_);
  bool too_many_errors_ RK_GUARDED_BY(mutex_) = false;
  std::uint64_t map_attempts_ RK_GUARDED_BY(mutex_) = 0;
  std::uint64_t map_errors_ RK_GUARDED_BY(mutex_) = 0;
  double mapped_per_second_ RK_GUARDED_BY(mutex_) = 0;
  os::MonotonicTime last_use_ RK_GUARDED_BY(mutex_);
  std::optional<os::WallTime> last_queried_ RK_GUARDED_BY(mutex_);
};

}  // namespace rookery::index
