// SPDX-License-Identifier: Apache-2.0
// Words are those of the library's rules over the whole text, however the analyzer finds them.
#include "rookery/search/analyzer.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/ubrk.h>
#include <unicode/unistr.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

namespace rookery::search {
namespace {

struct Word {
  std::string text;
  std::uint32_t position = 0;

  bool operator==(const Word& other) const = default;
};

const std::set<std::string_view>& stop_words() {
  static const std::set<std::string_view> kWords = {
      "a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
      "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
      "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with"};
  return kWords;
}

std::vector<Word> words_by_rules(const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  static const std::unique_ptr<icu::BreakIterator> kBreaks(
      icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  const icu::UnicodeString unicode = icu::UnicodeString::fromUTF8(text);
  kBreaks->setText(unicode);
  std::vector<Word> words;
  std::uint32_t position = 0;
  std::int32_t begin = kBreaks->first();
  for (std::int32_t end = kBreaks->next(); end != icu::BreakIterator::DONE;
       begin = end, end = kBreaks->next()) {
    if (kBreaks->getRuleStatus() < UBRK_WORD_NONE_LIMIT) {
      continue;
    }
    Word word{.text = {}, .position = position++};
    icu::UnicodeString(unicode, begin, end - begin).foldCase().toUTF8String(word.text);
    if (!stop_words().contains(word.text)) {
      words.push_back(std::move(word));
    }
  }
  return words;
}

std::vector<Word> words_of(Analyzer& analyzer, const std::string& text) {
  std::vector<Word> words;
  for (const Token& token : analyzer.analyze(text)) {
    words.push_back({token.text, token.position});
  }
  return words;
}

TEST(Analyzer, BreaksAsTheRulesSay) {
  // Not U+30FC before an ideograph: the library (ICU 72) breaks that in two ways, by what its
  // process broke before.
  constexpr std::array<std::string_view, 57> kPieces = {
      " ",      " ",      " ",      " ",      "a",      "B",      "z9",         "The",
      "dog",    "7",      "42",     "there",  "_",      ".",      ",",          ":",
      ";",      "'",      "\"",     "-",      "/",      "@",      "#",          "(",
      "\n",     "\r\n",   "\t",     "\v",     "\x01",   "\x7f",   "é",          "ß",
      "Ä",      "Ω",      "中",     "文",     "カ",     "ひ",     "א",          "״",
      "\u0301", "\u200d", "\u00a0", "\u2019", "\u00b7", "\u2003", "\U0001F600", "\U0001F1E9",
      "\u0e44", "\u0e17", "\u0e22", "\u00ad", "\u2028", "\u0660", "\xff",       "\xc3",
      "`"};
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Prng prng(seed);
  Analyzer analyzer;
  std::size_t words = 0;
  for (int round = 0; round < 20'000 && !HasFailure(); ++round) {
    // Mostly ASCII in half of them.
    const std::uint64_t end = round % 2 == 0 ? 30 : kPieces.size();
    std::string text;
    for (std::uint64_t i = prng.below(14); i > 0; --i) {
      if (prng.chance(4)) {
        text.push_back(static_cast<char>(prng.below(128)));
      } else {
        text += kPieces[prng.below(end)];
      }
    }
    const std::vector<Word> expected = words_by_rules(text);
    words += expected.size();
    EXPECT_EQ(words_of(analyzer, text), expected) << ::testing::PrintToString(text);
  }
  EXPECT_GT(words, 20'000U);
}

}  // namespace
}  // namespace rookery::search
