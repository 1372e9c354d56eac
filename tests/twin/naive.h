// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rookery/query/ast.h"

#include "naive_value.h"

// Purpose. RQL evaluated over a list of documents, the slow and simple way. Shares nothing with the
// product but the parser's tree.
// Source: docs/rql.md.

namespace rookery::twin {

struct Document {
  std::string id;
  std::string collection;
  Json body;                // "@metadata" holds what the user put there
  std::uint64_t stamp = 0;  // of its last change: later ones are higher
};

struct Answer {
  std::vector<std::string> rows;  // ids, or objects of a projection
  std::size_t total = 0;
  // False if the query leaves the order open; then there is no page either.
  bool is_ordered = true;
};

// Requires: a query as the generator makes them: no errors, nothing that is not built.
[[nodiscard]] Answer evaluate(const query::Query& query, const Json& parameters,
                              const std::vector<Document>& documents);

}  // namespace rookery::twin
