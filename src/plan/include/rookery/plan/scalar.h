// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "rookery/value/document.h"

// Purpose. Scalar values as RQL compares them. The one place where that is decided.
// Threads: any; plain values.
// Source: docs/rql.md "How values compare".

namespace rookery::plan {

// Integers stay integers; other numbers are their nearest double.
using Scalar = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string>;

// nullopt for arrays and objects, and for a number no double can hold.
[[nodiscard]] std::optional<Scalar> to_scalar(value::View view);

// null < false < true < numbers < strings. Numbers by value, without loss; strings by code point.
[[nodiscard]] std::strong_ordering compare(const Scalar& a, const Scalar& b) noexcept;

// As the default analyzer sees it: strings with their case folded, all else as it is.
[[nodiscard]] Scalar folded(Scalar value);

}  // namespace rookery::plan
