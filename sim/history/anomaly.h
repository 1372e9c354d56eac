// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// Purpose. What can be wrong with a history, by name.
// Source: docs/consistency.md, which has the promise behind each.

namespace rookery::history {

enum class Anomaly : std::uint8_t {
  kUnwrittenRead,
  kFutureRead,
  kDirtyRead,
  kRefusedApplied,
  kIntermediateRead,
  kFracturedRead,
  kMixedMoments,
  kStaleRead,
  kNonMonotonicRead,
  kResurrection,
  kLostWrite,
  kLostUpdate,
  kBrokenConcurrency,
  kVersionReused,
  kVersionChanged,
  kEtagOrder,
  kInterleavedBatch,
  kIncompleteQuery,
  kUnmatchedRow,
  kNumberReused,
};

inline constexpr std::size_t kAnomalyCount = static_cast<std::size_t>(Anomaly::kNumberReused) + 1;

// "stale-read".
[[nodiscard]] std::string_view anomaly_name(Anomaly anomaly) noexcept;
// What it means, in one sentence.
[[nodiscard]] std::string_view anomaly_sentence(Anomaly anomaly) noexcept;

}  // namespace rookery::history
