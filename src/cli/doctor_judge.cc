// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "doctor_machine.h"

// What the facts of a machine mean for a database.

namespace rookery::cli {

namespace {

constexpr std::string_view kVolume = "volume";
constexpr std::string_view kLimits = "limits";
constexpr std::string_view kServer = "server";
constexpr std::string_view kClock = "clock";

constexpr std::uint64_t kMega = 1ULL << 20U;
constexpr std::uint64_t kGiga = 1ULL << 30U;
// A database holds some ten descriptors and as many maps while it is open.
constexpr std::uint64_t kFilesWanted = 65'536;
constexpr std::uint64_t kMapsWanted = 65'530;  // the kernel's default
constexpr std::uint64_t kPerDatabase = 10;
constexpr std::uint64_t kMemoryWanted = 512 * kMega;
constexpr std::uint64_t kReserveWanted = 16 * kMega;

struct KnownType {
  std::string_view type;
  Level level;
  std::string_view advice;
};

constexpr std::string_view kMemoryAdvice =
    "A file system in memory: everything is gone when the machine stops, whatever was "
    "acknowledged.";
constexpr std::string_view kNetworkAdvice =
    "The other side decides when a write is durable, and whether a lock keeps a second server out. "
    "Use a local disk, or one block device that one machine mounts.";
constexpr std::string_view kOverlayAdvice =
    "The writable layer of a container: it is deleted with the container. Mount a volume there.";
constexpr std::string_view kCopyOnWriteAdvice =
    "Copies on each write: correct, but slower and wider than ext4 or xfs for data that changes in "
    "place.";
constexpr std::string_view kUserSpaceAdvice =
    "A program serves this file system: what a sync means is that program's affair.";

constexpr auto kTypes = std::to_array<KnownType>({
    {"ext4", Level::kGood, ""},
    {"xfs", Level::kGood, ""},
    {"ext3", Level::kNote, "Not tested here; ext4 and xfs are."},
    {"f2fs", Level::kNote, "Not tested here; ext4 and xfs are."},
    {"btrfs", Level::kNote, kCopyOnWriteAdvice},
    {"zfs", Level::kNote, kCopyOnWriteAdvice},
    {"tmpfs", Level::kProblem, kMemoryAdvice},
    {"ramfs", Level::kProblem, kMemoryAdvice},
    {"overlay", Level::kWarning, kOverlayAdvice},
    {"aufs", Level::kWarning, kOverlayAdvice},
    {"nfs", Level::kProblem, kNetworkAdvice},
    {"nfs4", Level::kProblem, kNetworkAdvice},
    {"cifs", Level::kProblem, kNetworkAdvice},
    {"smb3", Level::kProblem, kNetworkAdvice},
    {"9p", Level::kWarning, kUserSpaceAdvice},
    {"virtiofs", Level::kWarning, kUserSpaceAdvice},
    {"vfat", Level::kProblem, "No permissions, no allocation, files of 4 GB at most."},
    {"exfat", Level::kProblem, "No permissions, no journal of its own."},
});

bool has_option(std::string_view options, std::string_view wanted) {
  while (!options.empty()) {
    const std::size_t end = std::min(options.find(','), options.size());
    if (options.substr(0, end) == wanted) {
      return true;
    }
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return false;
}

void judge_mount(const Mount& mount, DoctorReport& report) {
  const auto known = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const KnownType& one) { return one.type == mount.type; });
  Finding type{Level::kNote, kVolume, "type",
               fmt::format("{} on {}, from {}", mount.type, mount.point, mount.source),
               "Not tested here; ext4 and xfs are."};
  if (known != kTypes.end()) {
    type.level = known->level;
    type.advice = known->advice;
  } else if (mount.type.starts_with("fuse")) {
    type.level = Level::kWarning;
    type.advice = kUserSpaceAdvice;
  }
  report.add(std::move(type));
  if (has_option(mount.options, "ro")) {
    report.add({Level::kProblem, kVolume, "mounted", "read-only",
                "Nothing can be stored. ext4 turns itself read-only after an error: look at the "
                "kernel's log."});
  }
  for (const std::string_view option : {"nobarrier", "barrier=0"}) {
    if (has_option(mount.options, option)) {
      report.add({Level::kProblem, kVolume, "mounted", std::string(option),
                  "A sync no longer reaches the medium: a power cut loses or tears what was "
                  "acknowledged. Mount without it."});
    }
  }
}

Level space_level(std::uint64_t available, std::uint64_t total) {
  if (available < 64 * kMega) {
    return Level::kProblem;
  }
  return available < kGiga || available < total / 20 ? Level::kWarning : Level::kGood;
}

void limit_must_be_off(const std::optional<std::uint64_t>& limit, const char* name,
                       const std::string& why, DoctorReport& report) {
  if (limit.has_value()) {
    report.add({Level::kProblem, kLimits, name, bytes_text(*limit), why});
  }
}

std::string share_text(std::uint64_t used, std::uint64_t most) {
  return fmt::format("{} of {} ({} %)", used, most, most == 0 ? 100 : used * 100 / most);
}

bool is_near(std::uint64_t used, std::uint64_t most) {
  return used > most / 5 * 4;
}

void judge_memory(const LimitFacts& facts, DoctorReport& report) {
  if (!facts.memory_limit.has_value()) {
    report.add({Level::kNote, kLimits, "memory", "cannot be read"});
    return;
  }
  Finding memory{Level::kGood, kLimits, "memory",
                 fmt::format("{} may be used", bytes_text(*facts.memory_limit))};
  if (facts.memory_available.has_value()) {
    memory.value +=
        fmt::format(", {} of the machine's is available", bytes_text(*facts.memory_available));
  }
  if (*facts.memory_limit < kMemoryWanted ||
      facts.memory_available.value_or(kMemoryWanted) < kMemoryWanted / 2) {
    memory.level = Level::kWarning;
    memory.advice =
        "Little: a quarter of the limit serves pages on their way to disk, and the "
        "kernel ends whoever goes over it.";
  }
  report.add(std::move(memory));
  if (facts.group_memory_used.has_value() &&
      is_near(*facts.group_memory_used, *facts.memory_limit)) {
    report.add({Level::kNote, kLimits, "control group",
                fmt::format("{} of {} in use", bytes_text(*facts.group_memory_used),
                            bytes_text(*facts.memory_limit)),
                "Cached pages of files count, and are given up under pressure; what is not cache "
                "gets the process killed."});
  }
}

}  // namespace

