// SPDX-License-Identifier: Apache-2.0
// Opening and closing an index, what can be set, and who waits for it. Its batches: index_batch.cc.
#include "index.h"

#include <algorithm>
#include <utility>

#include "rookery/base/check.h"

#include "batch.h"
#include "coverage.h"
#include "label.h"

namespace rookery::index {
namespace {

os::Priority executor_priority(IndexPriority priority) noexcept {
  switch (priority) {
    case IndexPriority::kLow:
      return os::Priority::kLow;
    case IndexPriority::kNormal:
      return os::Priority::kNormal;
    case IndexPriority::kHigh:
      return os::Priority::kHigh;
  }
  return os::Priority::kNormal;
}

}  // namespace

namespace {

// Why an index can't be brought up to date from where it is; empty: it can.
Result<std::string_view> obstacle_to_going_on(const Surroundings& around, const StoredIndex& stored,
                                              std::uint64_t last_etag) {
  const Progress& progress = stored.progress.progress;
  if (stored.progress.database != around.database || progress.document_etag > last_etag ||
      progress.tombstone_etag > last_etag) {
    return std::string_view("belongs to another history of the documents");
  }
  RK_TRY_ASSIGN(const doc::Snapshot documents, doc::Snapshot::open(around.documents));
  RK_TRY_ASSIGN(const bool has_missed,
                has_missed_deletions(stored.definition, documents.documents(), progress));
  RK_TRY(documents.check_health());
  return has_missed ? std::string_view("has missed deletions that nobody remembers any more")
                    : std::string_view();
}

}  // namespace

Index::Index(const Surroundings& around, std::string path, std::unique_ptr<store::Environment> env,
             StoredIndex stored)
    : around_(around),
      path_(std::move(path)),
      definition_(std::move(stored.definition)),
      worker_name_("rk.idx." + definition_.name),
      environment_(std::move(env)),
      entries_(definition_),
      own_priority_(executor_priority(stored.settings.priority)),
      settings_(stored.settings),
      progress_(stored.progress),
      errors_(std::move(stored.errors)),
      last_use_(around.platform.clock.monotonic()) {}

Index::~Index() {
  const os::MutexLock lock(mutex_);
  RK_CHECK(stopped_);
}

Result<std::unique_ptr<store::Environment>> Index::open_environment(const Surroundings& around,
                                                                    const std::string& path,
                                                                    bool create) {
  store::EnvironmentOptions options = around.environment;
  options.path = path;
  options.create_if_missing = create;
  return store::Environment::open(around.platform, std::move(options));
}

Result<IndexRef> Index::create(const Surroundings& around, std::string path, Definition definition,
                               const StoredSettings& settings) {
  RK_TRY_ASSIGN(std::unique_ptr<store::Environment> environment,
                open_environment(around, path, true));
  StoredIndex stored;
  stored.definition = std::move(definition);
  stored.settings = settings;
  stored.progress.database = around.database;
  {
    RK_TRY_ASSIGN(store::WriteTxn txn, environment->begin_write());
    RK_TRY(store_definition(txn, stored.definition));
    RK_TRY(store_settings(txn, stored.settings));
    RK_TRY(store_progress(txn, stored.progress));
    RK_TRY(txn.commit());
  }
  return IndexRef(new Index(around, std::move(path), std::move(environment), std::move(stored)));
}

Result<IndexRef> Index::open(const Surroundings& around, std::string path,
                             std::uint64_t last_etag) {
  RK_TRY_ASSIGN(std::unique_ptr<store::Environment> environment,
                open_environment(around, path, false));
  std::optional<StoredIndex> stored;
  {
    RK_TRY_ASSIGN(store::ReadTxn txn, environment->begin_read());
    RK_TRY_ASSIGN(stored, load_index(txn));
    RK_TRY(txn.check_health());
  }
  if (!stored.has_value() || stored->settings.deleted) {
    RK_TRY(environment->close());
    return IndexRef();
  }
  RK_TRY_ASSIGN(const std::string_view obstacle, obstacle_to_going_on(around, *stored, last_etag));
  if (!obstacle.empty()) {
    if (around.log != nullptr) {
      around.log(Severity::kWarning, "index '" + stored->definition.name + "' " +
                                         std::string(obstacle) + ": it is built anew");
    }
    RK_TRY(environment->close());
    environment.reset();
    RK_TRY(remove_index_folder(around.platform.files, path));
    return create(around, std::move(path), std::move(stored->definition), stored->settings);
  }
  return IndexRef(new Index(around, std::move(path), std::move(environment), std::move(*stored)));
}

void Index::start() {
  {
    const os::MutexLock lock(mutex_);
    RK_CHECK(stopped_ && !closed_);
    stopped_ = false;
  }
  around_.executor.attach(*this);
  around_.executor.wake(*this);
}

void Index::stop() {
  std::vector<Waiting> waiting;
  {
    const os::MutexLock lock(mutex_);
    if (stopped_) {
      return;
    }
    stopped_ = true;
    waiting = std::exchange(waiting_, {});
  }
  around_.executor.detach(*this);
  batch_.reset();
  tell(std::move(waiting), WaitOutcome::kGone);
}

Result<void> Index::close() {
  stop();
  {
    const os::MutexLock lock(mutex_);
    if (closed_) {
      return {};
    }
    closed_ = true;
  }
  return environment_->close();
}

Result<IndexSnapshot> Index::snapshot() {
  {
    const os::MutexLock lock(mutex_);
    if (fault_.has_value()) {
      return fault_->with_context("index '" + definition_.name + "' is faulty");
    }
    if (too_many_errors_) {
      return Error(ErrorCode::locked,
                   "index '" + definition_.name + "' is in error: " + std::to_string(map_errors_) +
                       " of " + std::to_string(map_attempts_) +
                       " documents could not be indexed; its list of errors says why");
    }
  }
  RK_TRY_ASSIGN(store::ReadTxn opened, environment_->begin_read());
  auto txn = std::make_unique<store::ReadTxn>(std::move(opened));
  RK_TRY_ASSIGN(const StoredProgress progress, load_progress(*txn));
  RK_TRY_ASSIGN(search::IndexReader reader, search::IndexReader::open(*txn));
  return IndexSnapshot(shared_from_this(), std::move(txn), std::move(reader), progress);
}

void Index::wait(std::uint64_t cutoff_etag, os::MonotonicTime deadline, Waiter done) {
  WaitOutcome outcome = WaitOutcome::kReached;
  bool waits = false;
  {
    const os::MutexLock lock(mutex_);
    if (stopped_ || !waiting_allowed_) {
      outcome = WaitOutcome::kGone;
    } else if (!fault_.has_value() && !too_many_errors_ && seen_etag_.load() < cutoff_etag) {
      waits = true;
      waiting_.push_back({cutoff_etag, deadline, std::move(done)});
      waiting_count_.store(waiting_.size());
    }
  }
  if (waits) {
    around_.executor.wake(*this);
  } else {
    done(outcome);
  }
}

void Index::set_waiting(bool allowed) {
  std::vector<Waiting> waiting;
  {
    const os::MutexLock lock(mutex_);
    waiting_allowed_ = allowed;
    if (!allowed) {
      waiting = std::exchange(waiting_, {});
      waiting_count_.store(0);
    }
  }
  tell(std::move(waiting), WaitOutcome::kGone);
}

void Index::note_query() {
  const os::MutexLock lock(mutex_);
  last_use_ = around_.platform.clock.monotonic();
  last_queried_ = around_.platform.clock.wall();
  idle_ = false;
}

void Index::set_paused(bool paused) {
  {
    const os::MutexLock lock(mutex_);
    paused_ = paused;
  }
  wake();
}

void Index::set_idle(bool idle) {
  const os::MutexLock lock(mutex_);
  idle_ = idle;
}

Result<store::WriteTxn> Index::begin_write() {
  writers_waiting_.fetch_add(1);
  auto txn = environment_->begin_write();
  writers_waiting_.fetch_sub(1);
  return txn;
}

Result<void> Index::change_settings(const std::function<void(StoredSettings&)>& change) {
  RK_TRY_ASSIGN(store::WriteTxn txn, begin_write());
  txn.allow_reserve();
  StoredSettings changed = settings();
  change(changed);
  RK_TRY(store_settings(txn, changed));
  RK_TRY(txn.commit());
  {
    const os::MutexLock lock(mutex_);
    settings_ = changed;
  }
  own_priority_.store(executor_priority(changed.priority), std::memory_order_relaxed);
  wake();
  return {};
}

Result<void> Index::set_disabled(bool disabled) {
  return change_settings([disabled](StoredSettings& settings) { settings.disabled = disabled; });
}

Result<void> Index::set_priority(IndexPriority priority) {
  return change_settings([priority](StoredSettings& settings) { settings.priority = priority; });
}

Result<void> Index::set_lock(IndexLock lock) {
  return change_settings([lock](StoredSettings& settings) { settings.lock = lock; });
}

Result<void> Index::mark_deleted() {
  return change_settings([](StoredSettings& settings) { settings.deleted = true; });
}

Result<void> Index::clear_errors() {
  RK_TRY_ASSIGN(store::WriteTxn txn, begin_write());
  RK_TRY(store_errors(txn, {}));
  RK_TRY(txn.commit());
  const os::MutexLock lock(mutex_);
  errors_.clear();
  map_attempts_ = 0;
  map_errors_ = 0;
  too_many_errors_ = false;
  return {};
}

StoredSettings Index::settings() const {
  const os::MutexLock lock(mutex_);
  return settings_;
}

std::vector<IndexingError> Index::errors() const {
  const os::MutexLock lock(mutex_);
  return {errors_.begin(), errors_.end()};
}

Progress Index::progress() const {
  const os::MutexLock lock(mutex_);
  return progress_.progress;
}

os::MonotonicTime Index::last_use() const {
  const os::MutexLock lock(mutex_);
  return last_use_;
}

bool Index::is_paused() const {
  const os::MutexLock lock(mutex_);
  return paused_;
}

bool Index::is_faulty() const {
  const os::MutexLock lock(mutex_);
  return fault_.has_value();
}

Result<IndexInfo> Index::info() {
  IndexInfo info;
  info.definition = definition_;
  {
    const os::MutexLock lock(mutex_);
    info.priority = settings_.priority;
    info.lock = settings_.lock;
    info.created = settings_.created;
    info.status = settings_.disabled ? RunningStatus::kDisabled
                  : paused_          ? RunningStatus::kPaused
                                     : RunningStatus::kRunning;
    info.state = settings_.disabled ? IndexState::kDisabled
                 : too_many_errors_ ? IndexState::kError
                 : idle_            ? IndexState::kIdle
                                    : IndexState::kNormal;
    info.last_indexed = progress_.indexed_at;
    info.last_queried = last_queried_;
    info.error_count = errors_.size();
    info.map_attempts = map_attempts_;
    info.map_errors = map_errors_;
    info.mapped_per_second = mapped_per_second_;
    if (fault_.has_value()) {
      info.state = IndexState::kFaulty;
      info.fault = fault_->to_string();
      return info;
    }
  }
  RK_TRY_ASSIGN(store::ReadTxn txn, environment_->begin_read());
  RK_TRY_ASSIGN(const StoredProgress progress, load_progress(txn));
  info.progress = progress.progress;
  RK_TRY_ASSIGN(const search::IndexReader reader, search::IndexReader::open(txn));
  RK_TRY_ASSIGN(info.entry_count, reader.entry_count());
  const store::EnvironmentStats stats = environment_->stats();
  info.size_bytes = stats.file_allocated_bytes + stats.journal_bytes;
  RK_TRY_ASSIGN(const doc::Snapshot documents, doc::Snapshot::open(around_.documents));
  RK_TRY_ASSIGN(info.is_stale, is_behind(definition_, documents.documents(), info.progress));
  return info;
}

Result<std::vector<std::string>> Index::verify() {
  RK_TRY_ASSIGN(const store::VerifyReport report, environment_->verify());
  std::vector<std::string> problems = report.problems;
  RK_TRY_ASSIGN(store::ReadTxn txn, environment_->begin_read());
  RK_TRY_ASSIGN(const std::vector<std::string> wrong, search::verify(txn));
  problems.insert(problems.end(), wrong.begin(), wrong.end());
  return problems;
}

os::Priority Index::priority() const noexcept {
  // Hints, ordered by nothing.
  if (waiting_count_.load(std::memory_order_relaxed) > 0) {
    return os::Priority::kHigh;
  }
  return own_priority_.load(std::memory_order_relaxed);
}

void Index::reached(std::uint64_t etag) {
  std::vector<Waiting> reached;
  {
    const os::MutexLock lock(mutex_);
    seen_etag_.store(etag);
    caught_up_.store(true);
    const auto waits_on =
        std::partition(waiting_.begin(), waiting_.end(),
                       [etag](const Waiting& w) { return w.cutoff_etag <= etag; });
    std::move(waiting_.begin(), waits_on, std::back_inserter(reached));
    waiting_.erase(waiting_.begin(), waits_on);
    waiting_count_.store(waiting_.size());
  }
  tell(std::move(reached), WaitOutcome::kReached);
}

void Index::release_waiters() {
  std::vector<Waiting> waiting;
  {
    const os::MutexLock lock(mutex_);
    waiting = std::exchange(waiting_, {});
    waiting_count_.store(0);
  }
  tell(std::move(waiting), WaitOutcome::kReached);
}

void Index::expire_waiters() {
  std::vector<Waiting> expired;
  const os::MonotonicTime now = around_.platform.clock.monotonic();
  os::MonotonicTime next = os::MonotonicTime::max();
  {
    const os::MutexLock lock(mutex_);
    const auto waits_on = std::partition(waiting_.begin(), waiting_.end(),
                                         [now](const Waiting& w) { return w.deadline <= now; });
    std::move(waiting_.begin(), waits_on, std::back_inserter(expired));
    waiting_.erase(waiting_.begin(), waits_on);
    waiting_count_.store(waiting_.size());
    for (const Waiting& one : waiting_) {
      next = std::min(next, one.deadline);
    }
  }
  if (next != os::MonotonicTime::max()) {
    around_.executor.wake_after(*this, next - now);
  }
  tell(std::move(expired), WaitOutcome::kTimedOut);
}

void Index::tell(std::vector<Waiting> waiters, WaitOutcome outcome) {
  for (Waiting& one : waiters) {
    one.done(outcome);
  }
}

void Index::log(Severity severity, const std::string& text) const {
  if (around_.log != nullptr) {
    around_.log(severity, "index '" + definition_.name + "': " + text);
  }
}

}  // namespace rookery::index
