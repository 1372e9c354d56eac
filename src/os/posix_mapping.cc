// SPDX-License-Identifier: Apache-2.0
#include "posix_mapping.h"

#include <cerrno>
#include <string>

#include <sys/mman.h>

#include "rookery/base/check.h"
#include "rookery/os/os_error.h"

#include "fault_registry.h"

namespace rookery::os {
namespace {

class PosixMapping final : public Mapping {
 public:
  PosixMapping(std::byte* data, std::uint64_t size, Access access, FaultSlot& slot) noexcept
      : data_(data), size_(size), access_(access), slot_(slot) {}

  PosixMapping(const PosixMapping&) = delete;
  PosixMapping& operator=(const PosixMapping&) = delete;

  ~PosixMapping() override {
    unregister_fault_range(slot_);
    RK_CHECK(munmap(data_, size_) == 0);
  }

  const std::byte* data() const noexcept override { return data_; }

  std::byte* writable_data() noexcept override {
    return access_ == Access::kReadWrite ? data_ : nullptr;
  }

  std::uint64_t size() const noexcept override { return size_; }

  // Acquire pairs with the release in the handler.
  bool faulted() const noexcept override { return slot_.faulted.load(std::memory_order_acquire); }

 private:
  std::byte* data_;
  std::uint64_t size_;
  Access access_;
  FaultSlot& slot_;
};

}  // namespace

Result<std::unique_ptr<Mapping>> map_descriptor(int descriptor, std::uint64_t length, Access access,
                                                std::string_view path) {
  const bool writable = access == Access::kReadWrite;
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void* address = mmap(nullptr, length, protection, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) {
    return os_error("mmap", path, errno);
  }
  if (!writable) {
    // Lookups touch single pages all over the file; read-ahead around each would evict useful ones.
    // The whole map, since a part would split it in two. Only advice, so a refusal changes nothing.
    static_cast<void>(madvise(address, length, MADV_RANDOM));
  }
  FaultSlot* slot = register_fault_range(address, length, writable);
  if (slot == nullptr) {
    static_cast<void>(munmap(address, length));
    return Error(ErrorCode::too_many, std::string(path) + ": mmap: too many maps are registered");
  }
  return std::make_unique<PosixMapping>(static_cast<std::byte*>(address), length, access, *slot);
}

}  // namespace rookery::os
