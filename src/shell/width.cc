// SPDX-License-Identifier: Apache-2.0
#include "width.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include "rookery/value/text.h"

namespace rookery::shell {

namespace {

constexpr std::string_view kEllipsis = "\u2026";

std::size_t width_of(char32_t code_point) {
  const auto c = static_cast<UChar32>(code_point);
  if (c >= 0x20 && c < 0x7F) {
    return 1;
  }
  // Vowels and final consonants of a Korean syllable stand inside its square.
  constexpr UChar32 kJamoFirst = 0x1160;
  constexpr UChar32 kJamoLast = 0x11FF;
  constexpr UChar32 kSoftHyphen = 0xAD;
  const auto type = u_charType(c);
  const bool is_mark = type == U_NON_SPACING_MARK || type == U_ENCLOSING_MARK ||
                       type == U_FORMAT_CHAR || type == U_CONTROL_CHAR;
  if ((is_mark && c != kSoftHyphen) || (c >= kJamoFirst && c <= kJamoLast)) {
    return 0;
  }
  const auto width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_FULLWIDTH || width == U_EA_WIDE ? 2 : 1;
}

bool is_unsafe(char32_t c) {
  const bool turns = c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
                     (c >= 0x2066 && c <= 0x2069);
  const bool breaks = c == 0x2028 || c == 0x2029;
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || turns || breaks;
}

void append_escape(std::string& out, char32_t c) {
  switch (c) {
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
  }
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const value::DecodedCodePoint next = value::decode_code_point(text);
    width += width_of(next.code_point);
    text.remove_prefix(next.size);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const value::DecodedCodePoint next = value::decode_code_point(text);
    if (is_unsafe(next.code_point)) {
      append_escape(out, next.code_point);
    } else {
      out += text.substr(0, next.size);
    }
    text.remove_prefix(next.size);
  }
  return out;
}

std::string fitted(std::string_view text, std::size_t width) {
  std::size_t taken = 0;
  std::size_t cut = 0;  // bytes that leave a column for the ellipsis
  for (std::size_t offset = 0; offset < text.size();) {
    const value::DecodedCodePoint next = value::decode_code_point(text.substr(offset));
    taken += width_of(next.code_point);
    offset += next.size;
    if (taken > width) {
      return std::string(text.substr(0, cut)) + (width == 0 ? "" : std::string(kEllipsis));
    }
    if (taken < width) {
      cut = offset;
    }
  }
  return std::string(text);
}

}  // namespace rookery::shell
