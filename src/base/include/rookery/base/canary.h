// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

// Purpose. Planted faults: each makes the engine wrong in one named way, so that the harness which
// should catch it can be seen to catch it. They exist only where RK_SIM is defined; elsewhere
// canary() is a constant false and the branch is gone.
// Threads: set before the code under test starts.

namespace rookery {

enum class Canary : std::uint8_t {
  kNone,
  kAnswerBeforeSync,             // a commit is acknowledged before its batch is durable
  kJournalWithoutDirectorySync,  // a new journal file's directory entry is not synced
  kHeaderBeforeDataSync,         // the header names data that is not synced yet
  kSecondSyncBelieved,           // a failed fdatasync is retried and its success believed
  kFlushPastReader,              // flush writes a version newer than an open snapshot
  kSnapshotWithoutRevalidation,  // a reader uses a state loaded before its slot was published
  kFreedInteriorPageFlushed,     // flush ignores the tombstone of a freed or interior page
  kIndexProgressFirst,           // an index notes its progress before it has the entries
  kIndexTombstoneSkipped,        // an index does not look at what was deleted
  kIndexWideningDropsField,      // a widened index has nothing in a field it took over
  kSearchSeekOffByOne,           // a list passes over the block that ends with what is looked for
  kSearchRangeEndSwapped,        // the end of a range is in it if it should not be, and vice versa
};

#if defined(RK_SIM)
[[nodiscard]] bool canary(Canary which) noexcept;
void set_canary(Canary which) noexcept;
#else
[[nodiscard]] constexpr bool canary(Canary) noexcept {
  return false;
}
#endif

[[nodiscard]] std::string_view canary_name(Canary which) noexcept;
// kNone for an unknown name.
[[nodiscard]] Canary canary_named(std::string_view name) noexcept;

}  // namespace rookery
