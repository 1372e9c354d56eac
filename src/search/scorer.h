// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "rookery/base/result.h"

#include "evaluator.h"
#include "match_set.h"
#include "query_plan.h"
#include "snapshot.h"

// Purpose. Scores of the entries that match: BM25 from what postings hold, without a record.
// Source: query.h "Scores"; "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.

namespace rookery::search {

// What one term of a field gives to an entry.
struct TermWeight {
  double rarity = 0;          // of the term: its inverse document frequency
  double length_average = 1;  // of the field, in words

  [[nodiscard]] double of(std::uint8_t impact) const noexcept;
};

[[nodiscard]] TermWeight term_weight(std::uint64_t entry_count, std::uint64_t having_term,
                                     double length_average) noexcept;

// Purpose. The scores of a set's entries. Owns: the scores; borrows the set.
class Scores {
 public:
  explicit Scores(const MatchSet& set) : set_(&set), values_(set.count()) {}

  [[nodiscard]] double of(std::uint64_t number) const { return values_[set_->rank(number)]; }

  [[nodiscard]] const MatchSet& set() const noexcept { return *set_; }

  // In the set's order.
  [[nodiscard]] std::vector<double>& values() noexcept { return values_; }

  [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }

 private:
  const MatchSet* set_;
  std::vector<double> values_;
};

// Requires: the matches are all of the plan's, or some of them.
[[nodiscard]] Result<Scores> score(Snapshot& snapshot, Evaluator& evaluator, QueryPlan& plan,
                                   const MatchSet& matches);

}  // namespace rookery::search
