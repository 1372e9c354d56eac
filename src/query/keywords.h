// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "ascii.h"

// Purpose. Which words cannot be names. RQL's keywords are contextual: a word is a keyword only
// where the grammar looks for one, so that a field may be called `limit` or `from`.

namespace rookery::query {

template <std::size_t N>
constexpr bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view each) { return equal_ignoring_case(each, word); });
}

// Words that begin a clause, and `as`: they end a list, so they name a field only in quotes or with
// a dot behind them. (The clients quote these very words, less `filter_limit`.)
constexpr bool is_reserved(std::string_view word) {
  constexpr std::array<std::string_view, 9> kWords = {
      "as", "select", "where", "load", "group", "order", "include", "filter", "filter_limit"};
  return is_one_of(word, kWords);
}

// Words that cannot be an alias without `as` before it.
constexpr bool begins_clause(std::string_view word) {
  constexpr std::array<std::string_view, 3> kMore = {"update", "limit", "offset"};
  return is_reserved(word) || is_one_of(word, kMore);
}

constexpr bool is_boolean_operator(std::string_view word) {
  constexpr std::array<std::string_view, 3> kWords = {"and", "or", "not"};
  return is_one_of(word, kWords);
}

constexpr bool is_literal(std::string_view word) {
  constexpr std::array<std::string_view, 3> kWords = {"true", "false", "null"};
  return is_one_of(word, kWords);
}

// True if the lexer makes one word of it, unquoted.
constexpr bool is_word(std::string_view text) {
  return !text.empty() && begins_word(text.front()) &&
         std::all_of(text.begin(), text.end(), continues_word);
}

// True if the word, unquoted, is an operand wherever one may stand.
constexpr bool is_plain_name(std::string_view word) {
  return is_word(word) && !is_reserved(word) && !is_boolean_operator(word) && !is_literal(word);
}

}  // namespace rookery::query
