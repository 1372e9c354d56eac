// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/index/definition.h"
#include "rookery/os/time.h"

// Purpose. What an index says about itself, and what can be set.
// Threads: any; plain values.
// Source: docs/indexes.md.

namespace rookery::index {

enum class IndexState : std::uint8_t {
  kNormal,
  kIdle,      // not asked for a while; still kept up to date
  kDisabled,  // until it is enabled again, across restarts
  kError,     // too many documents failed; queries are refused
  kFaulty,    // its files cannot be used; queries are refused until it is reset
};

enum class RunningStatus : std::uint8_t { kRunning, kPaused, kDisabled, kPending };
enum class IndexPriority : std::uint8_t { kLow, kNormal, kHigh };
enum class IndexLock : std::uint8_t { kUnlock, kLockedIgnore, kLockedError };

[[nodiscard]] std::string_view to_string(IndexState state) noexcept;
[[nodiscard]] std::string_view to_string(RunningStatus status) noexcept;
[[nodiscard]] std::string_view to_string(IndexPriority priority) noexcept;
[[nodiscard]] std::string_view to_string(IndexLock lock) noexcept;
// Errors: invalid_argument.
[[nodiscard]] Result<IndexPriority> parse_index_priority(std::string_view text);
[[nodiscard]] Result<IndexLock> parse_index_lock(std::string_view text);

// One thing that went wrong while indexing.
struct IndexingError {
  os::WallTime at;
  std::string document;  // empty: of the index as a whole
  std::string action;    // "Map", "Write", "Open"
  std::string text;
};

// Up to which etags the documents, and the tombstones, of its collection are in the index.
struct Progress {
  std::uint64_t document_etag = 0;
  std::uint64_t tombstone_etag = 0;

  bool operator==(const Progress& other) const = default;
};

struct IndexInfo {
  Definition definition;
  IndexState state = IndexState::kNormal;
  RunningStatus status = RunningStatus::kRunning;
  IndexPriority priority = IndexPriority::kNormal;
  IndexLock lock = IndexLock::kUnlock;
  Progress progress;
  bool is_stale = true;
  std::uint64_t entry_count = 0;
  // Since it was opened.
  std::uint64_t map_attempts = 0;
  std::uint64_t map_errors = 0;
  double mapped_per_second = 0;
  std::uint64_t error_count = 0;  // in the list of errors
  os::WallTime created;
  std::optional<os::WallTime> last_indexed;
  std::optional<os::WallTime> last_queried;
  std::uint64_t size_bytes = 0;
  std::string fault;  // why it is kFaulty or kError
};

}  // namespace rookery::index
