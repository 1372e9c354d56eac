// SPDX-License-Identifier: Apache-2.0
#include "state.h"

#include <utility>

#include <fmt/format.h>

#include "page_format.h"

namespace rookery::store {

Result<PageView> read_page(const EnvironmentState& state, PageNo number) {
  const PageExpectation expected{number, TxnId(state.meta.txn), state.meta.page_count};
  const PageEntry entry = state.table.find(number);
  if (entry.empty()) {
    return state.map->page(expected);
  }
  const PageImage* image = entry.image();
  if (image == nullptr) {
    return Error(ErrorCode::corrupt, fmt::format("page {} is not the first of a run in use: it was "
                                                 "freed, or is inside one, since transaction {}",
                                                 number.value(), entry.txn()));
  }
  RK_TRY(check_page_header(load<PageHeader>(image->run.data), expected));
  return PageView{image->run.data, image->page_count()};
}

StateChain::~StateChain() {
  const os::MutexLock lock(mutex_);
  reclaim_locked();
  RK_CHECK(live_.size() <= 1);
  if (!live_.empty()) {
    live_.front()->retired.dispose(scratch_);
    dispose_page_table(live_.front()->table, scratch_);
  }
}

Result<StateChain::Snapshot> StateChain::open() {
  const Snapshot snapshot = gate_.open();
  if (snapshot.slot == nullptr) {
    return Error(ErrorCode::too_many, "every reader slot is taken");
  }
  return snapshot;
}

void StateChain::publish(std::vector<std::unique_ptr<EnvironmentState>> states) {
  RK_CHECK(!states.empty());
  const os::MutexLock lock(mutex_);
  for (auto& state : states) {
    RK_CHECK(live_.empty() || live_.back()->seq < state->seq);
    RK_CHECK(live_.empty() || live_.back()->meta.txn <= state->meta.txn);
    state->created = {};
    live_.push_back(std::move(state));
  }
  gate_.publish(live_.back().get());
  reclaim_locked();
}

void StateChain::reclaim() {
  const os::MutexLock lock(mutex_);
  reclaim_locked();
}

// What state n retired is in the states before n only: it goes when all of those are gone.
void StateChain::reclaim_locked() {
  if (live_.size() <= 1) {
    if (!live_.empty()) {
      live_.front()->retired.dispose(scratch_);
    }
    return;
  }
  const std::uint64_t oldest = gate_.slots().oldest(live_.back()->seq);
  live_.front()->retired.dispose(scratch_);
  while (live_.size() > 1 && live_[1]->seq <= oldest) {
    live_.pop_front();
    live_.front()->retired.dispose(scratch_);
  }
}

Result<StateChain::Snapshot> StateChain::open_flushable() {
  const os::MutexLock lock(mutex_);
  const std::uint64_t newest = live_.back()->seq;
  const std::uint64_t oldest =
      canary(Canary::kFlushPastReader) ? newest : gate_.slots().oldest(newest);
  EnvironmentState* found = nullptr;
  for (const auto& state : live_) {
    if (state->seq <= oldest) {
      found = state.get();
    }
  }
  if (found == nullptr) {
    return Snapshot{};
  }
  Gate::Slot* slot = gate_.slots().claim(found->seq);
  if (slot == nullptr) {
    return Error(ErrorCode::too_many, "every reader slot is taken");
  }
  return Snapshot{found, slot};
}

PublishedFacts StateChain::facts() const {
  const os::MutexLock lock(mutex_);
  const EnvironmentState& state = *live_.back();
  return {state.meta,          state.position,          state.trimmed_txn,
          state.journal_bytes, state.table.image_pages, state.map};
}

}  // namespace rookery::store
