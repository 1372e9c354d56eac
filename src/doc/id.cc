// SPDX-License-Identifier: Apache-2.0
#include "rookery/doc/id.h"

#include <array>

#include "rookery/doc/document.h"
#include "rookery/value/text.h"

namespace rookery::doc {

namespace {

// Bytes of the UTF-8 character at the front of `text`, which is not empty.
std::size_t character_size(std::string_view text) noexcept {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) {
    ++size;
  }
  return size;
}

// Greedy matching with one point to go back to: the last '*' seen.
bool matches_one(std::string_view pattern, std::string_view text) noexcept {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      t += character_size(text.substr(t));
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      star_text += character_size(text.substr(star_text));
      t = star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

Result<IdForm> classify_id(std::string_view id, char separator) {
  if (id.empty()) {
    return IdForm::kGuid;
  }
  if (id.size() > kIdSizeMax) {
    return Error(ErrorCode::too_large, "a document id may have " + std::to_string(kIdSizeMax) +
                                           " bytes of UTF-8, this one has " +
                                           std::to_string(id.size()));
  }
  if (!value::is_utf8(id)) {
    return Error(ErrorCode::malformed, "a document id must be UTF-8");
  }
  const char last = id.back();
  if (last != '|' && last != separator) {
    return IdForm::kLiteral;
  }
  if (id.size() == 1) {
    return Error(ErrorCode::invalid_argument,
                 "a document id cannot be '" + std::string(id) + "' alone");
  }
  return last == '|' ? IdForm::kIdentity : IdForm::kEtag;
}

std::string format_guid(Bytes random) {
  RK_CHECK(random.size() == 16);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < random.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text += '-';
    }
    auto byte = std::to_integer<std::uint32_t>(random[i]);
    if (i == 6) {
      byte = (byte & 0x0FU) | 0x40U;  // version 4
    } else if (i == 8) {
      byte = (byte & 0x3FU) | 0x80U;  // variant 1
    }
    text += kHex[byte >> 4U];
    text += kHex[byte & 15U];
  }
  return text;
}

std::string padded_etag(std::uint64_t etag) {
  constexpr std::size_t kDigits = 19;
  std::string digits = std::to_string(etag);
  if (digits.size() < kDigits) {
    digits.insert(0, kDigits - digits.size(), '0');
  }
  return digits;
}

IdPattern::IdPattern(std::string_view text) : folded_(value::fold_case(text)) {}

bool IdPattern::matches(std::string_view folded) const {
  std::string_view rest = folded_;
  while (!rest.empty()) {
    const std::size_t bar = rest.find('|');
    if (matches_one(rest.substr(0, bar), folded)) {
      return true;
    }
    rest = bar == std::string_view::npos ? std::string_view{} : rest.substr(bar + 1);
  }
  return false;
}

}  // namespace rookery::doc
