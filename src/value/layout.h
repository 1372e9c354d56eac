// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "rookery/base/check.h"
#include "rookery/base/coding.h"

// Purpose. The bytes of a document: constants and the two ways to read and write its integers.
//
//   | header 12 | values, children before parents ... root | key table |
//   header = version u8 | key_width_code u8 | zero u16 | root_offset u32 | keys_offset u32
//
// Source: docs/format/document.md.

namespace rookery::value::layout {

inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::size_t kHeaderSize = 12;
inline constexpr std::size_t kKeyWidthAt = 1;
inline constexpr std::size_t kReservedAt = 2;
inline constexpr std::size_t kRootAt = 4;
inline constexpr std::size_t kKeysAt = 8;
// An object with more members than this carries their sorted order.
inline constexpr std::size_t kLinearMembersMax = 8;
// Offsets have 32 bits.
inline constexpr std::uint64_t kSizeMaxBytes = 0xFFFFFFFFU;

// The low half of a tag.
enum class Kind : std::uint8_t {
  kNull = 0,
  kFalse = 1,
  kTrue = 2,
  kInt = 3,
  kNumber = 4,
  kString = 5,
  kArray = 6,
  kObject = 7,
};

// Integers in a document take 1 << code bytes: 1, 2, 4, and for values of kInt also 8.
using WidthCode = std::uint8_t;

[[nodiscard]] constexpr std::uint8_t make_tag(Kind kind, WidthCode width,
                                              WidthCode key_width = 0) noexcept {
  return static_cast<std::uint8_t>(static_cast<unsigned>(kind) | (unsigned{width} << 4U) |
                                   (unsigned{key_width} << 6U));
}

[[nodiscard]] constexpr std::uint8_t tag_kind(std::uint8_t tag) noexcept {
  return tag & 0x0FU;
}

[[nodiscard]] constexpr WidthCode tag_width(std::uint8_t tag) noexcept {
  return (tag >> 4U) & 3U;
}

[[nodiscard]] constexpr WidthCode tag_key_width(std::uint8_t tag) noexcept {
  return tag >> 6U;
}

// The narrowest code that holds `value`.
[[nodiscard]] constexpr WidthCode width_of(std::uint64_t value) noexcept {
  if (value <= 0xFFU) {
    return 0;
  }
  return value <= 0xFFFFU ? 1 : 2;
}

[[nodiscard]] constexpr WidthCode width_of_int(std::int64_t value) noexcept {
  if (value == static_cast<std::int8_t>(value)) {
    return 0;
  }
  if (value == static_cast<std::int16_t>(value)) {
    return 1;
  }
  return value == static_cast<std::int32_t>(value) ? 2 : 3;
}

[[nodiscard]] inline std::uint32_t load_width(const std::byte* from, WidthCode code) noexcept {
  switch (code) {
    case 0:
      return load<std::uint8_t>(from);
    case 1:
      return load<std::uint16_t>(from);
    default:
      return load<std::uint32_t>(from);
  }
}

inline void save_width(std::byte* to, WidthCode code, std::uint32_t value) noexcept {
  switch (code) {
    case 0:
      save(to, static_cast<std::uint8_t>(value));
      return;
    case 1:
      save(to, static_cast<std::uint16_t>(value));
      return;
    default:
      RK_DCHECK(code == 2);
      save(to, value);
  }
}

}  // namespace rookery::value::layout
