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

constexpr std::size_t kStopWordSizeMax = 5;

bool is_stop_word(std::string_view word) noexcept {
  return word.size() <= kStopWordSizeMax &&
         std::binary_search(kStopWords.begin(), kStopWords.end(), word);
}

enum class Class : std::uint8_t {
  kBetween,  // a word ends and none begins
  kWord,     // an ASCII letter or digit
  kJoiner,   // joins words on both sides of it, sometimes
  kOther,    // for the library
};

constexpr Class class_of(unsigned char byte) noexcept {
  const unsigned char small = byte | 0x20U;
  if ((small >= 'a' && small <= 'z') || (byte >= '0' && byte <= '9')) {
    return Class::kWord;
  }
  constexpr std::string_view kJoiners = ".,:;'";
  if (kJoiners.find(static_cast<char>(byte)) != std::string_view::npos) {
    return Class::kJoiner;
  }
  // An at sign is a letter to some versions of the library.
  return byte >= 0x80 || byte == '_' || byte == '@' ? Class::kOther : Class::kBetween;
}

constexpr std::array<Class, 256> kClasses = [] {
  std::array<Class, 256> classes{};
  for (std::size_t byte = 0; byte < classes.size(); ++byte) {
    classes[byte] = class_of(static_cast<unsigned char>(byte));
  }
  return classes;
}();

Class class_at(std::string_view text, std::size_t at) noexcept {
  return at < text.size() ? kClasses[static_cast<unsigned char>(text[at])] : Class::kBetween;
}

// Whether the words of a piece are its runs of ASCII letters and digits: what most pieces of most
// texts are, and an order of magnitude faster to break than by the library's rules.
bool is_simple(std::string_view piece) noexcept {
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const Class here = class_at(piece, i);
    if (here == Class::kOther ||
        (here == Class::kJoiner && i > 0 && class_at(piece, i - 1) == Class::kWord &&
         class_at(piece, i + 1) == Class::kWord)) {
      return false;
    }
  }
  return true;
}

}  // namespace

class Analyzer::State {
 public:
  State() {
    UErrorCode status = U_ZERO_ERROR;
    breaks_.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    RK_CHECK(U_SUCCESS(status) && breaks_ != nullptr);
  }

  void begin() { position_ = 0; }

  void add_simple(std::string_view piece, std::vector<Token>& tokens) {
    for (std::size_t begin = 0; begin < piece.size();) {
      std::size_t end = begin;
      while (class_at(piece, end) == Class::kWord) {
        ++end;
      }
      if (end > begin) {
        std::string word(piece.substr(begin, end - begin));
        for (char& c : word) {
          c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
        add(std::move(word), tokens);
      }
      begin = end + 1;
    }
  }

  void add_any(std::string_view piece, std::vector<Token>& tokens) {
    const icu::UnicodeString unicode = icu::UnicodeString::fromUTF8(
        icu::StringPiece(piece.data(), static_cast<std::int32_t>(piece.size())));
    breaks_->setText(unicode);
    std::int32_t begin = breaks_->first();
    for (std::int32_t end = breaks_->next(); end != icu::BreakIterator::DONE;
         end = breaks_->next()) {
      // Pieces without letter, digit, kana or ideograph are what is between words.
      if (breaks_->getRuleStatus() >= UBRK_WORD_NONE_LIMIT) {
        icu::UnicodeString word = unicode.tempSubStringBetween(begin, end);
        std::string text;
        add(word.foldCase().toUTF8String(text), tokens);
      }
      begin = end;
    }
    // The iterator must not go on pointing to what is gone.
    breaks_->setText(icu::UnicodeString());
  }

 private:
  void add(std::string word, std::vector<Token>& tokens) {
    const std::uint32_t position = position_++;
    if (!is_stop_word(word)) {
      tokens.push_back({.text = std::move(word), .position = position});
    }
  }

  std::unique_ptr<icu::BreakIterator> breaks_;
  std::uint32_t position_ = 0;
};

Analyzer::Analyzer() : state_(std::make_unique<State>()) {}

Analyzer::~Analyzer() = default;
Analyzer::Analyzer(Analyzer&&) noexcept = default;
Analyzer& Analyzer::operator=(Analyzer&&) noexcept = default;

// Piece by piece between spaces: no rule looks across one, but for what combines with it, so a
// piece that the library breaks has the space before it.
std::vector<Token> Analyzer::analyze(std::string_view text) {
  RK_CHECK(text.size() <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
  std::vector<Token> tokens;
  state_->begin();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin + 1), text.size());
    const std::string_view piece = text.substr(begin, end - begin);
    if (is_simple(piece)) {
      state_->add_simple(piece, tokens);
    } else {
      state_->add_any(piece, tokens);
    }
    begin = end;
  }
  return tokens;
}

}  // namespace rookery::search
