// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/space_reserve.h"

#include <algorithm>
#include <utility>

namespace rookery::store {
namespace {

constexpr std::uint64_t kVolumeShare = 64;
constexpr std::uint64_t kUnit = 4096;

}  // namespace

SpaceReserve::SpaceReserve(os::Platform& platform, std::string path, std::uint64_t size_bytes)
    : platform_(platform), path_(std::move(path)), size_bytes_(size_bytes) {}

Result<std::unique_ptr<SpaceReserve>> SpaceReserve::open(os::Platform& platform, std::string path,
                                                         std::uint64_t size_bytes) {
  RK_TRY_ASSIGN(const os::SpaceInfo space, platform.files.space(os::parent_path(path)));
  const std::uint64_t share = space.total_bytes / kVolumeShare / kUnit * kUnit;
  size_bytes = std::max(kUnit, std::min(size_bytes, share));
  auto reserve =
      std::unique_ptr<SpaceReserve>(new SpaceReserve(platform, std::move(path), size_bytes));
  const os::MutexLock lock(reserve->mutex_);
  auto built = reserve->build();
  if (!built && built.error().code() != ErrorCode::no_space) {
    return std::move(built).error();
  }
  reserve->disk_full_ = !built;
  return reserve;
}

Result<void> SpaceReserve::build() {
  RK_TRY_ASSIGN(auto file, platform_.files.open(path_, {.creation = os::Creation::kOpenOrCreate}));
  auto allocated = file->allocate(0, size_bytes_);
  if (!allocated) {
    // Half a reserve would take what little there is.
    static_cast<void>(platform_.files.remove_file(path_));
  }
  return allocated;
}

void SpaceReserve::enter_disk_full() {
  const os::MutexLock lock(mutex_);
  if (!disk_full_) {
    disk_full_ = true;
    static_cast<void>(platform_.files.remove_file(path_));
  }
}

bool SpaceReserve::disk_full() const {
  const os::MutexLock lock(mutex_);
  return disk_full_;
}

bool SpaceReserve::try_leave_disk_full() {
  const os::MutexLock lock(mutex_);
  if (disk_full_) {
    const auto space = platform_.files.space(os::parent_path(path_));
    if (space && space->available_bytes >= 2 * size_bytes_) {
      disk_full_ = !build();
    }
  }
  return disk_full_;
}

}  // namespace rookery::store
