// SPDX-License-Identifier: Apache-2.0
#include "rookery/query/ast.h"

namespace rookery::query {

// These compare vectors of Expression, which is complete only at the end of the header.
bool Call::operator==(const Call& other) const = default;
bool In::operator==(const In& other) const = default;
bool Logical::operator==(const Logical& other) const = default;
bool Expression::operator==(const Expression& other) const = default;

}  // namespace rookery::query
