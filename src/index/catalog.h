// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/doc/change_vector.h"
#include "rookery/index/definition.h"
#include "rookery/index/info.h"
#include "rookery/store/environment.h"

// Purpose. What an index keeps about itself beside its entries, in the same environment, so that it
// changes in the same transactions.
// Threads: as the transaction.
// Source: docs/format/index.md.

namespace rookery::index {

inline constexpr std::size_t kErrorsMax = 500;

// How far the entries go, and in whose history: etags of another database, or of this one restored
// to an earlier state, mean nothing here (STORE-INVARIANTS I20).
struct StoredProgress {
  doc::DatabaseId database;
  Progress progress;
  std::optional<os::WallTime> indexed_at;
};

struct StoredSettings {
  os::WallTime created;
  IndexPriority priority = IndexPriority::kNormal;
  IndexLock lock = IndexLock::kUnlock;
  bool disabled = false;
  bool deleted = false;  // nobody uses it any more: the folder may go
};

struct StoredIndex {
  Definition definition;
  StoredSettings settings;
  StoredProgress progress;
  std::deque<IndexingError> errors;
};

// nullopt: its creation never got as far as the first commit. Errors: corrupt, incompatible.
[[nodiscard]] Result<std::optional<StoredIndex>> load_index(store::ReadTxn& txn);
[[nodiscard]] Result<StoredProgress> load_progress(store::ReadTxn& txn);

[[nodiscard]] Result<void> store_definition(store::WriteTxn& txn, const Definition& definition);
[[nodiscard]] Result<void> store_settings(store::WriteTxn& txn, const StoredSettings& settings);
[[nodiscard]] Result<void> store_progress(store::WriteTxn& txn, const StoredProgress& progress);
[[nodiscard]] Result<void> store_errors(store::WriteTxn& txn,
                                        const std::deque<IndexingError>& errors);

}  // namespace rookery::index
