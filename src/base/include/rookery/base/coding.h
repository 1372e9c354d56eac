// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

// Purpose. Little-endian integers at unaligned addresses, big-endian ones for keys that sort by
// byte, and varints.
// Requires: load/save: the address has sizeof(T) bytes.

namespace rookery {

static_assert(std::endian::native == std::endian::little, "only little-endian machines are served");

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

template <typename T>
requires std::is_trivially_copyable_v<T>

[[nodiscard]] T load(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
requires std::is_trivially_copyable_v<T>

void save(std::byte* to, const T& value) noexcept {
  std::memcpy(to, &value, sizeof(T));
}

// Big-endian, so that byte order is numeric order.
inline void store_be64(std::byte* to, std::uint64_t value) noexcept {
  save(to, __builtin_bswap64(value));
}

[[nodiscard]] inline std::uint64_t load_be64(const std::byte* from) noexcept {
  return __builtin_bswap64(load<std::uint64_t>(from));
}

[[nodiscard]] inline Bytes as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

[[nodiscard]] inline std::string_view as_text(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Byte order, shorter first among equals: <0, 0 or >0.
[[nodiscard]] inline int compare_bytes(Bytes a, Bytes b) noexcept {
  const std::size_t common = a.size() < b.size() ? a.size() : b.size();
  const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);
  if (order != 0 || a.size() == b.size()) {
    return order;
  }
  return a.size() < b.size() ? -1 : 1;
}

// LEB128; appends 1 to 10 bytes.
void append_varint(std::string& to, std::uint64_t value);

// Reads a varint from the front of `from` and drops it there; nullopt if cut short or over 64 bits.
[[nodiscard]] std::optional<std::uint64_t> take_varint(Bytes& from) noexcept;

}  // namespace rookery
