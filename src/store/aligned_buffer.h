// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "rookery/base/coding.h"
#include "rookery/os/file_system.h"

// Purpose. Memory at an address that direct I/O accepts. Grows, and forgets what was in it.

namespace rookery::store {

class AlignedBuffer {
 public:
  // At least `size` bytes, contents undefined.
  [[nodiscard]] MutableBytes take(std::size_t size) {
    if (size > size_) {
      bytes_.reset(
          static_cast<std::byte*>(::operator new (size, std::align_val_t{os::kDirectAlignment})));
      size_ = size;
    }
    return {bytes_.get(), size};
  }

  // Gives the memory back if it is more than `size`.
  void shrink(std::size_t size) noexcept {
    if (size_ > size) {
      bytes_.reset();
      size_ = 0;
    }
  }

 private:
  struct Free {
    void operator()(std::byte* bytes) const noexcept {
      ::operator delete (bytes, std::align_val_t{os::kDirectAlignment});
    }
  };

  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_ = 0;
};

}  // namespace rookery::store