void judge_volume(const VolumeFacts& facts, DoctorReport& report) {
  if (facts.mount.has_value()) {
    judge_mount(*facts.mount, report);
  } else {
    report.add({Level::kNote, kVolume, "type", "unknown"});
  }
  if (!facts.write_cache.empty() || facts.rotational.has_value()) {
    std::string disk = facts.rotational.has_value()
                           ? (*facts.rotational ? "rotating" : "solid state")
                           : "of unknown kind";
    disk += facts.write_cache.empty() ? "" : ", cache: " + facts.write_cache;
    const bool volatile_cache = facts.write_cache == "write back";
    report.add({volatile_cache ? Level::kNote : Level::kGood, kVolume, "disk", disk,
                volatile_cache ? "The drive has a cache that it must empty when it is told to. If "
                                 "it lies about that, no database on it is safe from power cuts."
                               : ""});
  }
  Finding space{space_level(facts.available, facts.total), kVolume, "space",
                fmt::format("{} of {} free", bytes_text(facts.available), bytes_text(facts.total))};
  if (space.level != Level::kGood) {
    space.advice =
        "A full disk refuses writes (507) until there is space again; reads and deletes "
        "go on. See docs/disk-full.md.";
  }
  report.add(std::move(space));
  if (facts.inodes_total != 0 && facts.inodes_free < facts.inodes_total / 50) {
    report.add({Level::kWarning, kVolume, "inodes",
                fmt::format("{} of {} free", facts.inodes_free, facts.inodes_total),
                "No file can be made when they are used up, whatever space there is."});
  }
  if (facts.reserve.has_value()) {
    const std::uint64_t wanted = std::min(kReserveWanted, facts.total / 64);
    const bool whole = *facts.reserve + kMega >= wanted;
    report.add({whole ? Level::kGood : Level::kWarning, kVolume, "reserve",
                fmt::format("{} of {}", bytes_text(*facts.reserve), bytes_text(wanted)),
                whole ? ""
                      : "The disk was full: deletes live on what is left of the reserve, which "
                        "is made whole when there is space."});
  }
}

