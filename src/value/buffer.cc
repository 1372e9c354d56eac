// SPDX-License-Identifier: Apache-2.0
#include "rookery/value/buffer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "rookery/base/check.h"

namespace rookery::value {

namespace {

constexpr std::size_t kCapacityMinBytes = 64;

}  // namespace

Buffer::~Buffer() {
  std::free(data_);
}

bool Buffer::try_reserve(std::size_t capacity_bytes) noexcept {
  if (capacity_bytes <= capacity_) {
    return true;
  }
  void* grown = std::realloc(data_, capacity_bytes);
  if (grown == nullptr) {
    return false;
  }
  data_ = static_cast<std::byte*>(grown);
  capacity_ = capacity_bytes;
  return true;
}

bool Buffer::try_extend(std::size_t count) noexcept {
  if (count > capacity_ - size_) {
    if (count > std::numeric_limits<std::size_t>::max() / 4 - size_) {
      return false;
    }
    // Half as much again: a large document must not need twice its size.
    const std::size_t grown = std::max(capacity_ + capacity_ / 2, kCapacityMinBytes);
    if (!try_reserve(std::max(grown, size_ + count)) && !try_reserve(size_ + count)) {
      return false;
    }
  }
  size_ += count;
  RK_DCHECK(size_ <= capacity_);
  return true;
}

bool Buffer::try_append(Bytes bytes) noexcept {
  if (!try_extend(bytes.size())) {
    return false;
  }
  if (!bytes.empty()) {
    std::memcpy(data_ + size_ - bytes.size(), bytes.data(), bytes.size());
  }
  return true;
}

void Buffer::shrink() noexcept {
  if (size_ == capacity_) {
    return;
  }
  if (size_ == 0) {
    std::free(data_);
    data_ = nullptr;
    capacity_ = 0;
    return;
  }
  void* shrunk = std::realloc(data_, size_);
  if (shrunk != nullptr) {
    data_ = static_cast<std::byte*>(shrunk);
    capacity_ = size_;
  }
}

}  // namespace rookery::value
