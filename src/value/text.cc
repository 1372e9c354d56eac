// SPDX-License-Identifier: Apache-2.0
#include "rookery/value/text.h"

#include <algorithm>
#include <cstdint>

#include <simdjson.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "rookery/base/check.h"

namespace rookery::value {

namespace {

[[nodiscard]] bool is_ascii(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x80;
}

[[nodiscard]] char fold_ascii(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Reads the code point at `at` and moves behind it; negative for what is not UTF-8, which is then
// stepped over up to the first byte that might begin anew.
[[nodiscard]] UChar32 next(std::string_view text, std::size_t& at) noexcept {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  UChar32 code = 0;
  U8_NEXT(bytes, at, text.size(), code);  // NOLINT: ICU's macro
  return code;
}

void append_utf8(std::string& to, UChar32 code) {
  std::uint8_t bytes[U8_MAX_LENGTH];  // NOLINT: ICU's macro wants an array
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, static_cast<std::uint32_t>(code));  // NOLINT: ICU's macro
  to.append(reinterpret_cast<const char*>(bytes), size);
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  return simdjson::validate_utf8(text.data(), text.size());
}

std::optional<std::size_t> utf8_error_offset(std::string_view text) noexcept {
  if (is_utf8(text)) {
    return std::nullopt;
  }
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = at;
    if (next(text, at) < 0) {
      return begin;
    }
  }
  return std::nullopt;
}

DecodedCodePoint decode_code_point(std::string_view text) noexcept {
  std::size_t at = 0;
  const UChar32 code = next(text, at);
  RK_CHECK(code >= 0);
  return {.code_point = static_cast<char32_t>(code), .size = at};
}

std::string fold_case(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_ascii(text[at])) {
      folded += fold_ascii(text[at]);
      ++at;
      continue;
    }
    const std::size_t begin = at;
    const UChar32 code = next(text, at);
    if (code < 0) {
      folded.append(text, begin, at - begin);
    } else {
      append_utf8(folded, u_foldCase(code, U_FOLD_CASE_DEFAULT));
    }
  }
  return folded;
}

bool equal_folded(std::string_view a, std::string_view b) {
  return fold_case(a) == fold_case(b);
}

}  // namespace rookery::value
