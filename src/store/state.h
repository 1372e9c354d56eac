// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/os/sync.h"

#include "data_file.h"
#include "header_file.h"
#include "meta.h"
#include "page_table.h"
#include "scratch.h"
#include "snapshot_slots.h"

// Purpose. The states of an environment: what each transaction left, which of them is published,
// and when the memory of those before it may go.
// Source: STORE-INVARIANTS I4, I5, I7.

namespace rookery::store {

// What a snapshot sees. Immutable once published, but for `retired`, which is the chain's.
struct EnvironmentState {
  // Greater than that of every state before; unlike meta.txn also when only the page table changed.
  std::uint64_t seq = 0;
  Meta meta;
  PageTable table;
  // Shared: a map lives as long as the states that read through it.
  std::shared_ptr<DataMap> map;
  JournalPosition position;  // of the batch that ends with this transaction; set when it is durable
  std::uint64_t trimmed_txn = 0;    // the table has no entry of this transaction or before
  std::uint64_t journal_bytes = 0;  // appended when it became durable
  PageTableGarbage created;         // emptied when the state is published
  PageTableGarbage retired;         // in the states before, not in this one
};

// Reads a page as this state has it. Every read checks the header.
[[nodiscard]] Result<PageView> read_page(const EnvironmentState& state, PageNo number);

// What may be known of the published state without a snapshot of it.
struct PublishedFacts {
  Meta meta;
  JournalPosition position;
  std::uint64_t trimmed_txn = 0;
  std::uint64_t journal_bytes = 0;
  std::uint64_t image_pages = 0;
  std::shared_ptr<DataMap> map;
};

// Purpose. The published states that somebody may still look at, oldest first.
// Threads: open() and close() from any thread, without a lock; the rest under the chain's own.
class StateChain {
 public:
  using Gate = SnapshotGate<EnvironmentState>;
  using Snapshot = Gate::Snapshot;

  explicit StateChain(ScratchPool& scratch) : scratch_(scratch) {}

  // Requires: no open snapshot.
  ~StateChain();

  StateChain(const StateChain&) = delete;
  StateChain& operator=(const StateChain&) = delete;

  // Errors: too_many.
  [[nodiscard]] Result<Snapshot> open();

  void close(const Snapshot& snapshot) { gate_.close(snapshot); }

  // To compare with, or for whoever knows that nobody else publishes now; else it may be freed.
  [[nodiscard]] EnvironmentState* published() const { return gate_.published(); }

  [[nodiscard]] PublishedFacts facts() const;

  // Each of these was made on the one before it, the first on the published one; the last is
  // published. Then reclaims.
  void publish(std::vector<std::unique_ptr<EnvironmentState>> states);
  // Frees what no open snapshot can see. Cheap when there is nothing.
  void reclaim();
  // A snapshot of the newest state that no open snapshot is older than: the furthest that flush may
  // go. Its slot is null if there is none just now. Errors: too_many.
  [[nodiscard]] Result<Snapshot> open_flushable();

  [[nodiscard]] std::size_t open_count() const { return gate_.slots().open_count(); }

 private:
  void reclaim_locked() RK_REQUIRES(mutex_);

  ScratchPool& scratch_;
  Gate gate_;
  mutable os::Mutex mutex_;
  std::deque<std::unique_ptr<EnvironmentState>> live_ RK_GUARDED_BY(mutex_);
};

}  // namespace rookery::store
