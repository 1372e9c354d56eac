// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/os/platform.h"

#include "doctor_report.h"

// Purpose. What the machine says about itself and about a folder, read without changing anything,
// and what of it matters. Reading and judging are apart, so that each judgement can be tested.
// Units: bytes, unless a name says otherwise.

namespace rookery::cli {

// A line of /proc/self/mountinfo.
struct Mount {
  std::string point;
  std::string type;
  std::string source;
  std::string options;  // of the mount and of the file system, with commas
};

// The mount that holds an absolute path without links: the longest point, of those the last.
[[nodiscard]] std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view path);

struct VolumeFacts {
  std::optional<Mount> mount;
  std::string write_cache;  // "write back", "write through"; empty: unknown
  std::optional<bool> rotational;
  std::uint64_t total = 0;
  std::uint64_t available = 0;
  std::uint64_t inodes_total = 0;  // 0: the file system has no such limit
  std::uint64_t inodes_free = 0;
  std::optional<std::uint64_t>
      reserve;  // held for deletes on a full disk; none: no data folder yet
};

// What can be limited; nullopt: unlimited or unknown.
struct LimitFacts {
  std::optional<std::uint64_t> files_hard;
  std::optional<std::uint64_t> address_space;
  std::optional<std::uint64_t> file_size;
  std::optional<std::uint64_t> locked_memory;
  std::optional<std::uint64_t> maps_max;  // vm.max_map_count
  std::optional<std::uint64_t> memory_limit;
  std::optional<std::uint64_t> memory_available;
  std::optional<std::uint64_t> group_memory_used;  // of the control group that has the limit
  bool overcommit_never = false;
  std::uint64_t database_count = 0;
};

// The server that holds the folder.
struct ServerFacts {
  std::int64_t pid = 0;  // 0: none, or nobody may know
  bool held = false;
  std::optional<std::uint64_t> files_open;
  std::optional<std::uint64_t> files_max;
  std::optional<std::uint64_t> maps;
};

struct ClockFacts {
  std::int64_t year = 0;
  std::string source;
  std::optional<bool> synchronised;
};

void judge_volume(const VolumeFacts& facts, DoctorReport& report);
void judge_limits(const LimitFacts& facts, DoctorReport& report);
void judge_server(const ServerFacts& server, const LimitFacts& limits, DoctorReport& report);
void judge_clock(const ClockFacts& facts, DoctorReport& report);

[[nodiscard]] VolumeFacts read_volume(os::Platform& platform, const std::string& folder);
[[nodiscard]] LimitFacts read_limits(os::Platform& platform, const std::string& folder);
[[nodiscard]] ServerFacts read_server(const std::string& folder);
[[nodiscard]] ClockFacts read_clock(os::Platform& platform);

}  // namespace rookery::cli
