// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/search/index_reader.h"
#include "rookery/search/query.h"

#include "snapshot.h"
#include "term_scan.h"

// Purpose. A query with its fields, posting lists and scans looked up, and an estimate of what each
// part matches: what the order of work is chosen by.
// Owns: nothing of the query or the snapshot; borrows both.

namespace rookery::search {

// Depth of a query: it comes from users, and is walked by recursion.
inline constexpr std::size_t kQueryDepthMax = 200;

struct QueryPlan {
  enum class Kind : std::uint8_t {
    kNone,
    kAll,
    kAnyList,   // in any of the lists
    kAllLists,  // in all of them
    kPhrase,    // in all of them, the words where they should be
    kTermScan,  // in the lists of the terms that a scan finds; of few terms: kAnyList
    kKeys,      // the entries of some keys
    kKeyRange,  // the entries of keys between two
    kAnd,
    kOr,
    kNot,
    kBoost,
  };

  Kind kind = Kind::kNone;
  const Node* node = nullptr;
  const FieldFacts* field = nullptr;
  std::uint64_t estimate = 0;    // entries
  std::uint64_t scan_terms = 0;  // dictionary terms or keys that a scan has to look at, estimated
  std::vector<PostingList> lists;
  TermScan scan;
  ByteRange keys;
  std::vector<QueryPlan> parts;
  std::optional<std::uint64_t> actual;
};

// Errors: invalid_argument (a pattern, a phrase outside full text, too deep), corrupt, cancelled.
[[nodiscard]] Result<QueryPlan> make_query_plan(Snapshot& snapshot, const Node& node,
                                                std::size_t depth = 0);

// How many entries match, if the plan has nothing but lists that share no entry.
[[nodiscard]] std::optional<std::uint64_t> count_by_lists(const QueryPlan& plan);

// For people.
[[nodiscard]] PlanStep describe(const QueryPlan& plan);

}  // namespace rookery::search
