// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "rookery/base/check.h"
#include "rookery/base/coding.h"

// Purpose. A growing array of bytes whose growth can fail: users decide how large documents are,
// so running out of memory for one is an error and not the end of the process.
// Threads: one owner.

namespace rookery::value {

class Buffer {
 public:
  Buffer() noexcept = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}

  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  ~Buffer();

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[nodiscard]] const std::byte* data() const noexcept { return data_; }

  [[nodiscard]] std::byte* data() noexcept { return data_; }

  [[nodiscard]] Bytes bytes() const noexcept { return {data_, size_}; }

  // Each is false, and changes nothing, when memory is short.
  [[nodiscard]] bool try_reserve(std::size_t capacity_bytes) noexcept;
  [[nodiscard]] bool try_append(Bytes bytes) noexcept;
  // Makes room for `count` more bytes at the end, whose contents are indeterminate.
  [[nodiscard]] bool try_extend(std::size_t count) noexcept;
  // Gives back what is reserved beyond the size, if the allocator agrees.
  void shrink() noexcept;

  // Requires: size_bytes <= size().
  void truncate(std::size_t size_bytes) noexcept {
    RK_CHECK(size_bytes <= size_);
    size_ = size_bytes;
  }

  void clear() noexcept { size_ = 0; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace rookery::value
