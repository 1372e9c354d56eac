// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Purpose. Terms: scalar values as bytes whose order is the order of the values:
// null < false < true < numbers < strings. Integers and doubles compare by value without loss.
// Threads: any; there is no state.
// Source: docs/format/search.md "Terms"; docs/rql.md "How values compare".

namespace rookery::search {

// A term as it is stored. Never empty; at most kTermSizeMax bytes.
using Term = std::string;
inline constexpr std::size_t kTermSizeMax = 512;

enum class TermKind : std::uint8_t { kNull, kFalse, kTrue, kNumber, kString };

[[nodiscard]] Term null_term();
[[nodiscard]] Term bool_term(bool value);
[[nodiscard]] Term integer_term(std::int64_t value);
// NaN has no term. -0.0 has that of 0. Requires: not NaN.
[[nodiscard]] Term number_term(double value);
// A text that does not fit is cut and ends in a hash of the whole, so that equal terms mean equal
// texts; two such texts with one beginning are ordered by their hashes.
[[nodiscard]] Term string_term(std::string_view text);

// True for a string whose end was cut off.
[[nodiscard]] bool term_is_cut(std::string_view term) noexcept;

// Requires: `term` is not empty and was made here.
[[nodiscard]] TermKind term_kind(std::string_view term) noexcept;
// The text of a string (as far as it was kept), the value of a number. nullopt for other kinds.
[[nodiscard]] std::optional<std::string_view> term_text(std::string_view term) noexcept;
[[nodiscard]] std::optional<double> term_number(std::string_view term) noexcept;
// The exact integer, if the number is one within 64 bits.
[[nodiscard]] std::optional<std::int64_t> term_integer(std::string_view term) noexcept;
// As people should read it: null, true, 12, text.
[[nodiscard]] std::string term_to_string(std::string_view term);

}  // namespace rookery::search
