// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "rookery/query/ast.h"

// Purpose. From a tree to a text that parses to an equal tree. One line but for what scripts hold;
// comments and the spelling of keywords are gone, so equal trees have equal texts.
// Requires: the invariants of ast.h.

namespace rookery::query {

[[nodiscard]] std::string print(const Query& query);
[[nodiscard]] std::string print(const Expression& expression);
[[nodiscard]] std::string print(const Path& path);

// In single quotes, with the escapes that parse() undoes.
[[nodiscard]] std::string quote(std::string_view text);

}  // namespace rookery::query
