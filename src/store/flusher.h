// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rookery/base/result.h"

#include "data_file.h"
#include "state.h"

// Purpose. Takes the pages of one durable state home: from scratch to the data file, in page order,
// a bounded piece at a time. The sync, and what it allows, is the engine's business.
// Threads: maintenance.
// Owns: the snapshot that keeps the state; the engine closes it.
// Source: STORE-INVARIANTS I5, I8, I13.

namespace rookery::store {

class FlushJob {
 public:
  // `synced_txn`: pages of this transaction and before are at home already.
  FlushJob(const StateChain::Snapshot& snapshot, std::uint64_t synced_txn, bool vectored)
      : snapshot_(snapshot), synced_txn_(synced_txn), vectored_(vectored) {}

  // Writes up to `bytes_max` bytes and a run. True: everything is written.
  // Errors: no_space, io: nothing is lost, start_over() before the next call.
  [[nodiscard]] Result<bool> write_some(DataFile& data, std::uint64_t bytes_max);
  [[nodiscard]] Result<void> write_all(DataFile& data);

  void start_over() noexcept {
    cursor_ = 0;
    written_ = false;
  }

  [[nodiscard]] bool written() const noexcept { return written_; }

  [[nodiscard]] const EnvironmentState& state() const noexcept { return *snapshot_.state; }

  [[nodiscard]] const StateChain::Snapshot& snapshot() const noexcept { return snapshot_; }

 private:
  StateChain::Snapshot snapshot_;
  std::uint64_t synced_txn_;
  bool vectored_;
  std::uint64_t cursor_ = 0;
  bool written_ = false;
};

}  // namespace rookery::store
