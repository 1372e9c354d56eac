// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rookery/base/result.h"

#include "evaluator.h"
#include "match_set.h"
#include "query_plan.h"
#include "snapshot.h"

// Purpose. What matched: everything, a set, or lists whose counts say how many. Of lists, single
// entries are looked up in their records as long as that is cheaper than to read the lists into a
// set: a page of what half of the index matches then costs a page.
// Threads: one at a time.
// Owns: the set; borrows all it is given.

namespace rookery::search {

class Matches {
 public:
  Matches(Snapshot& snapshot, Evaluator& evaluator) : snapshot_(snapshot), evaluator_(evaluator) {}

  void be_everything(std::uint64_t count) noexcept;
  void be(MatchSet set);
  // Requires: lists of the plan alone, without an entry in two of them.
  void be_listed(QueryPlan& plan, std::uint64_t count) noexcept;

  [[nodiscard]] bool is_everything() const noexcept { return is_everything_; }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  [[nodiscard]] Result<bool> has(std::uint64_t number);
  // All of them as a set. Lives as long as this. Requires: not everything.
  [[nodiscard]] Result<const MatchSet*> set();

 private:
  Snapshot& snapshot_;
  Evaluator& evaluator_;
  bool is_everything_ = false;
  std::uint64_t count_ = 0;
  MatchSet set_;
  QueryPlan* listed_ = nullptr;  // until its set is there
  std::uint64_t looked_up_ = 0;
};

}  // namespace rookery::search
