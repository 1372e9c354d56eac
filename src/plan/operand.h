// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rookery/plan/condition.h"

// Purpose. What the compilers of conditions and projections share.

namespace rookery::plan {

// Why a call may not stand here: a method that nobody evaluates, a declared function, a mistake.
[[nodiscard]] Error refused_call(const query::Call& call, const query::Position& at,
                                 const Scope& scope, std::string_view expected);

// Whatever it holds. Errors: invalid_query if there is none.
[[nodiscard]] Result<value::View> parameter_value(const query::Parameter& parameter,
                                                  const query::Position& at, const Scope& scope);
// Errors: invalid_query for arrays, objects and numbers beyond doubles.
[[nodiscard]] Result<Scalar> scalar_of_parameter(const query::Parameter& parameter,
                                                 value::View view, const query::Position& at);

}  // namespace rookery::plan
