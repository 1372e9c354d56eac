// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "rookery/store/memory_budget.h"

#include "index.h"

// Purpose. One batch of an index under way: entries are gathered from one snapshot of the documents
// after the other, then written.

namespace rookery::index {

struct Index::Batch {
  Batch(doc::Snapshot the_documents, store::WriteTxn the_txn, store::MemoryBudget* budget)
      : documents(std::move(the_documents)), txn(std::move(the_txn)), charge(budget) {}

  // While entries are gathered.
  std::optional<doc::Snapshot> documents;
  std::uint64_t last_etag = 0;  // of that snapshot
  bool tombstones_done = false;
  bool documents_done = false;
  os::MonotonicTime snapshot_opened;

  store::WriteTxn txn;
  std::optional<search::IndexWriter> writer;  // of `txn`, which it dies before
  Progress next;                              // what the transaction will have done
  std::uint64_t document_count = 0;
  std::uint64_t failed_count = 0;
  os::MonotonicTime started;
  store::MemoryCharge charge;  // of what waits to be written
};

}  // namespace rookery::index
