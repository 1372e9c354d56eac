// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "rookery/os/file_system.h"
#include "rookery/os/shared_memory.h"
#include "rookery/os/sync.h"

namespace rookery::os {

// Purpose. Blocks given out of a capacity.
class SpaceBudget {
 public:
  explicit SpaceBudget(std::uint64_t capacity_bytes) noexcept : capacity_bytes_(capacity_bytes) {}

  [[nodiscard]] bool try_take(std::uint64_t bytes) noexcept;
  void give_back(std::uint64_t bytes) noexcept;

  void set_capacity(std::uint64_t bytes) noexcept { capacity_bytes_.store(bytes); }

  [[nodiscard]] std::uint64_t capacity_bytes() const noexcept { return capacity_bytes_.load(); }

  [[nodiscard]] std::uint64_t used_bytes() const noexcept { return used_bytes_.load(); }

 private:
  std::atomic<std::uint64_t> capacity_bytes_;
  std::atomic<std::uint64_t> used_bytes_{0};
};

// Purpose. The contents of one file, its charged blocks and its lock.
// Threads: any; one lock.
class MemoryObject {
 public:
  // `budget` outlives it.
  MemoryObject(SpaceBudget& budget, std::uint64_t inode) noexcept;
  MemoryObject(const MemoryObject&) = delete;
  MemoryObject& operator=(const MemoryObject&) = delete;
  ~MemoryObject();

  // `path` is for error texts only.
  Result<std::size_t> read_at(std::uint64_t offset, MutableBytes into);
  Result<void> write_parts(std::string_view path, std::uint64_t offset,
                           std::span<const Bytes> parts);
  Result<void> allocate(std::string_view path, std::uint64_t offset, std::uint64_t length);
  Result<void> punch_hole(std::uint64_t offset, std::uint64_t length);
  Result<void> truncate(std::string_view path, std::uint64_t size_bytes);
  Result<std::unique_ptr<Mapping>> map(std::string_view path, std::uint64_t length, Access access);
  [[nodiscard]] FileInfo info();

  // True if `owner` holds the lock now.
  [[nodiscard]] bool try_lock(const void* owner);
  void unlock(const void* owner);

  // Directory entries that name it. Guarded by the lock of the tree.
  std::uint64_t link_count = 0;

 private:
  [[nodiscard]] bool charge(std::uint64_t offset, std::uint64_t length) RK_REQUIRES(mutex_);
  void release_range(std::uint64_t offset, std::uint64_t end) RK_REQUIRES(mutex_);

  SpaceBudget& budget_;
  const std::uint64_t inode_;

  Mutex mutex_;
  SharedMemory memory_ RK_GUARDED_BY(mutex_);
  std::uint64_t size_bytes_ RK_GUARDED_BY(mutex_) = 0;
  std::vector<bool> blocks_ RK_GUARDED_BY(mutex_);  // allocated, one a block
  std::uint64_t block_count_ RK_GUARDED_BY(mutex_) = 0;
  const void* lock_owner_ RK_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace rookery::os
