// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "rookery/base/result.h"

#include "findings.h"
#include "operation.h"

// Purpose. The verdict over a history: does it keep what docs/consistency.md promises?
//
// Every value that is put is unique, so a read says exactly which writes it saw; etags order the
// writes; both together make this a matter of sorting, not of searching for an order.
// Not checked, because not promised: what several requests of a session see together (write skew).

namespace rookery::history {

struct Counts {
  std::uint64_t operations = 0;  // without crashes
  std::uint64_t writes = 0;
  std::uint64_t reads = 0;  // loads, prefixes, queries
  std::uint64_t refused = 0;
  std::uint64_t unknown = 0;
  std::uint64_t unknown_seen = 0;  // of these: known to have happened after all
  std::uint64_t crashes = 0;
  std::uint64_t concurrent_max = 0;  // operations under way at once
  std::uint64_t overlapping = 0;     // operations that overlap another one
};

struct Verdict {
  Findings findings;
  Counts counts;

  [[nodiscard]] bool clean() const noexcept { return findings.empty(); }
};

// Errors: malformed, if the history cannot be judged (two puts with one value).
// Cost: O(n log n); a million operations take some seconds.
[[nodiscard]] Result<Verdict> check(const History& history);

// The counts in a line or two.
[[nodiscard]] std::string counts_text(const Counts& counts);
// Each class with its count, its findings and the operations that prove them, a line each.
[[nodiscard]] std::string findings_text(const Findings& findings, const History& history);

}  // namespace rookery::history
