// SPDX-License-Identifier: Apache-2.0
#include "rookery/search/analyzer.h"

#include <algorithm>
#include <array>
#include <limits>

#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/ubrk.h>
#include <unicode/unistr.h>

#include "rookery/base/check.h"

namespace rookery::search {
namespace {

// The words that a default analyzer of English leaves out. Sorted.
constexpr std::array<std::string_view, 33> kStopWords = {
    "a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
    "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
    "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with"};
static_assert(std::is_sorted(kStopWords.begin(), kStopWords.end()));

bool is_stop_word(std::string_view word) noexcept {
  return std::binary_search(kStopWords.begin(), kStopWords.end(), word);
}

}  // namespace

class Analyzer::State {
 public:
  State() {
    UErrorCode status = U_ZERO_ERROR;
    breaks.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    RK_CHECK(U_SUCCESS(status) && breaks != nullptr);
  }

  std::unique_ptr<icu::BreakIterator> breaks;
};

Analyzer::Analyzer() : state_(std::make_unique<State>()) {}

Analyzer::~Analyzer() = default;
Analyzer::Analyzer(Analyzer&&) noexcept = default;
Analyzer& Analyzer::operator=(Analyzer&&) noexcept = default;

std::vector<Token> Analyzer::analyze(std::string_view text) {
  RK_CHECK(text.size() <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
  const icu::UnicodeString unicode = icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
  icu::BreakIterator& breaks = *state_->breaks;
  breaks.setText(unicode);
  std::vector<Token> tokens;
  std::uint32_t position = 0;
  std::int32_t begin = breaks.first();
  for (std::int32_t end = breaks.next(); end != icu::BreakIterator::DONE; end = breaks.next()) {
    // Pieces without letter, digit, kana or ideograph are what is between words.
    if (breaks.getRuleStatus() >= UBRK_WORD_NONE_LIMIT) {
      icu::UnicodeString word = unicode.tempSubStringBetween(begin, end);
      Token token;
      word.foldCase().toUTF8String(token.text);
      token.position = position++;
      if (!is_stop_word(token.text)) {
        tokens.push_back(std::move(token));
      }
    }
    begin = end;
  }
  // The iterator must not go on pointing to what is gone.
  breaks.setText(icu::UnicodeString());
  return tokens;
}

}  // namespace rookery::search
