// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Purpose. Whether a text looks like another: wildcards and edit distance, in code points. A byte
// that is no UTF-8 counts as a code point of its own.
// Threads: one at a time, for the scratch memory inside.

namespace rookery::search {

[[nodiscard]] std::u32string code_points(std::string_view text);

// Purpose. A pattern with `*` (any text), `?` (one code point) and a backslash before what is meant
// literally.
class WildcardPattern {
 public:
  explicit WildcardPattern(std::string_view pattern);

  // Literal text that every match begins with.
  [[nodiscard]] const std::string& beginning() const noexcept { return beginning_; }

  // Whether the pattern is only that beginning and a `*`.
  [[nodiscard]] bool is_prefix() const noexcept { return is_prefix_; }

  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  struct Item {
    enum class Kind : std::uint8_t { kLiteral, kAnyOne, kAnyText } kind;
    char32_t literal;
  };

  std::vector<Item> items_;
  std::string beginning_;
  bool is_prefix_ = false;
};

// Purpose. Texts within some edits of one: insert, delete, change, or swap neighbours, where no
// part is edited twice (optimal string alignment).
class EditDistance {
 public:
  EditDistance(std::string_view text, std::uint32_t edits_max);

  [[nodiscard]] bool is_within(std::string_view text);

 private:
  std::u32string target_;
  std::uint32_t edits_max_;
  std::vector<std::uint32_t> rows_;  // three, reused
};

}  // namespace rookery::search
