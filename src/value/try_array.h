// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "rookery/base/check.h"
#include "rookery/value/buffer.h"

// Purpose. A vector of plain values whose growth can fail, see Buffer.
// Threads: one owner.

namespace rookery::value {

template <typename T>
requires std::is_trivially_copyable_v<T>

class TryArray {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return buffer_.size() / sizeof(T); }

  [[nodiscard]] bool empty() const noexcept { return buffer_.size() == 0; }

  [[nodiscard]] std::span<T> items() noexcept {
    return {reinterpret_cast<T*>(buffer_.data()), size()};
  }

  [[nodiscard]] std::span<const T> items() const noexcept {
    return {reinterpret_cast<const T*>(buffer_.data()), size()};
  }

  T& operator[](std::size_t index) noexcept {
    RK_DCHECK(index < size());
    return items()[index];
  }

  const T& operator[](std::size_t index) const noexcept {
    RK_DCHECK(index < size());
    return items()[index];
  }

  [[nodiscard]] T& back() noexcept { return (*this)[size() - 1]; }

  // False, and nothing changes, when memory is short.
  [[nodiscard]] bool try_push(const T& item) noexcept {
    if (!buffer_.try_extend(sizeof(T))) {
      return false;
    }
    items().back() = item;
    return true;
  }

  // New items are `fill`.
  [[nodiscard]] bool try_grow_to(std::size_t count, const T& fill) noexcept {
    const std::size_t before = size();
    RK_DCHECK(count >= before);
    if (!buffer_.try_extend((count - before) * sizeof(T))) {
      return false;
    }
    for (T& item : items().subspan(before)) {
      item = fill;
    }
    return true;
  }

  void truncate(std::size_t count) noexcept { buffer_.truncate(count * sizeof(T)); }

  void clear() noexcept { buffer_.clear(); }

  // Gives all memory back.
  void release() noexcept { buffer_ = Buffer(); }

 private:
  Buffer buffer_;
};

}  // namespace rookery::value
