// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/os/file_system.h"

namespace rookery::os {

// Purpose. The bytes of one file in memory. A small one lies on the heap; with its first view, or
// past kHeapMaxBytes, it becomes a shared anonymous object of kMaxBytes virtual bytes, of which
// only a window is mapped here. mremap with an old length of zero makes further views of the same
// pages, so no descriptor is spent, and nothing on what was never touched.
// Threads: one at a time; views may be read meanwhile.
// Owns: its window. Views live on their own.
class SharedMemory {
 public:
  // Address space that a file may come to need, not memory.
  static constexpr std::uint64_t kMaxBytes = 256ULL << 30U;
  // A map of its own costs a file page tables and calls that most small files never need.
  static constexpr std::uint64_t kHeapMaxBytes = 512ULL << 10U;

  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  // Makes the window at least that long; it may move. What was never written reads as zeros.
  // Errors: too_large past kMaxBytes, out_of_memory. `path` is for their text.
  Result<void> reach(std::string_view path, std::uint64_t size_bytes);

  // Null before the first reach().
  [[nodiscard]] std::byte* window() noexcept { return window_; }

  [[nodiscard]] std::uint64_t window_bytes() const noexcept { return window_bytes_; }

  // Zeros the part of the range inside the window and gives its whole pages back.
  void clear(std::uint64_t offset, std::uint64_t end) noexcept;
  // A coherent view. Requires: length > 0. Errors: as reach().
  Result<std::unique_ptr<Mapping>> view(std::string_view path, std::uint64_t length, Access access);

 private:
  Result<void> share(std::string_view path);

  std::vector<std::byte> heap_;  // empty once it is shared
  bool shared_ = false;
  std::byte* window_ = nullptr;
  std::uint64_t window_bytes_ = 0;
};

}  // namespace rookery::os
