// SPDX-License-Identifier: Apache-2.0
// Flush, sync, retirement, repair, close.
#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "rookery/base/canary.h"

#include "engine.h"

namespace rookery::store {
namespace {

// What one step of maintenance writes at most: a few milliseconds of an ordinary disk.
constexpr std::uint64_t kFlushStepBytes = 8ULL * 1024 * 1024;

// After a failure that could not be put right at once, or while another thread maintains.
constexpr os::Duration kRepairDelay = std::chrono::milliseconds(100);
// While a reader or a full disk keeps away what is due.
constexpr os::Duration kStallDelay = std::chrono::seconds(1);

bool is_later(const JournalPosition& a, const JournalPosition& b) noexcept {
  return std::pair(a.seq, a.batch) > std::pair(b.seq, b.batch);
}

}  // namespace

bool Engine::sync_due() const {
  const PublishedFacts facts = states_.facts();
  if (facts.meta.txn <= synced_txn_.load()) {
    return false;
  }
  const auto since =
      platform_.clock.monotonic().time_since_epoch() - os::Duration(last_sync_ns_.load());
  return since >= options_.sync_interval ||
         facts.journal_bytes - synced_journal_bytes_.load() >= options_.journal_replay_bytes_max ||
         scratch_.used_bytes() >= options_.scratch_memory_bytes_max / 2;
}

std::optional<os::Duration> Engine::maintenance_due_in() const {
  if (poisoned()) {
    return kRepairDelay;
  }
  if (states_.facts().meta.txn <= synced_txn_.load()) {
    return std::nullopt;
  }
  const os::Duration now = platform_.clock.monotonic().time_since_epoch();
  const os::Duration stalled = os::Duration(stalled_until_ns_.load()) - now;
  const os::Duration due =
      sync_due() ? os::Duration(0)
                 : options_.sync_interval - (now - os::Duration(last_sync_ns_.load()));
  return std::max({os::Duration(0), due, stalled});
}

void Engine::stall(os::Duration delay) {
  stalled_until_ns_.store((platform_.clock.monotonic().time_since_epoch() + delay).count());
}

// Room at home is claimed before a commit if there is a reserve (claim_home), else soon after; not
// when its pages are flushed: else the journals could take the last of the disk, and the flush that
// would retire them had none.
bool Engine::file_too_short() const {
  return states_.facts().meta.page_count * kPageSize > data_->size_bytes();
}

// May take from the reserve until there is room: for deletes, and for the flush.
Result<void> Engine::grow_data_file(std::uint64_t page_count, bool allow_reserve) {
  auto grown = data_->grow_to(page_count);
  const auto full = [&] { return !grown && grown.error().code() == ErrorCode::no_space; };
  SpaceReserve* reserve = options_.reserve;
  if (reserve == nullptr || !full()) {
    return grown;
  }
  reserve->enter_disk_full();
  while (allow_reserve && full() && reserve->release_file()) {
    grown = data_->grow_to(page_count);
  }
  return grown;
}

void Engine::note_pressure() {
  if (options_.on_maintenance_needed && !shut_.load() &&
      (poisoned() || journal_.wants_spare() || file_too_short() || sync_due())) {
    options_.on_maintenance_needed();
  }
}

Result<bool> Engine::maintain() {
  if (options_.read_only) {
    return false;
  }
  if (!maintenance_mutex_.try_lock()) {
    stall(kRepairDelay);
    return false;
  }
  auto more = maintain_locked(false);
  maintenance_mutex_.unlock();
  if (!more) {
    stall(kRepairDelay);
  } else if (!*more && sync_due()) {
    stall(kStallDelay);
  }
  if (!more && more.error().code() == ErrorCode::no_space) {
    return false;  // pages stay where they are; a later call tries again
  }
  return more;
}

Result<bool> Engine::maintain_locked(bool force) {
  if (closed_) {
    return false;
  }
  RK_TRY(repair());
  // Until the data can be synced, what space there is is for that: a thin device has less of it
  // than the file system believes.
  const bool can_spare = !data_failed();
  if (can_spare && options_.reserve != nullptr && options_.reserve->disk_full()) {
    static_cast<void>(options_.reserve->try_leave_disk_full());
  }
  if (can_spare && journal_.wants_spare()) {
    auto made = journal_.make_spare();
    if (!made && made.error().code() != ErrorCode::no_space) {
      return std::move(made).error();
    }
  }
  if (file_too_short()) {
    auto grown = grow_data_file(states_.facts().meta.page_count, true);
    if (!grown && grown.error().code() != ErrorCode::no_space) {
      return std::move(grown).error();
    }
  }
  auto more = flush_step(force);
  if (!more && more.error().code() == ErrorCode::no_space && options_.reserve != nullptr) {
    options_.reserve->enter_disk_full();
  }
  let_go_of_synced();
  return more;
}

void Engine::let_go_of_synced() {
  try_trim();
  states_.reclaim();
  if (states_.facts().meta.txn <= synced_txn_.load()) {
    scratch_.release_unused();
  }
}

void Engine::drop_job() {
  if (job_) {
    states_.close(job_->snapshot());
    job_.reset();
  }
}

Result<bool> Engine::flush_step(bool force) {
  if (!job_) {
    if (!force && !sync_due()) {
      return false;
    }
    RK_TRY_ASSIGN(const StateChain::Snapshot snapshot, states_.open_flushable());
    if (snapshot.slot == nullptr) {
      return false;
    }
    if (snapshot.state->meta.txn <= synced_txn_.load()) {
      states_.close(snapshot);
      return false;  // a reader holds us where we are
    }
    const bool vectored = options_.write_mode == EnvironmentOptions::WriteMode::kVectoredFileIo;
    job_.emplace(snapshot, synced_txn_.load(), vectored);
  }
  if (!job_->written()) {
    auto written = job_->write_some(*data_, kFlushStepBytes);
    if (!written) {
      // The next attempt takes the newest state then; pages are in scratch until a sync covers
      // them. After a failed sync the job stays, since it is what must be written again.
      if (data_failed()) {
        job_->start_over();
      } else {
        drop_job();
      }
      return std::move(written).error();
    }
    return true;
  }
  RK_TRY(finish_job());
  return true;
}

// I24: data, its sync, the older header, its sync; only then may anything be given up.
Result<void> Engine::finish_job() {
  const EnvironmentState& state = job_->state();
  const std::uint64_t txn = state.meta.txn;
  if (canary(Canary::kHeaderBeforeDataSync)) {
    RK_TRY(write_start(state));
  }
  RK_TRY(sync_data_file());
  auto named = write_start(state);
  if (!named) {
    drop_job();
    return named;
  }
  synced_journal_bytes_.store(state.journal_bytes);
  last_sync_ns_.store(platform_.clock.monotonic().time_since_epoch().count());
  synced_txn_.store(txn);
  drop_job();
  JournalPosition start;
  bool start_retired = false;
  {
    const os::MutexLock lock(header_mutex_);
    start = record_.start;
    start_retired = record_.start_retired != 0;
  }
  return journal_.retire(start, start_retired);
}

// I13: a failed sync is not retried. What it may have lost is written again, all of it, by a fresh
// descriptor; if that cannot be synced either, writers are refused until it can.
Result<void> Engine::sync_data_file() {
  auto synced = data_->sync();
  if (!synced && canary(Canary::kSecondSyncBelieved)) {
    synced = data_->sync();
  }
  if (synced) {
    unpoison_data();
    return {};
  }
  poison_data(synced.error());
  job_suspect_ = true;
  job_->start_over();
  RK_TRY(data_->reopen());
  RK_TRY(job_->write_all(*data_));
  RK_TRY(data_->sync());
  job_suspect_ = false;
  unpoison_data();
  return {};
}

bool Engine::poisoned() const {
  const os::MutexLock lock(commit_mutex_);
  return journal_failed_.has_value() || data_failed_.has_value();
}

bool Engine::data_failed() const {
  const os::MutexLock lock(commit_mutex_);
  return data_failed_.has_value();
}

void Engine::poison_data(const Error& cause) {
  const os::MutexLock lock(commit_mutex_);
  if (!data_failed_) {
    data_failed_ = cause;
  }
}

void Engine::unpoison_data() {
  const os::MutexLock lock(commit_mutex_);
  if (data_failed_) {
    data_failed_.reset();
    reloads_.fetch_add(1);
    token_free_.notify_all();
  }
}

Result<void> Engine::write_start(const EnvironmentState& state) {
  const JournalPosition durable = states_.facts().position;
  const os::MutexLock lock(header_mutex_);
  HeaderRecord next = record_;
  next.meta = state.meta;
  next.start = state.position;
  next.start_retired = journal_.ends_at(state.position) ? 1 : 0;
  if (is_later(durable, next.floor)) {
    next.floor = durable;
  }
  next.next_seq = journal_.next_seq();
  if (next.has_fence != 0 && next.fence.seq < next.start.seq) {
    next.has_fence = 0;
  }
  if (state.meta.txn >= opened_txn_) {
    next.incarnations = {};
    next.incarnations[0] = incarnation_;
    next.incarnation_count = 1;
  }
  RK_TRY(headers_.write(next));
  record_ = next;
  if (next.incarnation_count == 1) {
    const os::MutexLock commit_lock(commit_mutex_);
    incarnations_full_ = false;
  }
  return {};
}

// The header had no room for this incarnation: writing may begin only when a sync has made some.
Result<void> Engine::record_incarnation() {
  {
    const os::MutexLock lock(commit_mutex_);
    if (!incarnations_full_) {
      return {};
    }
  }
  const os::MutexLock lock(maintenance_mutex_);
  return sync_to(states_.facts().meta.txn);
}

// What failed while running, put right where it can be.
Result<void> Engine::repair() {
  bool lead = false;
  {
    const os::MutexLock lock(commit_mutex_);
    lead = journal_failed_.has_value() && !leading_;
    leading_ = leading_ || lead;
  }
  if (lead) {
    auto reloaded = reload();
    const os::MutexLock lock(commit_mutex_);
    leading_ = false;
    RK_TRY(reloaded);
  }
  if (job_suspect_) {
    RK_TRY(data_->reopen());
    RK_CHECK(job_.has_value());
    job_->start_over();
    job_suspect_ = false;
  }
  if (data_->map()->faulted()) {
    RK_TRY(data_->map_again());
  }
  return {};
}

// Drops what is at home now from the page table, if no writer is there to do it.
void Engine::try_trim() {
  const PublishedFacts facts = states_.facts();
  if ((facts.trimmed_txn < synced_txn_.load() || facts.map != data_->map()) && try_take_token()) {
    trim_with_token();
    release_token();
  }
}

void Engine::trim_with_token() {
  const os::MutexLock lock(commit_mutex_);
  if (tip_ != states_.published()) {
    return;  // the next writer trims
  }
  const std::uint64_t synced = synced_txn_.load();
  PageTableEdit edit(tip_->table, next_state_seq_.fetch_add(1), scratch_);
  edit.trim(synced);
  auto state = std::make_unique<EnvironmentState>();
  state->seq = edit.edit();
  PageTableDelta delta = edit.take();
  state->meta = tip_->meta;
  state->table = delta.table;
  state->map = data_->map();
  state->position = tip_->position;
  state->trimmed_txn = std::max(synced, tip_->trimmed_txn);
  state->journal_bytes = tip_->journal_bytes;
  state->created = std::move(delta.created);
  state->retired = std::move(delta.retired);
  tip_ = state.get();
  std::vector<std::unique_ptr<EnvironmentState>> states;
  states.push_back(std::move(state));
  states_.publish(std::move(states));
}

// Requires: the token.
Result<void> Engine::relieve_pressure() {
  const std::uint64_t bound = options_.scratch_total_bytes_max / 8 * 7;
  // On a full disk memory alone has to do, unless a sync has failed already.
  const std::uint64_t memory_bound = options_.scratch_memory_bytes_max / 8 * 7;
  const bool memory_only = scratch_.is_temp_full() && !data_failed();
  if (scratch_.used_bytes() < (memory_only ? std::min(bound, memory_bound) : bound)) {
    return {};
  }
  write_journal();
  wait_until_published();
  Error cause(ErrorCode::no_space);
  {
    const os::MutexLock lock(maintenance_mutex_);
    if (auto synced = sync_to(states_.facts().meta.txn); !synced) {
      cause = synced.error();
    }
  }
  trim_with_token();
  states_.reclaim();
  if (scratch_.used_bytes() < bound) {
    return {};
  }
  return Error(
      ErrorCode::no_space,
      fmt::format("scratch is full of pages that cannot be flushed: {}", cause.to_string()));
}

// There is no room for another journal: a sync, if it can be had, makes the old ones superfluous.
// Requires: the token.
void Engine::retire_journals() {
  write_journal();
  wait_until_published();
  const os::MutexLock lock(maintenance_mutex_);
  static_cast<void>(sync_to(states_.facts().meta.txn));
}

Result<void> Engine::sync_to(std::uint64_t txn) {
  while (synced_txn_.load() < txn) {
    RK_TRY_ASSIGN(const bool more, maintain_locked(true));
    if (!more && synced_txn_.load() < txn) {
      return Error(ErrorCode::busy,
                   fmt::format("an open snapshot keeps the flush at transaction {}, before {}",
                               synced_txn_.load(), txn));
    }
  }
  return {};
}

Result<void> Engine::sync_all() {
  if (options_.read_only) {
    return {};
  }
  const std::uint64_t txn = states_.facts().meta.txn;
  const os::MutexLock lock(maintenance_mutex_);
  RK_TRY(sync_to(txn));
  // An earlier sync may have gone on beside a write, and left its pages for that.
  let_go_of_synced();
  return {};
}

Result<void> Engine::begin_close() {
  const os::MutexLock lock(maintenance_mutex_);
  const os::MutexLock commit_lock(commit_mutex_);
  const std::size_t own = job_ ? 1 : 0;
  if (!closing_ && (token_taken_ || states_.open_count() > own)) {
    return Error(ErrorCode::busy, fmt::format("{}: a transaction is open", options_.path));
  }
  closing_ = true;
  shut_.store(true);
  token_free_.notify_all();
  return {};
}

Result<void> Engine::close(Flush flush) {
  RK_TRY(begin_close());
  write_journal();  // its callbacks run with no lock held
  const os::MutexLock lock(maintenance_mutex_);
  if (closed_) {
    return {};
  }
  Result<void> done;
  if (!options_.read_only && flush == Flush::kEverything) {
    done = sync_to(states_.facts().meta.txn);
    if (done) {
      done = close_headers();
    }
    journal_.remove_spares();
  }
  drop_job();
  closed_ = true;
  return done;
}

// Everything is at home: both headers say so, and no journal is needed.
Result<void> Engine::close_headers() {
  {
    const os::MutexLock lock(commit_mutex_);
    if (journal_failed_) {
      return *journal_failed_;
    }
  }
  JournalPosition end = journal_.position();
  std::uint64_t epoch = 0;
  {
    const os::MutexLock lock(header_mutex_);
    HeaderRecord next = record_;
    next.meta = states_.facts().meta;
    next.start = end;
    next.start_retired = 1;
    next.floor = end;
    next.fence = {};
    next.has_fence = 0;
    next.next_seq = journal_.next_seq();
    next.incarnations = {};
    next.incarnation_count = 0;
    RK_TRY(headers_.write_both(next));
    record_ = next;
    epoch = next.epoch;
  }
  journal_.restart(epoch, end);
  return journal_.retire(end, true);
}

}  // namespace rookery::store
