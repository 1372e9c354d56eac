// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rookery/value/date.h"
#include "rookery/value/document.h"

// Purpose. Scalar values as RQL compares them. The one place where that is decided.
// Threads: any; plain values.
// Source: docs/rql.md "How values compare".

namespace rookery::plan {

// Integers stay integers; other numbers are their nearest double.
using Scalar = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string>;

// What ranges stay within: a range over numbers never matches a string.
enum class ScalarKind : std::uint8_t { kNull, kBool, kNumber, kString };

[[nodiscard]] ScalarKind scalar_kind(const Scalar& value) noexcept;
// "null", "a boolean", "a number", "a string", for messages.
[[nodiscard]] std::string_view scalar_kind_name(ScalarKind kind) noexcept;

// nullopt for arrays and objects, and for a number no double can hold (1e999).
[[nodiscard]] std::optional<Scalar> to_scalar(value::View view);

// null < false < true < numbers < strings. Numbers by value, without loss: 2^53 + 1 as an integer
// is above 2^53 as a double. -0.0 equals 0. Strings by code point, which is the order of UTF-8's
// bytes. A total order; NaN, which no JSON holds, is put before all other numbers.
[[nodiscard]] std::strong_ordering compare(const Scalar& a, const Scalar& b) noexcept;

// As the default analyzer sees it: strings with their case folded, all else as it is.
[[nodiscard]] Scalar folded(Scalar value);

// The moment, if it is a string that spells one as documents do: two such strings are ordered by
// time.
[[nodiscard]] std::optional<value::Date> date_of(const Scalar& value) noexcept;

}  // namespace rookery::plan
