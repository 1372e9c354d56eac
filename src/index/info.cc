// SPDX-License-Identifier: Apache-2.0
#include "rookery/index/info.h"

#include <array>

namespace rookery::index {

namespace {

constexpr auto kStates =
    std::to_array<std::string_view>({"Normal", "Idle", "Disabled", "Error", "Faulty"});
constexpr auto kStatuses =
    std::to_array<std::string_view>({"Running", "Paused", "Disabled", "Pending"});
constexpr auto kPriorities = std::to_array<std::string_view>({"Low", "Normal", "High"});
constexpr auto kLocks = std::to_array<std::string_view>({"Unlock", "LockedIgnore", "LockedError"});

template <typename Enum, std::size_t size>
Result<Enum> parse(const std::array<std::string_view, size>& names, std::string_view text,
                   std::string_view what) {
  for (std::size_t i = 0; i < size; ++i) {
    if (names[i] == text) {
      return static_cast<Enum>(i);
    }
  }
  return Error(ErrorCode::invalid_argument,
               "'" + std::string(text) + "' is not " + std::string(what) + " of an index");
}

}  // namespace

std::string_view to_string(IndexState state) noexcept {
  return kStates[static_cast<std::size_t>(state)];
}

std::string_view to_string(RunningStatus status) noexcept {
  return kStatuses[static_cast<std::size_t>(status)];
}

std::string_view to_string(IndexPriority priority) noexcept {
  return kPriorities[static_cast<std::size_t>(priority)];
}

std::string_view to_string(IndexLock lock) noexcept {
  return kLocks[static_cast<std::size_t>(lock)];
}

Result<IndexPriority> parse_index_priority(std::string_view text) {
  return parse<IndexPriority>(kPriorities, text, "a priority");
}

Result<IndexLock> parse_index_lock(std::string_view text) {
  return parse<IndexLock>(kLocks, text, "a lock mode");
}

}  // namespace rookery::index
