// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"
#include "rookery/os/sync.h"

// Purpose. Room for a full disk, one a volume: files of written zeros. Then they become journals of
// deletes, by renaming, which needs no space that somebody else could be quicker to take (a thin
// device and a file system that copies on write included); or they are given up, so that a data
// file can grow. Made again when there is space.
// Threads: all methods may be called from several threads.
// Units: bytes.
// Source: STORE-INVARIANTS I16.

namespace rookery::store {

class SpaceReserve {
 public:
  static constexpr std::uint64_t kDefaultSizeBytes = 16ULL * 1024 * 1024;

  // `directory`: its own; made if absent. Smaller than asked where the volume is small: never more
  // than a 64th of it. On a volume that is full now it starts in DiskFull, with what there is.
  // Errors: io. Having no space is not one.
  [[nodiscard]] static Result<std::unique_ptr<SpaceReserve>> open(
      os::Platform& platform, std::string directory, std::uint64_t size_bytes = kDefaultSizeBytes);

  SpaceReserve(const SpaceReserve&) = delete;
  SpaceReserve& operator=(const SpaceReserve&) = delete;
  ~SpaceReserve() = default;

  // Somebody was told that the disk is full. Idempotent.
  void enter_disk_full() noexcept {
    if (!disk_full_.exchange(true)) {
      times_entered_.fetch_add(1);
    }
  }

  // Between enter_disk_full() and the reserve being whole again: what is left is for deletes,
  // shutdown and the flush; an ordinary write that needs new space is refused without trying.
  [[nodiscard]] bool disk_full() const noexcept { return disk_full_.load(); }

  // Makes the reserve whole if there is room for it and as much again, so that leaving DiskFull is
  // not undone by the next write. Returns whether the disk is full still.
  bool try_leave_disk_full();

  // Renames the smallest file of at least so many bytes to `path`, which is the caller's from then
  // on; returns its size. Nullopt: there is none that can be had.
  [[nodiscard]] std::optional<std::uint64_t> take_file(const std::string& path,
                                                       std::uint64_t least_bytes);
  // Removes a file, so that its blocks are the volume's. False: there was none.
  [[nodiscard]] bool release_file();
  // In DiskFull, while the reserve is not whole: a file that its owner has no use for goes into it.
  // False: it is the caller's still.
  // Requires: whoever finds it at `path` after a power cut does not look into it.
  [[nodiscard]] bool take_back(const std::string& path);

  // Since it was opened.
  struct Stats {
    std::uint64_t files_taken = 0;       // as journals
    std::uint64_t files_released = 0;    // for the data file
    std::uint64_t files_taken_back = 0;  // by take_back()
    std::uint64_t times_entered = 0;     // DiskFull
    std::uint64_t times_left = 0;        // the reserve was made again
  };

  [[nodiscard]] Stats stats() const;

 private:
  SpaceReserve(os::Platform& platform, std::string directory, std::uint64_t size_bytes);

  [[nodiscard]] Result<void> adopt() RK_REQUIRES(mutex_);
  [[nodiscard]] Result<void> build() RK_REQUIRES(mutex_);
  [[nodiscard]] std::string next_path() RK_REQUIRES(mutex_);
  [[nodiscard]] std::uint64_t held_bytes() const RK_REQUIRES(mutex_);

  os::Platform& platform_;
  const std::string directory_;
  const std::uint64_t size_bytes_;
  std::atomic<bool> disk_full_ = false;
  std::atomic<std::uint64_t> times_entered_ = 0;
  mutable os::Mutex mutex_;
  std::multimap<std::uint64_t, std::string> files_ RK_GUARDED_BY(mutex_);  // by size
  std::uint64_t next_number_ RK_GUARDED_BY(mutex_) = 1;
  Stats stats_ RK_GUARDED_BY(mutex_);  // but for times_entered
};

}  // namespace rookery::store
