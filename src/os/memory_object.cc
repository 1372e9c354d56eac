// SPDX-License-Identifier: Apache-2.0
#include "memory_object.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "rookery/os/os_error.h"

namespace rookery::os {
namespace {

constexpr std::uint64_t kBlock = 4096;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

bool SpaceBudget::try_take(std::uint64_t bytes) noexcept {
  std::uint64_t used = used_bytes_.load();
  while (bytes == 0 || (used + bytes >= used && used + bytes <= capacity_bytes_.load())) {
    if (used_bytes_.compare_exchange_weak(used, used + bytes)) {
      return true;
    }
  }
  return false;
}

void SpaceBudget::give_back(std::uint64_t bytes) noexcept {
  used_bytes_.fetch_sub(bytes);
}

MemoryObject::MemoryObject(SpaceBudget& budget, std::uint64_t inode) noexcept
    : budget_(budget), inode_(inode) {}

MemoryObject::~MemoryObject() {
  budget_.give_back(block_count_ * kBlock);
}

// Takes the blocks of the range that it lacks; all or none.
bool MemoryObject::charge(std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t first = offset / kBlock;
  const std::uint64_t last = (offset + length + kBlock - 1) / kBlock;
  if (blocks_.size() < last) {
    blocks_.resize(last);
  }
  std::uint64_t missing = 0;
  for (std::uint64_t i = first; i < last; ++i) {
    missing += blocks_[i] ? 0U : 1U;
  }
  if (!budget_.try_take(missing * kBlock)) {
    return false;
  }
  for (std::uint64_t i = first; i < last; ++i) {
    blocks_[i] = true;
  }
  block_count_ += missing;
  return true;
}

// Zeros [offset, end) and gives back the blocks that lie in it wholly.
void MemoryObject::release_range(std::uint64_t offset, std::uint64_t end) {
  memory_.clear(offset, end);
  const std::uint64_t first = round_up(offset, kBlock) / kBlock;
  const std::uint64_t last = std::min<std::uint64_t>(end / kBlock, blocks_.size());
  std::uint64_t freed = 0;
  for (std::uint64_t i = first; i < last; ++i) {
    freed += blocks_[i] ? 1U : 0U;
    blocks_[i] = false;
  }
  block_count_ -= freed;
  budget_.give_back(freed * kBlock);
}

Result<std::size_t> MemoryObject::read_at(std::uint64_t offset, MutableBytes into) {
  const MutexLock lock(mutex_);
  if (offset >= size_bytes_ || into.empty()) {
    return std::size_t{0};
  }
  const std::size_t count = std::min<std::uint64_t>(into.size(), size_bytes_ - offset);
  std::memcpy(into.data(), memory_.window() + offset, count);
  return count;
}

Result<void> MemoryObject::write_parts(std::string_view path, std::uint64_t offset,
                                       std::span<const Bytes> parts) {
  std::uint64_t total = 0;
  for (const Bytes part : parts) {
    total += part.size();
  }
  if (total == 0) {
    return {};
  }
  const MutexLock lock(mutex_);
  RK_TRY(memory_.reach(path, offset + total));
  if (!charge(offset, total)) {
    return os_error("write", path, ENOSPC);
  }
  for (const Bytes part : parts) {
    std::memcpy(memory_.window() + offset, part.data(), part.size());
    offset += part.size();
  }
  size_bytes_ = std::max(size_bytes_, offset);
  return {};
}

Result<void> MemoryObject::allocate(std::string_view path, std::uint64_t offset,
                                    std::uint64_t length) {
  if (length == 0) {
    return os_error("fallocate", path, EINVAL);
  }
  const MutexLock lock(mutex_);
  RK_TRY(memory_.reach(path, offset + length));
  if (!charge(offset, length)) {
    return os_error("fallocate", path, ENOSPC);
  }
  size_bytes_ = std::max(size_bytes_, offset + length);
  return {};
}

Result<void> MemoryObject::punch_hole(std::uint64_t offset, std::uint64_t length) {
  const MutexLock lock(mutex_);
  release_range(offset, offset + length);
  return {};
}

Result<void> MemoryObject::truncate(std::string_view path, std::uint64_t size_bytes) {
  const MutexLock lock(mutex_);
  RK_TRY(memory_.reach(path, size_bytes));
  // What was cut off reads as zeros if the file grows again; its last block stays while in use.
  release_range(size_bytes, round_up(size_bytes_, kBlock));
  size_bytes_ = size_bytes;
  return {};
}

Result<std::unique_ptr<Mapping>> MemoryObject::map(std::string_view path, std::uint64_t length,
                                                   Access access) {
  if (length == 0) {
    return os_error("mmap", path, EINVAL);
  }
  const MutexLock lock(mutex_);
  return memory_.view(path, length, access);
}

FileInfo MemoryObject::info() {
  const MutexLock lock(mutex_);
  return {.size_bytes = size_bytes_,
          .allocated_bytes = block_count_ * kBlock,
          .link_count = 0,
          .inode = inode_,
          .device = 0,
          .is_directory = false};
}

bool MemoryObject::try_lock(const void* owner) {
  const MutexLock lock(mutex_);
  if (lock_owner_ == nullptr) {
    lock_owner_ = owner;
  }
  return lock_owner_ == owner;
}

void MemoryObject::unlock(const void* owner) {
  const MutexLock lock(mutex_);
  if (lock_owner_ == owner) {
    lock_owner_ = nullptr;
  }
}

}  // namespace rookery::os
