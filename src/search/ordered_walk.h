// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/search/query.h"

#include "evaluator.h"
#include "match_set.h"
#include "matches.h"
#include "order_key.h"
#include "page_output.h"
#include "snapshot.h"

// Purpose. Puts matches in order, in one of two ways: a key from each match's record and a bounded
// heap (good for few matches), or a walk over the field's dictionary in order, against the matches,
// until the page is full (good for many). A walk that finds less than it was chosen for, because
// the order and the condition have to do with each other, gives way to the heap.
// Threads: one at a time.
// Owns: nothing; borrows all it is given.

namespace rookery::search {

class Ordering {
 public:
  Ordering(Snapshot& snapshot, Evaluator& evaluator, std::span<const SortKey> order,
           const Scores* scores)
      : snapshot_(snapshot),
        evaluator_(evaluator),
        order_(order),
        scores_(scores),
        keys_(snapshot, order, scores),
        rest_keys_(snapshot, order.subspan(1), scores) {}

  // Whether a walk is possible and looks cheaper for so many matches. Requires: an order.
  [[nodiscard]] Result<bool> prefers_walk(std::uint64_t matches, std::uint64_t wanted);

  [[nodiscard]] Result<void> sort(Matches& matches, PageOutput& page);
  [[nodiscard]] Result<void> walk(Matches& matches, PageOutput& page);

 private:
  // Entries that are equal in this order. Few lists wait as they are, for one alone need not become
  // a set; many are folded into the set.
  struct Group {
    std::vector<PostingList> lists;
    MatchSet set;
  };

  Result<bool> can_walk_terms();
  Result<void> sort_by_score(PageOutput& page);
  Result<void> walk_keys(Matches& matches, PageOutput& page);
  Result<void> walk_terms(Matches& matches, PageOutput& page);
  [[nodiscard]] bool has_walked_enough(const Matches& matches);
  Result<void> show_missing(Matches& matches, PageOutput& page);
  Result<void> fold(Group& group, Matches& matches);
  Result<void> show_group(Group& group, Matches& matches, PageOutput& page);
  Result<void> show_list(const PostingList& list, Matches& matches, PageOutput& page);
  Result<void> show_set(const MatchSet& set, PageOutput& page);
  // The first `shown` of them were offered before.
  Result<void> sort_set(const MatchSet& set, const OrderKeys& keys, PageOutput& page,
                        std::uint64_t shown = 0);

  Snapshot& snapshot_;
  Evaluator& evaluator_;
  std::span<const SortKey> order_;
  const Scores* scores_;
  OrderKeys keys_;
  OrderKeys rest_keys_;  // behind the first, for groups that are equal by it
  // Shown before, where an entry may have several terms.
  std::optional<MatchSet> seen_;
  std::uint64_t walked_ = 0;  // terms or keys
  bool gave_up_ = false;
};

}  // namespace rookery::search
