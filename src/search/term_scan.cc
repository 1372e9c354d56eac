// SPDX-License-Identifier: Apache-2.0
#include "term_scan.h"

#include <utility>

#include <re2/re2.h>

#include "rookery/base/canary.h"

#include "term_layout.h"
#include "text_match.h"

namespace rookery::search {
namespace {

constexpr std::uint32_t kEditsMax = kFuzzyEditsMax;

// What is left of a string term's text.
std::string_view kept_text(std::string_view term) noexcept {
  return term_is_cut(term) ? term.substr(1, kKeptTextSize) : term.substr(1);
}

class PrefixTest final : public TermTest {
 public:
  explicit PrefixTest(std::string_view text) : text_(text) {}

  Verdict test(std::string_view term) override {
    const std::string_view kept = kept_text(term);
    if (term_is_cut(term) && text_.size() > kept.size()) {
      return text_.starts_with(kept) ? Verdict::kUnknown : Verdict::kNo;
    }
    return kept.starts_with(text_) ? Verdict::kYes : Verdict::kNo;
  }

 private:
  std::string text_;
};

// A test of whole texts, as a function of them.
template <typename Matches>
class WholeTextTest final : public TermTest {
 public:
  explicit WholeTextTest(Matches matches) : matches_(std::move(matches)) {}

  Verdict test(std::string_view term) override {
    if (term_is_cut(term)) {
      return Verdict::kUnknown;
    }
    return matches_(term.substr(1)) ? Verdict::kYes : Verdict::kNo;
  }

 private:
  Matches matches_;
};

template <typename Matches>
std::unique_ptr<TermTest> whole_text_test(Matches matches) {
  return std::make_unique<WholeTextTest<Matches>>(std::move(matches));
}

// The strings that begin with a text, as far as terms keep it.
TermScan strings_from(std::string_view beginning) {
  const std::string prefix = kStringByte + std::string(beginning.substr(0, kKeptTextSize));
  ByteRange range = prefix_range(prefix);
  return {.low = std::move(range.low), .high = std::move(range.high), .test = nullptr};
}

}  // namespace

ByteRange byte_range(const std::optional<Bound>& low, const std::optional<Bound>& high) {
  // The first string behind a given one is that with a zero byte more.
  ByteRange range;
  if (low) {
    range.low = low->term;
    if (!low->inclusive) {
      range.low.push_back('\0');
    }
  }
  if (high) {
    range.high = high->term;
    if (high->inclusive != canary(Canary::kSearchRangeEndSwapped)) {
      range.high->push_back('\0');
    }
  }
  return range;
}

ByteRange prefix_range(std::string_view prefix) {
  ByteRange range;
  range.low = prefix;
  std::string high(prefix);
  while (!high.empty() && high.back() == '\xFF') {
    high.pop_back();
  }
  if (!high.empty()) {
    high.back() = static_cast<char>(static_cast<unsigned char>(high.back()) + 1U);
    range.high = std::move(high);
  }
  return range;
}

TermScan scan_range(const Range& range) {
  ByteRange bytes = byte_range(range.low, range.high);
  return {.low = std::move(bytes.low), .high = std::move(bytes.high), .test = nullptr};
}

TermScan scan_prefix(std::string_view text) {
  TermScan scan = strings_from(text);
  if (text.size() > kKeptTextSize) {
    scan.test = std::make_unique<PrefixTest>(text);
  }
  return scan;
}

TermScan scan_suffix(std::string_view text) {
  TermScan scan = strings_from("");
  scan.test = whole_text_test(
      [suffix = std::string(text)](std::string_view term) { return term.ends_with(suffix); });
  return scan;
}

TermScan scan_wildcard(std::string_view pattern) {
  WildcardPattern wildcard(pattern);
  if (wildcard.is_prefix()) {
    return scan_prefix(wildcard.beginning());
  }
  TermScan scan = strings_from(wildcard.beginning());
  scan.test = whole_text_test(
      [wildcard = std::move(wildcard)](std::string_view term) { return wildcard.matches(term); });
  return scan;
}

Result<TermScan> scan_regex(const Regex& regex) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(!regex.ignore_case);
  auto compiled = std::make_unique<re2::RE2>(regex.pattern, options);
  if (!compiled->ok()) {
    return Error(ErrorCode::invalid_argument,
                 "regular expression '" + regex.pattern + "': " + compiled->error());
  }
  TermScan scan = strings_from("");
  scan.test = whole_text_test([compiled = std::move(compiled)](std::string_view term) {
    return re2::RE2::PartialMatch(re2::StringPiece(term.data(), term.size()), *compiled);
  });
  return scan;
}

Result<TermScan> scan_fuzzy(const Fuzzy& fuzzy) {
  if (fuzzy.edits_max > kEditsMax) {
    return Error(ErrorCode::invalid_argument,
                 "fuzzy search allows " + std::to_string(kEditsMax) + " edits at most");
  }
  TermScan scan = strings_from("");
  scan.test =
      whole_text_test([distance = EditDistance(fuzzy.text, fuzzy.edits_max)](
                          std::string_view term) mutable { return distance.is_within(term); });
  return scan;
}

}  // namespace rookery::search
