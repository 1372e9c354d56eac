// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

// Purpose. JSON's numbers as text: their grammar, their value, their order.

namespace rookery::value {

// `-? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)?`, all of `text`.
[[nodiscard]] bool is_json_number(std::string_view text) noexcept;

// The integer if `text` is how a 64-bit integer is written: no fraction, no exponent, not "-0".
// Requires: is_json_number(text).
[[nodiscard]] std::optional<std::int64_t> number_as_int64(std::string_view text) noexcept;

// The nearest double; beyond the range an infinity or a signed zero.
// Requires: is_json_number(text).
[[nodiscard]] double number_to_double(std::string_view text) noexcept;

// Exactly the same value: "1.10" and "11e-1", "0" and "-0.0". O(length). Where an exponent has more
// than 18 digits, only numbers that spell it the same way are equal.
// Requires: is_json_number of both.
[[nodiscard]] bool numbers_equal(std::string_view a, std::string_view b) noexcept;

// Room for the text of any int64 or of any double's shortest form.
using NumberText = std::array<char, 32>;

[[nodiscard]] std::string_view write_int64(NumberText& to, std::int64_t value) noexcept;
[[nodiscard]] std::string_view write_uint64(NumberText& to, std::uint64_t value) noexcept;
// "null" for what JSON has no number for.
[[nodiscard]] std::string_view write_double(NumberText& to, double value) noexcept;

}  // namespace rookery::value
