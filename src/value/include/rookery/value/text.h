// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Purpose. Unicode text: what is UTF-8, and which names are the same but for case.

namespace rookery::value {

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

// Byte offset of the first byte that is not part of well-formed UTF-8; nullopt if all is.
[[nodiscard]] std::optional<std::size_t> utf8_error_offset(std::string_view text) noexcept;

struct DecodedCodePoint {
  char32_t code_point = 0;
  std::size_t size = 0;  // in bytes
};

// The first code point. Requires: `text` begins with well-formed UTF-8.
[[nodiscard]] DecodedCodePoint decode_code_point(std::string_view text) noexcept;

// Unicode simple case folding, code point by code point, independent of any locale: two ids are the
// same iff their folded forms are equal bytes. Folding a folded text changes nothing. Bytes that
// are not UTF-8 stay as they are. The length in bytes may change, by at most half. The Unicode
// version is that of the ICU linked in; folding of assigned characters never changes between
// versions.
[[nodiscard]] std::string fold_case(std::string_view text);

[[nodiscard]] bool equal_folded(std::string_view a, std::string_view b);

}  // namespace rookery::value
