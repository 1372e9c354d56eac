// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/query/ast.h"

// Purpose. From the text of a query to its tree.
// Threads: any; there is no state.
// Source: docs/rql-grammar.md.

namespace rookery::query {

struct ParseOptions {
  std::size_t size_bytes_max = std::size_t{4} << 20U;  // of the text; at most 4 GiB can be located
  // Of parentheses and calls inside each other. Each level costs a few stack frames here and in
  // whatever walks the tree.
  std::uint32_t depth_max = 64;
};

// Errors, each ending in "at line:column":
// - malformed: "expected ..., found ... at 1:15"
// - not_supported: a construct that RQL once had and we do not (graph queries)
// - too_large: text or nesting beyond the options.
[[nodiscard]] Result<Query> parse(std::string_view text, const ParseOptions& options = {});

// "3:14", as errors of later steps should name a place: "not supported yet: facet() at 3:14".
[[nodiscard]] std::string to_string(const Position& position);

}  // namespace rookery::query
