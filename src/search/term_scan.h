// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/search/query.h"

// Purpose. Conditions on terms that no single term answers: where in a dictionary their terms can
// be, and which of those they are. Serves dictionaries and the terms in a record alike.
// Threads: one at a time.

namespace rookery::search {

enum class Verdict : std::uint8_t {
  kNo,
  kYes,
  kUnknown,  // the text was cut, and what was kept does not tell
};

class TermTest {
 public:
  TermTest() = default;
  TermTest(const TermTest&) = delete;
  TermTest& operator=(const TermTest&) = delete;
  virtual ~TermTest() = default;
  // Of terms within the scan's bounds.
  [[nodiscard]] virtual Verdict test(std::string_view term) = 0;
};

struct TermScan {
  std::string low;                  // the first term that may match
  std::optional<std::string> high;  // the first that is beyond; unset: to the end
  std::unique_ptr<TermTest> test;   // null: all within the bounds match

  [[nodiscard]] bool is_beyond(std::string_view term) const noexcept {
    return high && term >= *high;
  }

  [[nodiscard]] Verdict judge(std::string_view term) const {
    if (term < low || is_beyond(term)) {
      return Verdict::kNo;
    }
    return test == nullptr ? Verdict::kYes : test->test(term);
  }
};

// Bounds as a half-open range of byte strings.
struct ByteRange {
  std::string low;
  std::optional<std::string> high;
};

[[nodiscard]] ByteRange byte_range(const std::optional<Bound>& low,
                                   const std::optional<Bound>& high);
// Everything that begins so.
[[nodiscard]] ByteRange prefix_range(std::string_view prefix);

[[nodiscard]] TermScan scan_range(const Range& range);
[[nodiscard]] TermScan scan_prefix(std::string_view text);
[[nodiscard]] TermScan scan_suffix(std::string_view text);
[[nodiscard]] TermScan scan_wildcard(std::string_view pattern);
// Errors: invalid_argument with what is wrong with the pattern.
[[nodiscard]] Result<TermScan> scan_regex(const Regex& regex);
// Errors: invalid_argument for more than kFuzzyEditsMax edits.
[[nodiscard]] Result<TermScan> scan_fuzzy(const Fuzzy& fuzzy);

}  // namespace rookery::search
