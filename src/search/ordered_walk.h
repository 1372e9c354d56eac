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
#include "order_key.h"
#include "page_output.h"
#include "snapshot.h"

// Purpose. Puts matches in order, in one of two ways: a key from each match's record and a bounded
// heap (good for few matches), or a walk over the field's dictionary in order, against the set of
// matches, until the page is full (good for many).
// Threads: one at a time.
// Owns: nothing; borrows all it is given.

namespace rookery::search {

// What matched: everything, or a set.
struct Matches {
  bool is_everything = false;
  std::uint64_t count = 0;
  MatchSet set;  // if it is not everything

  [[nodiscard]] bool has(std::uint64_t number) const {
    return is_everything || set.contains(number);
  }
};

class Ordering {
 public:
  Ordering(Snapshot& snapshot, Evaluator& evaluator, std::span<const SortKey> order,
           const Scores* scores)
      : snapshot_(snapshot),
        evaluator_(evaluator),
        order_(order),
        keys_(snapshot, order, scores),
        rest_keys_(snapshot, order.subspan(1), scores) {}

  // Whether a walk is possible and looks cheaper for so many matches. Requires: an order.
  [[nodiscard]] Result<bool> prefers_walk(std::uint64_t matches, std::uint64_t wanted);

  [[nodiscard]] Result<void> sort(const Matches& matches, PageOutput& page);
  [[nodiscard]] Result<void> walk(const Matches& matches, PageOutput& page);

 private:
  // Entries that are equal in this order. Few lists wait as they are, for one alone need not become
  // a set; many are folded into the set.
  struct Group {
    std::vector<PostingList> lists;
    MatchSet set;
  };

  Result<bool> can_walk_terms();
  Result<void> walk_keys(const Matches& matches, PageOutput& page);
  Result<void> walk_terms(const Matches& matches, PageOutput& page);
  Result<void> show_missing(const Matches& matches, PageOutput& page);
  Result<void> fold(Group& group, const Matches& matches);
  Result<void> show_group(Group& group, const Matches& matches, PageOutput& page);
  Result<void> show_list(const PostingList& list, const Matches& matches, PageOutput& page);
  Result<void> show_set(const MatchSet& set, PageOutput& page);
  Result<void> sort_set(const MatchSet& set, const OrderKeys& keys, PageOutput& page);

  Snapshot& snapshot_;
  Evaluator& evaluator_;
  std::span<const SortKey> order_;
  OrderKeys keys_;
  OrderKeys rest_keys_;  // behind the first, for groups that are equal by it
  // Shown before, where an entry may have several terms.
  std::optional<MatchSet> seen_;
};

}  // namespace rookery::search
