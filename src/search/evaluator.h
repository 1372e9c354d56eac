// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"

#include "match_set.h"
#include "query_plan.h"
#include "snapshot.h"

// Purpose. From a plan to the set of entries that match. Parts of an `and` are worked off from the
// fewest matches to the most, each within what is left: big lists are then probed, not read, and
// scans give way to looking at the records of the few that are left.
// Threads: one at a time.
// Owns: nothing; borrows the snapshot.

namespace rookery::search {

class Evaluator {
 public:
  Evaluator(Snapshot& snapshot, std::uint64_t memory_bytes_max)
      : snapshot_(snapshot), memory_bytes_max_(memory_bytes_max) {}

  // All matches, or those in `within` if it is not null. Sets `actual` of the parts that were
  // worked on. Errors: too_large (sets beyond the memory allowed), cancelled, corrupt.
  [[nodiscard]] Result<MatchSet> evaluate(QueryPlan& plan, const MatchSet* within = nullptr);

  // Memory in use beside sets that this made itself counts from now on.
  void reserve(std::uint64_t bytes) noexcept { held_bytes_ += bytes; }

  [[nodiscard]] Result<void> check_memory(std::uint64_t more_bytes) const;

  [[nodiscard]] std::uint64_t memory_bytes_left() const noexcept {
    return memory_bytes_max_ > held_bytes_ ? memory_bytes_max_ - held_bytes_ : 0;
  }

  // Whether an entry is in any of the plan's lists, by its record. Requires: a plan of lists.
  [[nodiscard]] Result<bool> holds(const QueryPlan& plan, const RecordView& record);

  // A whole list, or what of it is in `within`.
  [[nodiscard]] Result<MatchSet> load(const PostingList& list, const MatchSet* within);

 private:
  // Counts a set as memory while something else is worked on.
  class Hold {
   public:
    Hold(Evaluator& evaluator, const MatchSet& set)
        : evaluator_(evaluator), bytes_(set.memory_bytes()) {
      evaluator_.held_bytes_ += bytes_;
    }

    ~Hold() { evaluator_.held_bytes_ -= bytes_; }

    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    Evaluator& evaluator_;
    std::uint64_t bytes_;
  };

  Result<MatchSet> evaluate_kind(QueryPlan& plan, const MatchSet* within);
  Result<MatchSet> any_list(const QueryPlan& plan, const MatchSet* within);
  Result<MatchSet> all_lists(const QueryPlan& plan, const MatchSet* within);
  Result<MatchSet> phrase(const QueryPlan& plan, const MatchSet* within);
  Result<MatchSet> scan_terms(QueryPlan& plan);
  Verdict judge(const QueryPlan& plan, std::string_view term);
  Result<bool> has_term(const QueryPlan& plan, const RecordView& record);
  Result<MatchSet> probe_terms(const QueryPlan& plan, const MatchSet& within);
  Result<MatchSet> keys(const QueryPlan& plan, const MatchSet* within);
  Result<MatchSet> scan_keys(const QueryPlan& plan);
  Result<MatchSet> probe_keys(const QueryPlan& plan, const MatchSet& within);
  Result<MatchSet> conjunction(QueryPlan& plan, const MatchSet* within);
  Result<MatchSet> disjunction(QueryPlan& plan, const MatchSet* within);
  Result<MatchSet> negation(QueryPlan& plan, const MatchSet* within);
  Result<MatchSet> everything();
  Result<MatchSet> probe(const PostingList& list, const MatchSet& within);
  Result<void> add_list(MatchSet& set, const PostingList& list);

  Snapshot& snapshot_;
  std::uint64_t memory_bytes_max_;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace rookery::search
