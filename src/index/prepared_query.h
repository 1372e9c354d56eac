// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/index/query_runner.h"
#include "rookery/plan/condition.h"
#include "rookery/plan/projection.h"
#include "rookery/query/ast.h"
#include "rookery/search/query.h"

#include "index.h"
#include "translate.h"

// Purpose. A query with everything decided that can be without looking at data.

namespace rookery::index {

class PreparedQuery {
 public:
  enum class Source : std::uint8_t {
    kCollection,  // all of it, no index
    kEverything,  // likewise
    kIds,         // by id, no index
    kIndex,
  };

  QueryRequest request;
  query::Query tree;
  value::Date now;

  Source source = Source::kCollection;
  std::optional<plan::Condition> condition;
  Translation translation{search::Node{search::All{}}, {}, false};
  std::vector<search::SortKey> order;
  std::optional<plan::Projection> projection;
  std::vector<std::string> include_paths;
  bool wants_timings = false;
  bool is_volatile = false;  // now(), random(): no two answers are the same
  std::uint64_t skip = 0;
  std::uint64_t take = ~std::uint64_t{0};
  std::optional<std::uint64_t> limit;  // as the query says it
  std::uint64_t offset = 0;

  IndexRef index;  // of kIndex
  std::string reason;
  std::string source_name;                   // how the answer calls it
  std::optional<std::uint64_t> cutoff_etag;  // what it waited for

  // Where results must come from; empty: anywhere.
  [[nodiscard]] std::string_view collection() const {
    return tree.from.source == query::From::Source::kCollection ? std::string_view(tree.from.name)
                                                                : std::string_view();
  }
};

// All of the above but the index. Errors: as QueryRunner::prepare().
[[nodiscard]] Result<PreparedQueryPtr> compile(QueryRequest request, value::Date now,
                                               std::uint64_t random_seed);

}  // namespace rookery::index
