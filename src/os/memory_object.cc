// SPDX-License-Identifier: Apache-2.0
#include "memory_object.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mman.h>

#include "rookery/base/check.h"
#include "rookery/os/memory_file_system.h"
#include "rookery/os/os_error.h"

namespace rookery::os {
namespace {

constexpr std::uint64_t kBlock = 4096;
constexpr std::uint64_t kWindowFirst = 64 * 1024;
constexpr std::uint64_t kWindowStepMax = 1ULL << 30U;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

class MemoryMapping final : public Mapping {
 public:
  MemoryMapping(std::byte* data, std::uint64_t size, Access access) noexcept
      : data_(data), size_(size), access_(access) {}

  MemoryMapping(const MemoryMapping&) = delete;
  MemoryMapping& operator=(const MemoryMapping&) = delete;

  ~MemoryMapping() override { RK_CHECK(munmap(data_, size_) == 0); }

  const std::byte* data() const noexcept override { return data_; }

  std::byte* writable_data() noexcept override {
    return access_ == Access::kReadWrite ? data_ : nullptr;
  }

  std::uint64_t size() const noexcept override { return size_; }

  bool faulted() const noexcept override { return false; }  // memory does not fail to be read

 private:
  std::byte* data_;
  std::uint64_t size_;
  Access access_;
};

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

MemoryObject::~MemoryObject() RK_NO_THREAD_SAFETY_ANALYSIS {
  budget_.give_back(block_count_ * kBlock);
  if (window_ != nullptr) {
    RK_CHECK(munmap(window_, window_bytes_) == 0);
  }
}

// Makes the window cover `size_bytes`. Nothing is charged and the size of the file stays.
Result<void> MemoryObject::reach(std::string_view path, std::uint64_t size_bytes) {
  if (size_bytes > kMemoryFileSizeMax) {
    return Error(ErrorCode::too_large, std::string(path) + ": beyond the largest file in memory");
  }
  if (window_ == nullptr) {
    void* whole = mmap(nullptr, kMemoryFileSizeMax, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (whole == MAP_FAILED) {
      return os_error("mmap", path, errno);
    }
    window_ = static_cast<std::byte*>(whole);
    window_bytes_ = kWindowFirst;
    // The object keeps its full length; only the address space goes back.
    RK_CHECK(munmap(window_ + kWindowFirst, kMemoryFileSizeMax - kWindowFirst) == 0);
  }
  if (size_bytes <= window_bytes_) {
    return {};
  }
  const std::uint64_t step = std::min(window_bytes_, kWindowStepMax);
  const std::uint64_t wanted =
      std::min(std::max(window_bytes_ + step, round_up(size_bytes, kBlock)), kMemoryFileSizeMax);
  void* moved = mremap(window_, window_bytes_, wanted, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) {
    return os_error("mremap", path, errno);
  }
  window_ = static_cast<std::byte*>(moved);
  window_bytes_ = wanted;
  return {};
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
  end = std::min(end, window_bytes_);
  if (offset >= end) {
    return;
  }
  const std::uint64_t first = round_up(offset, kBlock);
  const std::uint64_t last = end / kBlock * kBlock;
  if (first >= last) {
    std::memset(window_ + offset, 0, end - offset);
    return;
  }
  std::memset(window_ + offset, 0, first - offset);
  std::memset(window_ + last, 0, end - last);
  RK_CHECK(madvise(window_ + first, last - first, MADV_REMOVE) == 0);
  std::uint64_t freed = 0;
  const std::uint64_t known = std::min<std::uint64_t>(last / kBlock, blocks_.size());
  for (std::uint64_t i = first / kBlock; i < known; ++i) {
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
  std::memcpy(into.data(), window_ + offset, count);
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
  RK_TRY(reach(path, offset + total));
  if (!charge(offset, total)) {
    return os_error("write", path, ENOSPC);
  }
  for (const Bytes part : parts) {
    std::memcpy(window_ + offset, part.data(), part.size());
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
  RK_TRY(reach(path, offset + length));
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
  RK_TRY(reach(path, size_bytes));
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
  if (length > kMemoryFileSizeMax) {
    return Error(ErrorCode::too_large,
                 std::string(path) + ": map beyond the largest file in memory");
  }
  const MutexLock lock(mutex_);
  RK_TRY(reach(path, 1));
  const std::uint64_t rounded = round_up(length, kBlock);
  void* view = mremap(window_, 0, rounded, MREMAP_MAYMOVE);
  if (view == MAP_FAILED) {
    return os_error("mremap", path, errno);
  }
  if (access == Access::kReadOnly) {
    RK_CHECK(mprotect(view, rounded, PROT_READ) == 0);
  }
  return std::make_unique<MemoryMapping>(static_cast<std::byte*>(view), rounded, access);
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
