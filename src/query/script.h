// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

// Purpose. Finds where embedded text ends, without reading it: the engine that runs it will, and
// will report its errors.

namespace rookery::query {

// Size in bytes of the quoted string at the start of `text`, quotes included; 0 if it never ends.
// Inside, a backslash takes the next byte along, and the quote itself may stand twice.
[[nodiscard]] std::size_t quoted_size(std::string_view text) noexcept;

// `text` begins after an opening brace. Size of the JavaScript before the brace that closes it;
// braces in strings, template literals, regular expressions and comments are not counted. nullopt
// if nothing closes it.
// Whether a slash divides or begins a regular expression depends, in a few corners, on a full
// parse; the rule used is the usual one by what stands before it, and a slash without a partner on
// its line always divides.
[[nodiscard]] std::optional<std::size_t> javascript_size(std::string_view text);

// The same for text that has RQL's strings and comments, closed by '}' or ')'.
[[nodiscard]] std::optional<std::size_t> balanced_size(std::string_view text, char close) noexcept;

}  // namespace rookery::query
