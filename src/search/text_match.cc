// SPDX-License-Identifier: Apache-2.0
#include "text_match.h"

#include <algorithm>
#include <optional>

namespace rookery::search {
namespace {

constexpr char32_t kStrayByte = 0x110000;  // above every code point

// The code point at `at`, and how many bytes it takes.
struct Decoded {
  char32_t value;
  std::size_t size;
};

Decoded decode_at(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const char32_t lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || size > text.size() - at) {
    return {kStrayByte + lead, 1};
  }
  char32_t value = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return {kStrayByte + lead, 1};
    }
    value = value << 6U | (byte(i) & 0x3FU);
  }
  return {value, size};
}

}  // namespace

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Decoded point = decode_at(text, at);
    points.push_back(point.value);
    at += point.size;
  }
  return points;
}

WildcardPattern::WildcardPattern(std::string_view pattern) {
  bool is_literal_so_far = true;
  for (std::size_t at = 0; at < pattern.size();) {
    const char c = pattern[at];
    if (c == '*' || c == '?') {
      is_literal_so_far = false;
      const auto kind = c == '*' ? Item::Kind::kAnyText : Item::Kind::kAnyOne;
      // Stars in a row are one.
      if (c == '?' || items_.empty() || items_.back().kind != Item::Kind::kAnyText) {
        items_.push_back({kind, 0});
      }
      ++at;
      continue;
    }
    at += c == '\\' && at + 1 < pattern.size() ? 1U : 0U;
    const Decoded point = decode_at(pattern, at);
    items_.push_back({Item::Kind::kLiteral, point.value});
    if (is_literal_so_far) {
      beginning_.append(pattern.substr(at, point.size));
    }
    at += point.size;
  }
  const auto is_special = [](const Item& item) { return item.kind != Item::Kind::kLiteral; };
  is_prefix_ = !items_.empty() && items_.back().kind == Item::Kind::kAnyText &&
               std::count_if(items_.begin(), items_.end(), is_special) == 1;
}

bool WildcardPattern::matches(std::string_view text) const {
  std::size_t at = 0;
  std::size_t item = 0;

  // Where to go on if what follows the last star does not fit: it takes one code point more.
  struct Retry {
    std::size_t item;
    std::size_t at;
  };

  std::optional<Retry> retry;
  while (true) {
    if (item < items_.size() && items_[item].kind == Item::Kind::kAnyText) {
      retry = Retry{++item, at};
      continue;
    }
    if (item == items_.size() && at == text.size()) {
      return true;
    }
    if (item < items_.size() && at < text.size()) {
      const Decoded point = decode_at(text, at);
      if (items_[item].kind == Item::Kind::kAnyOne || items_[item].literal == point.value) {
        ++item;
        at += point.size;
        continue;
      }
    }
    if (!retry || retry->at == text.size()) {
      return false;
    }
    retry->at += decode_at(text, retry->at).size;
    item = retry->item;
    at = retry->at;
  }
}

EditDistance::EditDistance(std::string_view text, std::uint32_t edits_max)
    : target_(code_points(text)), edits_max_(edits_max) {}

bool EditDistance::is_within(std::string_view text) {
  // A code point takes 1 to 4 bytes: most texts are told apart without decoding them.
  if (text.size() + edits_max_ < target_.size() ||
      text.size() > 4 * (target_.size() + edits_max_)) {
    return false;
  }
  const std::u32string other = code_points(text);
  const std::size_t width = target_.size() + 1;
  if (other.size() > target_.size() + edits_max_ || other.size() + edits_max_ < target_.size()) {
    return false;
  }
  rows_.resize(width * 3);
  std::uint32_t* before_last = rows_.data();
  std::uint32_t* last = before_last + width;
  std::uint32_t* row = last + width;
  for (std::size_t j = 0; j < width; ++j) {
    last[j] = static_cast<std::uint32_t>(j);
  }
  for (std::size_t i = 1; i <= other.size(); ++i) {
    row[0] = static_cast<std::uint32_t>(i);
    std::uint32_t least = row[0];
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = other[i - 1] == target_[j - 1];
      std::uint32_t cost = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && other[i - 1] == target_[j - 2] && other[i - 2] == target_[j - 1]) {
        cost = std::min(cost, before_last[j - 2] + 1);
      }
      row[j] = cost;
      least = std::min(least, cost);
    }
    // A swap reaches back over one row, so two rows beyond the bound would be needed to give up;
    // its own cost of one makes one enough: the row before was within it, or this is not.
    if (least > edits_max_ && *std::min_element(last, last + width) > edits_max_) {
      return false;
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[width - 1] <= edits_max_;
}

}  // namespace rookery::search
