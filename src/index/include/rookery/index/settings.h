// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

#include "rookery/os/time.h"

// Purpose. Times and bounds of indexing, with the documented defaults.
// Source: docs/indexes.md "Configuration".

namespace rookery::index {

struct Settings {
  // Life of an auto-index.
  os::Duration idle_after = std::chrono::minutes(30);
  os::Duration delete_after_idle = std::chrono::hours(72);
  os::Duration superseded_kept = std::chrono::seconds(15);
  os::Duration housekeeping_interval = std::chrono::seconds(60);
  // Of queries that wait for an index.
  os::Duration wait_default = std::chrono::seconds(15);
  // Between batches of one index; 0: none.
  os::Duration throttle{0};

  // One slice of work; one snapshot of the documents; one batch, which is one transaction, over as
  // many snapshots as it takes. A batch ends when it has caught up, or at one of its bounds: terms
  // come in no order, so that every batch touches most of a dictionary, and few big ones write less
  // than many small ones.
  os::Duration slice_time = std::chrono::milliseconds(10);
  std::uint32_t items_a_look = 16;  // documents and tombstones between two looks at the clock
  os::Duration snapshot_time_max = std::chrono::seconds(1);
  os::Duration batch_time_max = std::chrono::seconds(30);
  std::uint64_t batch_documents_max = 1024 * 1024;
  std::uint64_t batch_pending_bytes_max = 256ULL << 20U;
  // After a batch that failed.
  os::Duration retry_delay = std::chrono::seconds(1);

  // An index fails once this many documents were tried and this share of them could not be indexed.
  std::uint64_t error_attempts_min = 100;
  double error_share_max = 0.15;

  std::uint64_t query_memory_bytes_max = 256ULL << 20U;
};

enum class Severity : std::uint8_t { kInfo, kWarning, kError };
// Called from any thread; must not throw.
using LogSink = std::function<void(Severity, std::string_view)>;

}  // namespace rookery::index
