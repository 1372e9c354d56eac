// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/query/ast.h"
#include "rookery/query/parse.h"

// Purpose. The two errors of this layer, with their places.

namespace rookery::plan {

[[nodiscard]] inline Error invalid_at(std::string_view text, const query::Position& at) {
  return {ErrorCode::invalid_query, std::string(text) + " at " + query::to_string(at)};
}

// `what` as the query spells it: `facet()`, `group by`.
[[nodiscard]] inline Error not_yet_at(std::string_view what, const query::Position& at) {
  return {ErrorCode::not_supported,
          "not supported yet: " + std::string(what) + " at " + query::to_string(at)};
}

}  // namespace rookery::plan
