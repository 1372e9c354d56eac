// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rookery/value/buffer.h"

#include "try_array.h"

// Purpose. The keys of a document that is being made, each stored once and known by its number.
// Sharing is a matter of size, not of truth: where many keys fall on one place of the hash table,
// by bad luck or malice, a key may be stored twice. That bounds the time of intern() by its length.
// Threads: one owner.

namespace rookery::value {

class KeyTable {
 public:
  // nullopt when memory is short.
  [[nodiscard]] std::optional<std::uint32_t> intern(std::string_view key) noexcept;

  [[nodiscard]] std::uint32_t count() const noexcept {
    return static_cast<std::uint32_t>(ends_.size());
  }

  // Valid until the next intern(). Requires: id < count().
  [[nodiscard]] std::string_view at(std::uint32_t id) const noexcept;

  [[nodiscard]] std::size_t text_size() const noexcept { return text_.size(); }

  // Two numbers may stand for one key.
  [[nodiscard]] bool has_twins() const noexcept { return has_twins_; }

  // The table as a document holds it, of encoded_size() bytes.
  [[nodiscard]] std::uint64_t encoded_size() const noexcept;
  [[nodiscard]] std::uint8_t width_code() const noexcept;
  void encode(std::byte* to) const noexcept;

  void clear() noexcept;
  // Gives all memory back.
  void release() noexcept;

 private:
  static constexpr std::size_t kProbesMax = 16;
  static constexpr std::size_t kSlotsMin = 64;

  // The slot that holds `key` or is free for it; nullopt if neither is near.
  [[nodiscard]] std::optional<std::size_t> probe(std::string_view key) const noexcept;
  [[nodiscard]] bool try_grow() noexcept;

  Buffer text_;
  TryArray<std::uint32_t> ends_;   // of each key in text_
  TryArray<std::uint32_t> slots_;  // number + 1, or 0; a power of two of them, at most half in use
  bool has_twins_ = false;
};

}  // namespace rookery::value
