// SPDX-License-Identifier: Apache-2.0
#include "rookery/os/shared_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <sys/mman.h>

#include "rookery/base/check.h"
#include "rookery/os/os_error.h"

namespace rookery::os {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kWindowFirst = SharedMemory::kHeapMaxBytes;
constexpr std::uint64_t kWindowStepMax = 1ULL << 30U;

std::uint64_t round_up(std::uint64_t value) noexcept {
  return (value + kPage - 1) / kPage * kPage;
}

class MemoryView final : public Mapping {
 public:
  MemoryView(std::byte* data, std::uint64_t size, Access access) noexcept
      : data_(data), size_(size), access_(access) {}

  MemoryView(const MemoryView&) = delete;
  MemoryView& operator=(const MemoryView&) = delete;

  ~MemoryView() override { RK_CHECK(munmap(data_, round_up(size_)) == 0); }

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

Error too_large(std::string_view path) {
  return {ErrorCode::too_large, std::string(path) + ": beyond the largest file in memory"};
}

}  // namespace

SharedMemory::~SharedMemory() {
  if (shared_) {
    RK_CHECK(munmap(window_, window_bytes_) == 0);
  }
}

Result<void> SharedMemory::reach(std::string_view path, std::uint64_t size_bytes) {
  if (size_bytes > kMaxBytes) {
    return too_large(path);
  }
  if (size_bytes <= window_bytes_ && window_ != nullptr) {
    return {};
  }
  if (!shared_ && size_bytes <= kHeapMaxBytes) {
    heap_.resize(std::max(round_up(std::max<std::uint64_t>(size_bytes, 1)),
                          std::min(2 * window_bytes_, kHeapMaxBytes)));
    window_ = heap_.data();
    window_bytes_ = heap_.size();
    return {};
  }
  RK_TRY(share(path));
  if (size_bytes <= window_bytes_) {
    return {};
  }
  const std::uint64_t step = std::min(window_bytes_, kWindowStepMax);
  const std::uint64_t wanted =
      std::min(std::max(window_bytes_ + step, round_up(size_bytes)), kMaxBytes);
  void* moved = mremap(window_, window_bytes_, wanted, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) {
    return os_error("mremap", path, errno);
  }
  window_ = static_cast<std::byte*>(moved);
  window_bytes_ = wanted;
  return {};
}

// From the heap, if it was there, to a shared object.
Result<void> SharedMemory::share(std::string_view path) {
  if (shared_) {
    return {};
  }
  void* whole = mmap(nullptr, kMaxBytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (whole == MAP_FAILED) {
    return os_error("mmap", path, errno);
  }
  // The object keeps its full length. Its window is a second view, because cutting the first down
  // would leave it in the middle of a hole that is too small for the next object: after 500 files
  // there would be no room.
  void* view = mremap(whole, 0, kWindowFirst, MREMAP_MAYMOVE);
  const int failed = view == MAP_FAILED ? errno : 0;
  RK_CHECK(munmap(whole, kMaxBytes) == 0);
  if (failed != 0) {
    return os_error("mremap", path, failed);
  }
  auto* window = static_cast<std::byte*>(view);
  for (std::uint64_t page = 0; page < heap_.size(); page += kPage) {
    const std::span<const std::byte> bytes(heap_.data() + page, kPage);
    if (std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; })) {
      std::memcpy(window + page, bytes.data(), kPage);  // zeros are there already, for nothing
    }
  }
  heap_ = std::vector<std::byte>();
  window_ = window;
  window_bytes_ = kWindowFirst;
  shared_ = true;
  return {};
}

void SharedMemory::clear(std::uint64_t offset, std::uint64_t end) noexcept {
  end = std::min(end, window_bytes_);
  if (offset >= end) {
    return;
  }
  const std::uint64_t first = round_up(offset);
  const std::uint64_t last = end / kPage * kPage;
  if (!shared_ || first >= last) {
    std::memset(window_ + offset, 0, end - offset);
    return;
  }
  std::memset(window_ + offset, 0, first - offset);
  std::memset(window_ + last, 0, end - last);
  RK_CHECK(madvise(window_ + first, last - first, MADV_REMOVE) == 0);
}

Result<std::unique_ptr<Mapping>> SharedMemory::view(std::string_view path, std::uint64_t length,
                                                    Access access) {
  RK_CHECK(length > 0);
  if (length > kMaxBytes) {
    return too_large(path);
  }
  RK_TRY(share(path));
  void* data = mremap(window_, 0, round_up(length), MREMAP_MAYMOVE);
  if (data == MAP_FAILED) {
    return os_error("mremap", path, errno);
  }
  if (access == Access::kReadOnly) {
    RK_CHECK(mprotect(data, round_up(length), PROT_READ) == 0);
  }
  return std::make_unique<MemoryView>(static_cast<std::byte*>(data), length, access);
}

}  // namespace rookery::os