void judge_limits(const LimitFacts& facts, DoctorReport& report) {
  if (facts.files_hard.has_value()) {
    const std::uint64_t wanted = std::max(kFilesWanted, facts.database_count * kPerDatabase * 2);
    const bool enough = *facts.files_hard >= wanted;
    report.add({enough ? Level::kGood : Level::kWarning, kLimits, "open files",
                fmt::format("{} at most, {} databases", *facts.files_hard, facts.database_count),
                enough ? ""
                       : fmt::format("A database holds some ten, a connection one. Raise the "
                                     "hard limit to {} (LimitNOFILE=).",
                                     wanted)});
  }
  if (facts.maps_max.has_value()) {
    const bool enough =
        *facts.maps_max >= std::max(kMapsWanted, facts.database_count * kPerDatabase * 2);
    report.add({enough ? Level::kGood : Level::kWarning, kLimits, "memory maps",
                fmt::format("{} at most", *facts.maps_max),
                enough ? "" : "Open databases need some ten each: raise vm.max_map_count."});
  }
  limit_must_be_off(facts.address_space, "address space",
                    "Data files are mapped with room to grow: remove this limit (ulimit -v).",
                    report);
  limit_must_be_off(facts.file_size, "file size",
                    "A data file that reaches it ends the process: remove this limit (ulimit -f).",
                    report);
  if (facts.locked_memory.has_value()) {
    report.add({Level::kGood, kLimits, "locked memory",
                bytes_text(*facts.locked_memory) + " at most; nothing is locked"});
  }
  if (facts.overcommit_never) {
    report.add({Level::kWarning, kLimits, "overcommit", "never (vm.overcommit_memory=2)",
                "Reserved address space then counts as memory. Maps may fail long before memory is "
                "used up."});
  }
  judge_memory(facts, report);
}

void judge_server(const ServerFacts& server, const LimitFacts& limits, DoctorReport& report) {
  if (!server.held) {
    report.add({Level::kGood, kServer, "running", "no server holds this folder"});
    return;
  }
  report.add({Level::kGood, kServer, "running",
              server.pid > 0 ? fmt::format("process {} holds this folder", server.pid)
                             : std::string("a process holds this folder")});
  const auto judge_share = [&](const char* name, const std::optional<std::uint64_t>& used,
                               const std::optional<std::uint64_t>& most) {
    if (used.has_value() && most.has_value()) {
      const bool near = is_near(*used, *most);
      report.add(
          {near ? Level::kWarning : Level::kGood, kServer, name, share_text(*used, *most),
           near ? "Near its limit: raise it before databases can no longer be opened." : ""});
    }
  };
  judge_share("open files", server.files_open, server.files_max);
  judge_share("memory maps", server.maps, limits.maps_max);
}

void judge_clock(const ClockFacts& facts, DoctorReport& report) {
  constexpr std::int64_t kYearLeast = 2024;
  const bool plausible = facts.year >= kYearLeast;
  Finding wall{plausible ? Level::kGood : Level::kWarning, kClock, "wall clock",
               fmt::format("year {}", facts.year)};
  if (!plausible) {
    wall.advice = "It is wrong: @last-modified and expirations follow it. Order does not.";
  } else if (facts.synchronised.has_value()) {
    wall.value +=
        *facts.synchronised ? ", synchronised" : ", not synchronised by the kernel's word";
    wall.level = *facts.synchronised ? Level::kGood : Level::kNote;
    wall.advice = *facts.synchronised ? "" : "@last-modified follows it, order does not: run NTP.";
  }
  report.add(std::move(wall));
  if (!facts.source.empty()) {
    const bool slow = facts.source == "hpet" || facts.source == "acpi_pm";
    report.add(
        {slow ? Level::kWarning : Level::kGood, kClock, "clock source", facts.source,
         slow ? "Reading it costs a microsecond; tsc or kvm-clock cost a few nanoseconds." : ""});
  }
}

}  // namespace rookery::cli
