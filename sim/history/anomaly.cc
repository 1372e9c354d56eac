// SPDX-License-Identifier: Apache-2.0
#include "anomaly.h"

#include <array>

namespace rookery::history {

namespace {

struct AnomalyRow {
  Anomaly anomaly;
  std::string_view name;
  std::string_view sentence;
};

constexpr auto kRows = std::to_array<AnomalyRow>({
    {Anomaly::kUnwrittenRead, "unwritten-read", "a read shows a value that nobody wrote there"},
    {Anomaly::kFutureRead, "future-read", "a read shows a write that was asked for only later"},
    {Anomaly::kDirtyRead, "dirty-read",
     "a read shows what a write under way had written, and the write was then refused"},
    {Anomaly::kRefusedApplied, "refused-applied",
     "a write was refused, and what it would have written is there"},
    {Anomaly::kIntermediateRead, "intermediate-read",
     "a read shows what a batch had put and then replaced itself"},
    {Anomaly::kFracturedRead, "fractured-read",
     "a read shows one half of a batch without the other"},
    {Anomaly::kMixedMoments, "mixed-moments",
     "one read shows documents that were never there together"},
    {Anomaly::kStaleRead, "stale-read",
     "a read shows less than was answered to somebody before it began"},
    {Anomaly::kNonMonotonicRead, "non-monotonic-read",
     "a read shows less than the same client had already seen"},
    {Anomaly::kResurrection, "resurrection",
     "a document is back after its deletion, though nobody put it again"},
    {Anomaly::kLostWrite, "lost-write", "what was answered before a crash is gone after it"},
    {Anomaly::kLostUpdate, "lost-update",
     "a write that named the version it replaces has replaced another one"},
    {Anomaly::kBrokenConcurrency, "broken-concurrency",
     "two writes succeeded that both name the same version as the one they replace"},
    {Anomaly::kVersionReused, "version-reused", "two changes have one etag or change vector"},
    {Anomaly::kVersionChanged, "version-changed",
     "a value is shown with another change vector than before"},
    {Anomaly::kEtagOrder, "etag-order",
     "a write has a lower etag than what was answered before it was asked for"},
    {Anomaly::kInterleavedBatch, "interleaved-batch",
     "the etag of another write lies between those of one batch"},
    {Anomaly::kIncompleteQuery, "incomplete-query",
     "a query says that it is not stale and misses a document"},
    {Anomaly::kUnmatchedRow, "unmatched-row",
     "a query says that it is not stale and has a document that did not match"},
    {Anomaly::kNumberReused, "number-reused",
     "a number of an identity or of a HiLo range was handed out twice"},
});

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].anomaly) != i) {
      return false;
    }
  }
  return kRows.size() == kAnomalyCount;
}

static_assert(rows_are_in_order());

}  // namespace

std::string_view anomaly_name(Anomaly anomaly) noexcept {
  return kRows[static_cast<std::size_t>(anomaly)].name;
}

std::string_view anomaly_sentence(Anomaly anomaly) noexcept {
  return kRows[static_cast<std::size_t>(anomaly)].sentence;
}

}  // namespace rookery::history
