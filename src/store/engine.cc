// SPDX-License-Identifier: Apache-2.0
// Readers and figures.
#include "engine.h"

#include <utility>

#include <fmt/format.h>

#include "transactions.h"

namespace rookery::store {

Result<ReadTxn> Engine::begin_read() {
  if (shut_.load()) {
    return Error(ErrorCode::shutting_down, fmt::format("{}: is closed", options_.path));
  }
  RK_TRY_ASSIGN(const StateChain::Snapshot snapshot, states_.open());
  return ReadTxn(std::make_unique<ReadTxn::Rep>(*this, snapshot));
}

void Engine::end_read(const StateChain::Snapshot& snapshot) {
  const bool faulted = snapshot.state->map->faulted();
  states_.close(snapshot);
  // Else a database that is only read would keep its broken map for ever.
  if (faulted && options_.on_maintenance_needed && !shut_.load()) {
    options_.on_maintenance_needed();
  }
}

os::MonotonicTime Engine::read_clock() const {
  return options_.snapshot_age_max.count() == 0 ? os::MonotonicTime() : platform_.clock.monotonic();
}

Result<void> Engine::check_age(os::MonotonicTime opened) const {
  if (options_.snapshot_age_max.count() != 0 &&
      platform_.clock.monotonic() - opened > options_.snapshot_age_max) {
    return ErrorCode::snapshot_too_old;
  }
  return {};
}

EnvironmentStats Engine::stats() const {
  const PublishedFacts facts = states_.facts();
  const Journal::Stats journals = journal_.stats();
  EnvironmentStats stats;
  stats.last_durable_txn = TxnId(facts.meta.txn);
  stats.page_count = facts.meta.page_count;
  stats.free_pages = facts.meta.free_pages;
  stats.file_size_bytes = data_->size_bytes();
  stats.file_allocated_bytes = data_->allocated_bytes();
  stats.journal_bytes = journals.bytes;
  stats.journal_files = journals.files;
  stats.scratch_bytes = scratch_.used_bytes();
  stats.unsynced_pages = facts.image_pages;
  stats.open_snapshots = states_.open_count();
  stats.batches_replayed = batches_replayed_;
  stats.torn_tails = torn_tails_;
  stats.reloads = reloads_.load();
  return stats;
}

}  // namespace rookery::store
