// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"
#include "rookery/os/sync.h"

// Purpose. A file of allocated blocks, one a volume, that is given back when the disk is full, so
// that deletes, shutdown and start have room, and made again when there is space.
// Threads: all methods may be called from several threads.
// Units: bytes.
// Source: STORE-INVARIANTS I16.

namespace rookery::store {

class SpaceReserve {
 public:
  static constexpr std::uint64_t kDefaultSizeBytes = 16ULL * 1024 * 1024;

  // `path`: the file. Smaller than asked where the volume is small: never more than a 64th of it. A
  // volume that is full now starts in DiskFull.
  // Errors: io. Having no space is not one.
  [[nodiscard]] static Result<std::unique_ptr<SpaceReserve>> open(
      os::Platform& platform, std::string path, std::uint64_t size_bytes = kDefaultSizeBytes);

  SpaceReserve(const SpaceReserve&) = delete;
  SpaceReserve& operator=(const SpaceReserve&) = delete;
  ~SpaceReserve() = default;

  // Somebody was told that the disk is full: the reserve is given back. Idempotent.
  void enter_disk_full();
  // Between enter_disk_full() and the reserve being whole again: what is left is for deletes,
  // shutdown and the flush; an ordinary write that needs new space is refused without trying.
  [[nodiscard]] bool disk_full() const;
  // Makes the reserve again if there is room for it twice, so that leaving DiskFull is not undone
  // by the next write. Returns whether the disk is full still.
  bool try_leave_disk_full();

 private:
  SpaceReserve(os::Platform& platform, std::string path, std::uint64_t size_bytes);

  [[nodiscard]] Result<void> build() RK_REQUIRES(mutex_);

  os::Platform& platform_;
  const std::string path_;
  const std::uint64_t size_bytes_;
  mutable os::Mutex mutex_;
  bool disk_full_ RK_GUARDED_BY(mutex_) = false;
};

}  // namespace rookery::store
