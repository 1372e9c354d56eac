// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

// Purpose. Names inside "@metadata" that mean something to the server.

namespace rookery::doc {

inline constexpr std::string_view kMetadataKey = "@metadata";
inline constexpr std::string_view kCollectionKey = "@collection";
inline constexpr std::string_view kIdKey = "@id";
inline constexpr std::string_view kChangeVectorKey = "@change-vector";
inline constexpr std::string_view kLastModifiedKey = "@last-modified";
inline constexpr std::string_view kFlagsKey = "@flags";
inline constexpr std::string_view kIndexScoreKey = "@index-score";

// Never stored from a user's document: kept by the server apart from it, or part of an answer only.
inline constexpr std::array<std::string_view, 11> kServerOwnedKeys = {
    kIdKey,        kChangeVectorKey, kLastModifiedKey, kFlagsKey,     "@attachments", "@counters",
    "@timeseries", kIndexScoreKey,   "@spatial",       "@projection", "@conflict"};

[[nodiscard]] inline bool is_server_owned(std::string_view key) noexcept {
  return std::find(kServerOwnedKeys.begin(), kServerOwnedKeys.end(), key) != kServerOwnedKeys.end();
}

}  // namespace rookery::doc
