// SPDX-License-Identifier: Apache-2.0
// The write token, the queue of commits, and whoever leads the journal.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine.h"
#include "transactions.h"

namespace rookery::store {
namespace {

// Whose cause was a full disk is told that: it passes when there is space.
Error poisoned_by(const Error& cause) {
  const bool full = cause.code() == ErrorCode::no_space;
  return {full ? ErrorCode::no_space : ErrorCode::poisoned,
          fmt::format("writes are refused since: {}", cause.to_string()), cause.os_errno()};
}

}  // namespace

Result<std::uint64_t> Engine::take_token() {
  const os::MutexLock lock(commit_mutex_);
  for (;;) {
    if (closing_) {
      return Error(ErrorCode::shutting_down, fmt::format("{}: is closed", options_.path));
    }
    if (journal_failed_) {
      return poisoned_by(*journal_failed_);
    }
    // If there was no space for a sync (a thin device), deletes go on: refusal_of_data().
    if (data_failed_ && data_failed_->code() != ErrorCode::no_space) {
      return poisoned_by(*data_failed_);
    }
    if (!token_taken_) {
      token_taken_ = true;
      return generation_;
    }
    token_free_.wait(commit_mutex_);
  }
}

bool Engine::try_take_token() {
  const os::MutexLock lock(commit_mutex_);
  if (token_taken_ || closing_) {
    return false;
  }
  token_taken_ = true;
  return true;
}

void Engine::dispose_graveyard() {
  for (const auto& state : graveyard_) {
    state->created.dispose(scratch_);
  }
  graveyard_.clear();
}

void Engine::release_token() {
  const os::MutexLock lock(commit_mutex_);
  RK_CHECK(token_taken_);
  token_taken_ = false;
  dispose_graveyard();
  token_free_.notify_all();  // one that finds the environment poisoned would not pass it on
}

Result<WriteTxn> Engine::begin_write() {
  if (options_.read_only) {
    return Error(ErrorCode::invalid_argument, fmt::format("{}: opened to read", options_.path));
  }
  RK_TRY(take_token());
  auto ready = relieve_pressure();
  if (ready) {
    ready = record_incarnation();
  }
  if (!ready) {
    release_token();
    return std::move(ready).error();
  }
  WriteContext::Base base;
  std::uint64_t generation = 0;
  std::optional<Error> failed;
  {
    // A failure since the token was taken: what is of its generation may only begin once the
    // journal is repaired, for the repair takes back the room that was promised before it.
    const os::MutexLock lock(commit_mutex_);
    failed = journal_failed_;
    base.state = tip_;
    generation = generation_;
  }
  if (failed) {
    release_token();
    return poisoned_by(*failed);
  }
  base.seq = next_state_seq_.fetch_add(1);
  base.synced_txn = std::max(synced_txn_.load(), base.state->trimmed_txn);
  // After the line before: a map that is as long as the file that was synced.
  base.map = data_->map();
  if (generation != free_map_generation_) {
    free_map_.forget();
    free_map_generation_ = generation;
  }
  auto context = std::make_unique<WriteContext>(std::move(base), scratch_, free_map_);
  return WriteTxn(std::make_unique<WriteTxn::Rep>(*this, std::move(context), generation));
}

void Engine::roll_back(std::unique_ptr<WriteContext> context) {
  context.reset();  // before the token: its pages may be those of a state in the graveyard
  release_token();
}

Result<TxnId> Engine::enqueue(std::unique_ptr<WriteContext> context, std::uint64_t generation,
                              bool allow_reserve, CommitCallback done) {
  const auto refuse = [&](Error cause) -> Result<TxnId> {
    roll_back(std::move(context));
    return cause;
  };
  if (auto finished = context->finish(); !finished) {
    return refuse(finished.error());
  }
  PendingCommit commit;
  commit.done = std::move(done);
  if (context->changed()) {
    commit.txn = context->id();
    if (auto claimed = claim_home(context->page_count(), allow_reserve); !claimed) {
      return refuse(claimed.error());
    }
    commit.record = context->make_record();
    auto target = claim_journal(commit.record.size(), allow_reserve);
    if (!target) {
      return refuse(target.error());
    }
    commit.target = *target;
  } else {
    commit.txn = TxnId(context->base().meta.txn);
  }
  const TxnId txn = commit.txn;
  commit_mutex_.lock();
  if (generation != generation_) {
    commit_mutex_.unlock();
    return refuse(
        {ErrorCode::not_stored, "a transaction that this one is built on was not stored"});
  }
  const bool in_flight = tip_ != states_.published();
  if (context->changed()) {
    commit.state = context->take();
    tip_ = commit.state.get();
  }
  // A transaction that changed nothing may still have seen what is in flight: it has to wait for
  // it.
  const bool waits = commit.state != nullptr || in_flight;
  if (waits) {
    pending_.push_back(std::move(commit));
  }
  commit_mutex_.unlock();
  roll_back(std::move(context));
  if (!waits) {
    commit.done({{}, txn});
  }
  return txn;
}

// I16: pages that have no room at home keep their journals, and those the disk, until not even a
// delete has room.
Result<void> Engine::claim_home(std::uint64_t page_count, bool allow_reserve) {
  if (auto refused = allow_reserve ? std::nullopt : refusal_of_data()) {
    return *std::move(refused);
  }
  const SpaceReserve* reserve = options_.reserve;
  if (reserve == nullptr || page_count * kPageSize <= data_->size_bytes()) {
    return {};
  }
  if (!allow_reserve && reserve->disk_full()) {
    return Error(ErrorCode::no_space, "the volume is full: only deletes have room");
  }
  auto grown = data_->grow_to(page_count);
  if (!grown && grown.error().code() == ErrorCode::no_space) {
    retire_journals();
    grown = grow_data_file(page_count, allow_reserve);
  }
  if (!grown && grown.error().code() == ErrorCode::no_space) {
    return grown;
  }
  return {};  // another failure is the flush's to find
}

Result<std::uint64_t> Engine::claim_journal(std::uint64_t record_bytes, bool allow_reserve) {
  auto target = journal_.reserve(record_bytes, allow_reserve);
  if (!target && target.error().code() == ErrorCode::no_space) {
    retire_journals();
    target = journal_.reserve(record_bytes, allow_reserve);
  }
  return target;
}

std::optional<Error> Engine::refusal_of_data() const {
  const os::MutexLock lock(commit_mutex_);
  return data_failed_ ? std::optional(poisoned_by(*data_failed_)) : std::nullopt;
}

Result<TxnId> Engine::commit_and_wait(std::unique_ptr<WriteContext> context,
                                      std::uint64_t generation, bool allow_reserve) {
  struct Waiter {
    os::Event known;
    CommitOutcome outcome;
  };

  // Shared: the leader may still be inside set() when this thread has seen it and gone.
  auto waiter = std::make_shared<Waiter>();
  RK_TRY(enqueue(std::move(context), generation, allow_reserve,
                 [waiter](const CommitOutcome& outcome) {
                   waiter->outcome = outcome;
                   waiter->known.set();
                 }));
  write_journal();
  waiter->known.wait();
  RK_TRY(waiter->outcome.result);
  return waiter->outcome.txn;
}

bool Engine::has_pending_commits() const {
  const os::MutexLock lock(commit_mutex_);
  return !pending_.empty();
}

void Engine::write_journal() {
  commit_mutex_.lock();
  if (leading_) {
    commit_mutex_.unlock();
    return;
  }
  leading_ = true;
  while (!pending_.empty()) {
    PendingCommits group = take_group();
    commit_mutex_.unlock();
    write_group(std::move(group));
    commit_mutex_.lock();
  }
  leading_ = false;
  commit_mutex_.unlock();
  note_pressure();
}

// As many as fit one batch; a record longer than a part goes alone, over several.
Engine::PendingCommits Engine::take_group() {
  PendingCommits group;
  std::uint64_t bytes = 0;
  std::uint64_t target = 0;
  while (!pending_.empty()) {
    const PendingCommit& next = pending_.front();
    if (next.state != nullptr && target != 0 &&
        (next.target != target || next.record.size() > kEntryPartMax ||
         bytes + next.record.size() > kBatchPayloadMax)) {
      break;
    }
    const bool alone = next.record.size() > kEntryPartMax;
    target = next.state != nullptr ? next.target : target;
    bytes += next.record.size();
    group.push_back(std::move(pending_.front()));
    pending_.pop_front();
    if (alone) {
      break;
    }
  }
  return group;
}

void Engine::write_group(PendingCommits group) {
  if (auto written = write_records(group); !written) {
    fail(std::move(group), written.error());
    return;
  }
  publish_group(group);
  for (const PendingCommit& commit : group) {
    commit.done({{}, commit.txn});
  }
}

BatchItem Engine::item_for(const PendingCommit& commit) const {
  return {.environment_id = environment_id_,
          .incarnation = incarnation_,
          .txn = commit.txn.value(),
          .part = 0,
          .last = true,
          .bytes = as_bytes(commit.record)};
}

Result<void> Engine::write_records(PendingCommits& group) {
  std::vector<BatchItem> items;
  for (const PendingCommit& commit : group) {
    if (commit.state == nullptr) {
      continue;
    }
    RK_TRY(make_current(commit.target));
    if (commit.record.size() > kEntryPartMax) {
      RK_CHECK(items.empty());
      return append_parts(commit);
    }
    items.push_back(item_for(commit));
  }
  return items.empty() ? Result<void>() : journal_.append(items);
}

Result<void> Engine::append_parts(const PendingCommit& commit) {
  const Bytes record = as_bytes(commit.record);
  std::vector<BatchItem> items;
  std::size_t in_batch = 0;
  std::uint32_t part = 0;
  for (std::size_t at = 0; at < record.size(); at += kEntryPartMax) {
    BatchItem item = item_for(commit);
    item.bytes = record.subspan(at, std::min(kEntryPartMax, record.size() - at));
    item.part = part++;
    item.last = at + item.bytes.size() == record.size();
    in_batch += item.bytes.size();
    items.push_back(item);
    if (item.last || in_batch + kEntryPartMax > kBatchPayloadMax) {
      RK_TRY(journal_.append(items));
      items.clear();
      in_batch = 0;
    }
  }
  return {};
}

// A new file is named in a header before its first batch is written: no file that holds commits can
// be lost without anyone noticing.
Result<void> Engine::make_current(std::uint64_t target) {
  if (journal_.is_current(target)) {
    return {};
  }
  RK_TRY(journal_.activate(target, states_.facts().meta.txn));
  const os::MutexLock lock(header_mutex_);
  HeaderRecord next = record_;
  next.floor = journal_.position();
  next.next_seq = journal_.next_seq();
  RK_TRY(headers_.write(next));
  record_ = next;
  return {};
}

void Engine::publish_group(PendingCommits& group) {
  std::vector<std::unique_ptr<EnvironmentState>> states;
  for (PendingCommit& commit : group) {
    if (commit.state != nullptr) {
      commit.state->position = journal_.position();
      commit.state->journal_bytes = journal_.appended_bytes();
      states.push_back(std::move(commit.state));
    }
  }
  if (!states.empty()) {
    const os::MutexLock lock(commit_mutex_);
    states_.publish(std::move(states));
    published_.notify_all();
  }
}

// The batch that failed and all that was built on it come to nothing. A client hears "not stored"
// for certain only once no recovery can find the batch any more.
void Engine::fail(PendingCommits written, const Error& cause) {
  PendingCommits behind;
  {
    const os::MutexLock lock(commit_mutex_);
    ++generation_;
    journal_failed_ = cause;
    tip_ = states_.published();
    for (PendingCommit& commit : pending_) {
      behind.push_back(std::move(commit));
    }
    pending_.clear();
    for (PendingCommits* commits : {&written, &behind}) {
      for (PendingCommit& commit : *commits) {
        if (commit.state != nullptr) {
          graveyard_.push_back(std::move(commit.state));
        }
      }
    }
    if (!token_taken_) {
      dispose_graveyard();
    }
    published_.notify_all();
  }
  const bool fenced = reload().has_value();
  const ErrorCode certain =
      cause.code() == ErrorCode::no_space ? ErrorCode::no_space : ErrorCode::not_stored;
  const Error known(certain, cause.to_string(), cause.os_errno());
  const Error unknown(ErrorCode::outcome_unknown, cause.to_string(), cause.os_errno());
  for (const PendingCommit& commit : written) {
    commit.done({fenced ? known : unknown, commit.txn});
  }
  for (const PendingCommit& commit : behind) {  // never submitted
    commit.done({known, commit.txn});
  }
}

// Requires: leading, and the journal has failed. A new epoch, with the fence, in both headers; the
// next commit begins a new file behind it, on a descriptor of its own.
Result<void> Engine::reload() {
  std::uint64_t epoch = 0;
  {
    const os::MutexLock lock(header_mutex_);
    HeaderRecord next = record_;
    epoch = ++next.epoch;
    next.fence = journal_.position();
    next.has_fence = 1;
    next.floor = journal_.position();
    next.next_seq = journal_.next_seq();
    RK_TRY(headers_.write(next));
    // One durable fence is enough; the second is for the day when the first is unreadable.
    static_cast<void>(headers_.write(next));
    record_ = next;
  }
  journal_.restart(epoch, journal_.position());
  reloads_.fetch_add(1);
  const os::MutexLock lock(commit_mutex_);
  journal_failed_.reset();
  token_free_.notify_all();
  return {};
}

void Engine::wait_until_published() {
  const os::MutexLock lock(commit_mutex_);
  while (tip_ != states_.published()) {
    published_.wait(commit_mutex_);
  }
}

}  // namespace rookery::store
