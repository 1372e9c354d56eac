// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rookery/plan/condition.h"
#include "rookery/value/text.h"

// Purpose. For tests: search() as simply as can be, by looking at a document's words one by one.
// Knows no more of words than RandomConditions has: letters, digits, a point between digits.

namespace rookery::index {

// Lower case, stop words as empty texts, so that what follows keeps its place.
inline std::vector<std::string> naive_words(std::string_view text) {
  static constexpr auto kStopWords = std::to_array<std::string_view>({"a", "the", "and"});
  const auto is_digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  const auto is_inside = [&](std::size_t i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    return byte >= 0x80 || std::isalnum(byte) != 0 ||
           (byte == '.' && i > 0 && is_digit(i - 1) && is_digit(i + 1));
  };
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_inside(i)) {
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && is_inside(i)) {
      ++i;
    }
    std::string word = value::fold_case(text.substr(begin, i - begin));
    const bool stops = std::find(kStopWords.begin(), kStopWords.end(), word) != kStopWords.end();
    words.push_back(stops ? std::string() : std::move(word));
  }
  return words;
}

// `*` any text, `?` one code point.
inline bool naive_wildcard(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) {
    return text.empty();
  }
  if (pattern.front() == '*') {
    return naive_wildcard(pattern.substr(1), text) ||
           (!text.empty() && naive_wildcard(pattern, text.substr(1)));
  }
  if (text.empty() || (pattern.front() != '?' && pattern.front() != text.front())) {
    return false;
  }
  std::size_t size = 1;
  while (pattern.front() == '?' && size < text.size() &&
         (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) {
    ++size;
  }
  return naive_wildcard(pattern.substr(1), text.substr(size));
}

// One element a text of the field.
using NaiveTexts = std::vector<std::vector<std::string>>;

inline NaiveTexts naive_texts(const plan::DocumentFacts& document, const plan::Field& field) {
  NaiveTexts texts;
  plan::visit_values(document, field, [&](value::View view) {
    if (const auto text = view.as_string()) {
      texts.push_back(naive_words(*text));
    } else if (const auto truth = view.as_bool()) {
      texts.push_back({*truth ? "true" : "false"});
    } else if (const auto whole = view.as_int64()) {
      texts.push_back(naive_words(std::to_string(*whole)));
    } else if (const auto number = view.as_double(); number == 2.5) {
      texts.push_back({"2.5"});
    }
  });
  return texts;
}

inline bool is_word(const std::string& word) {
  return !word.empty();
}

// A word, a pattern, or several words in a row. Requires: one of them is no stop word.
inline bool naive_has(const NaiveTexts& texts, std::string_view wanted) {
  const bool is_pattern = wanted.find_first_of("*?") != std::string_view::npos;
  std::vector<std::string> row = naive_words(wanted);
  row.erase(row.begin(), std::find_if(row.begin(), row.end(), is_word));
  row.erase(std::find_if(row.rbegin(), row.rend(), is_word).base(), row.end());
  return std::any_of(texts.begin(), texts.end(), [&](const std::vector<std::string>& words) {
    if (is_pattern) {
      return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        return is_word(word) && naive_wildcard(wanted, word);
      });
    }
    return std::search(words.begin(), words.end(), row.begin(), row.end(),
                       [](const std::string& has, const std::string& wants) {
                         return wants.empty() || has == wants;
                       }) != words.end();
  });
}

inline bool naive_search(const plan::Search& search, const plan::DocumentFacts& document) {
  const NaiveTexts texts = naive_texts(document, search.field);
  const bool all = search.op == query::LogicalOperator::kAnd;
  std::size_t asked = 0;
  std::size_t found = 0;
  std::string term;
  bool quoted = false;
  for (const char c : search.terms + " ") {
    quoted = quoted != (c == '"');
    if (c != ' ' || quoted) {
      term += c == '"' ? "" : std::string(1, c);
      continue;
    }
    const std::vector<std::string> words = naive_words(term);
    const bool asks = term.find_first_of("*?") != std::string::npos ||
                      std::any_of(words.begin(), words.end(), is_word);
    asked += asks ? 1U : 0U;
    found += asks && naive_has(texts, term) ? 1U : 0U;
    term.clear();
  }
  return all ? asked > 0 && found == asked : found > 0;
}

// plan::matches() with search(): the rest is its own.
inline Result<bool> naive_matches(const plan::Condition& condition,
                                  const plan::DocumentFacts& document) {
  if (const auto* const search = std::get_if<plan::Search>(&condition.what)) {
    return naive_search(*search, document);
  }
  if (const auto* const negation = std::get_if<plan::Negation>(&condition.what)) {
    RK_TRY_ASSIGN(const bool met, naive_matches(*negation->term, document));
    return !met;
  }
  if (const auto* const combine = std::get_if<plan::Combine>(&condition.what)) {
    std::size_t met_count = 0;
    for (const plan::Condition& term : combine->terms) {
      RK_TRY_ASSIGN(const bool met, naive_matches(term, document));
      met_count += met ? 1U : 0U;
    }
    return combine->op == query::LogicalOperator::kOr ? met_count > 0
                                                      : met_count == combine->terms.size();
  }
  return plan::matches(condition, document);
}

}  // namespace rookery::index
