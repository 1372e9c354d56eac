// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/space_reserve.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "zeroed_file.h"

namespace rookery::store {
namespace {

constexpr std::uint64_t kVolumeShare = 64;
// In so many files, none smaller than a journal can use.
constexpr std::uint64_t kFiles = 8;
constexpr std::uint64_t kFileLeastBytes = 64 * 1024;
constexpr std::string_view kPrefix = "reserve-";

}  // namespace

SpaceReserve::SpaceReserve(os::Platform& platform, std::string directory, std::uint64_t size_bytes)
    : platform_(platform), directory_(std::move(directory)), size_bytes_(size_bytes) {}

Result<std::unique_ptr<SpaceReserve>> SpaceReserve::open(os::Platform& platform,
                                                         std::string directory,
                                                         std::uint64_t size_bytes) {
  RK_TRY_ASSIGN(const os::SpaceInfo space, platform.files.space(os::parent_path(directory)));
  const std::uint64_t wanted = std::min(size_bytes, space.total_bytes / kVolumeShare);
  size_bytes = std::max<std::uint64_t>(1, wanted / kFileLeastBytes) * kFileLeastBytes;
  auto reserve =
      std::unique_ptr<SpaceReserve>(new SpaceReserve(platform, std::move(directory), size_bytes));
  const os::MutexLock lock(reserve->mutex_);
  const auto or_full = [&](Result<void> done) -> Result<void> {
    if (!done && done.error().code() == ErrorCode::no_space) {
      reserve->enter_disk_full();
      return {};
    }
    return done;
  };
  RK_TRY(or_full(reserve->adopt()));
  RK_TRY(or_full(reserve->build()));
  return reserve;
}

// What an earlier process left.
Result<void> SpaceReserve::adopt() {
  os::FileSystem& files = platform_.files;
  RK_TRY_ASSIGN(const auto there, files.info(directory_));
  if (there && !there->is_directory) {
    RK_TRY(files.remove_file(directory_));
  }
  RK_TRY(os::create_directories(files, directory_));
  RK_TRY_ASSIGN(const auto names, files.list(directory_));
  for (const std::string& name : names) {
    const std::string path = os::join_path(directory_, name);
    RK_TRY_ASSIGN(const auto info, files.info(path));
    std::uint64_t number = 0;
    const char* end = name.data() + name.size();
    const bool named = name.starts_with(kPrefix) &&
                       std::from_chars(name.data() + kPrefix.size(), end, number).ptr == end;
    // Of two names, one is that of a journal: a power cut left both. Holes would need space.
    if (!named || !info || info->link_count != 1 || info->allocated_bytes < info->size_bytes ||
        info->size_bytes < kFileLeastBytes || held_bytes() >= size_bytes_) {
      RK_TRY(files.remove_file(path));
      continue;
    }
    next_number_ = std::max(next_number_, number + 1);
    files_.emplace(info->size_bytes, path);
  }
  return {};
}

std::string SpaceReserve::next_path() {
  return os::join_path(directory_, fmt::format("{}{:06}", kPrefix, next_number_++));
}

std::uint64_t SpaceReserve::held_bytes() const {
  std::uint64_t held = 0;
  for (const auto& [size, path] : files_) {
    held += size;
  }
  return held;
}

Result<void> SpaceReserve::build() {
  const std::uint64_t share = size_bytes_ / kFiles / kFileLeastBytes * kFileLeastBytes;
  const std::uint64_t file_bytes = std::max(kFileLeastBytes, share);
  while (held_bytes() < size_bytes_) {
    const std::string path = next_path();
    RK_TRY(make_zeroed_file(platform_.files, path, file_bytes));
    files_.emplace(file_bytes, path);
  }
  return {};
}

bool SpaceReserve::try_leave_disk_full() {
  const os::MutexLock lock(mutex_);
  if (disk_full()) {
    const std::uint64_t held = std::min(held_bytes(), size_bytes_);
    const auto space = platform_.files.space(os::parent_path(directory_));
    if (space && space->available_bytes >= size_bytes_ - held + size_bytes_) {
      const bool whole = build().has_value();
      stats_.times_left += whole ? 1U : 0U;
      disk_full_.store(!whole);
    }
  }
  return disk_full();
}

std::optional<std::uint64_t> SpaceReserve::take_file(const std::string& path,
                                                     std::uint64_t least_bytes) {
  const os::MutexLock lock(mutex_);
  const auto found = files_.lower_bound(least_bytes);
  if (found == files_.end() || !platform_.files.rename(found->second, path)) {
    return std::nullopt;
  }
  const std::uint64_t size = found->first;
  files_.erase(found);
  ++stats_.files_taken;
  return size;
}

bool SpaceReserve::release_file() {
  const os::MutexLock lock(mutex_);
  if (files_.empty() || !platform_.files.remove_file(files_.begin()->second)) {
    return false;
  }
  files_.erase(files_.begin());
  ++stats_.files_released;
  return true;
}

bool SpaceReserve::take_back(const std::string& path) {
  const os::MutexLock lock(mutex_);
  if (!disk_full() || held_bytes() >= size_bytes_) {
    return false;
  }
  const auto info = platform_.files.info(path);
  if (!info || !*info || (*info)->link_count != 1 || (*info)->size_bytes < kFileLeastBytes) {
    return false;
  }
  const std::string kept = next_path();
  if (!platform_.files.rename(path, kept)) {
    return false;
  }
  files_.emplace((*info)->size_bytes, kept);
  ++stats_.files_taken_back;
  return true;
}

SpaceReserve::Stats SpaceReserve::stats() const {
  const os::MutexLock lock(mutex_);
  Stats stats = stats_;
  stats.times_entered = times_entered_.load();
  return stats;
}

}  // namespace rookery::store
