// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

// Purpose. Classes of single bytes, in no locale. A byte of a character outside ASCII counts as a
// letter: names in any script need no quotes, and no table of Unicode is needed here.

namespace rookery::query {

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

constexpr bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

// `@` begins names of metadata; the clients leave `-` inside a name unquoted (@last-modified).
constexpr bool begins_word(char c) noexcept {
  return is_letter(c) || c == '_' || c == '@';
}

constexpr bool continues_word(char c) noexcept {
  return begins_word(c) || is_digit(c) || c == '-';
}

constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return to_lower(x) == to_lower(y); });
}

}  // namespace rookery::query
