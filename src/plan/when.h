// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rookery/plan/condition.h"

// Purpose. The first argument of when(): a question about parameters and literals alone.

namespace rookery::plan {

// A parameter that was not given counts as null here. Otherwise values compare as anywhere.
// Errors: invalid_query for anything that is neither a parameter nor a literal.
[[nodiscard]] Result<bool> answer_when(const query::Expression& expression, const Scope& scope);

}  // namespace rookery::plan
