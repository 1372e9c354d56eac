// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "rookery/value/document.h"

// Purpose. A plan for a person: its steps as a tree, what was estimated beside what came.
// Source: what the server answers to a query with debug=plan.

namespace rookery::shell {

// Lines with their ends. What the answer has besides the plan follows it, one member a line.
// `width`: 0 for any.
[[nodiscard]] std::string explain_text(value::View answer, std::size_t width);

}  // namespace rookery::shell
