// SPDX-License-Identifier: Apache-2.0
#include "doctor_machine.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/timex.h>
#include <unistd.h>

#include "rookery/os/file_system.h"
#include "rookery/os/memory_limit.h"

namespace rookery::cli {

namespace {

// The whole of a file of the kernel; empty where it cannot be read.
std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string read_word(const std::string& path) {
  std::istringstream text(read_text(path));
  std::string word;
  text >> word;
  return word;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// Of "Name:   123 kB" in a text of such lines.
std::optional<std::uint64_t> number_after(const std::string& text, std::string_view name) {
  const std::size_t at = text.find(name);
  return at == std::string::npos ? std::nullopt
                                 : number_in(std::string_view(text).substr(at + name.size()));
}

std::optional<std::uint64_t> hard_limit(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_max == RLIM_INFINITY) {
    return std::nullopt;
  }
  return limit.rlim_max;
}

std::optional<std::uint64_t> soft_limit(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  return limit.rlim_cur;
}

std::uint64_t count_entries(const std::string& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  return error ? 0 : static_cast<std::uint64_t>(std::distance(begin(entries), end(entries)));
}

// mountinfo writes a blank in a path as \040, and so on.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 4, code, 8).ptr ==
            text.data() + i + 4) {
      out += static_cast<char>(code);
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool is_below(std::string_view path, std::string_view point) {
  return point == "/" ||
         (path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/'));
}

void read_disk(const std::string& folder, VolumeFacts& facts) {
  struct stat info {};

  if (::stat(folder.c_str(), &info) != 0) {
    return;
  }
  const std::string device =
      fmt::format("/sys/dev/block/{}:{}", major(info.st_dev), minor(info.st_dev));
  // A partition has no queue of its own.
  for (const std::string& queue : {device + "/queue", device + "/../queue"}) {
    if (const std::string rotational = read_word(queue + "/rotational"); !rotational.empty()) {
      facts.rotational = rotational == "1";
      std::string cache = read_text(queue + "/write_cache");
      cache.erase(std::remove(cache.begin(), cache.end(), '\n'), cache.end());
      facts.write_cache = cache;
      return;
    }
  }
}

// The pid behind the locks of a file, asked without taking any. A lock of an open file description
// names nobody; the store sets a classic one beside it, which does.
ServerFacts lock_holder(int descriptor) {
  ServerFacts facts;
  for (off_t start = 0;;) {
    struct flock lock {};

    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    if (::fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) {
      return facts;
    }
    facts.held = true;
    if (lock.l_pid > 0) {
      facts.pid = lock.l_pid;
      return facts;
    }
    if (lock.l_len == 0) {
      return facts;
    }
    start = lock.l_start + lock.l_len;
  }
}

}  // namespace

std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view path) {
  std::optional<Mount> found;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    // "36 35 98:0 /root /point options optional... - type source superoptions"
    std::istringstream fields(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || std::distance(dash, words.end()) < 4) {
      continue;
    }
    std::string point = unescaped(words[4]);
    if (is_below(path, point) && (!found.has_value() || point.size() >= found->point.size())) {
      found = Mount{std::move(point), dash[1], unescaped(dash[2]), words[5] + "," + dash[3]};
    }
  }
  return found;
}

VolumeFacts read_volume(os::Platform& platform, const std::string& folder) {
  VolumeFacts facts;
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(folder, error);
  if (!error) {
    facts.mount = find_mount(read_text("/proc/self/mountinfo"), canonical.string());
  }
  read_disk(folder, facts);

  struct statvfs space {};

  if (::statvfs(folder.c_str(), &space) == 0) {
    facts.total = space.f_blocks * space.f_frsize;
    facts.available = space.f_bavail * space.f_frsize;
    facts.inodes_total = space.f_files;
    facts.inodes_free = space.f_favail;
  }
  const std::string reserve = os::join_path(folder, "reserve");
  if (const auto names = platform.files.list(reserve); names.has_value()) {
    std::uint64_t held = 0;
    for (const std::string& name : *names) {
      const auto info = platform.files.info(os::join_path(reserve, name));
      held += info.has_value() && info->has_value() ? (*info)->size_bytes : 0;
    }
    facts.reserve = held;
  }
  return facts;
}

LimitFacts read_limits(os::Platform& platform, const std::string& folder) {
  LimitFacts facts;
  facts.files_hard = hard_limit(RLIMIT_NOFILE);
  facts.address_space = soft_limit(RLIMIT_AS);
  facts.file_size = soft_limit(RLIMIT_FSIZE);
  facts.locked_memory = soft_limit(RLIMIT_MEMLOCK);
  facts.maps_max = number_in(read_text("/proc/sys/vm/max_map_count"));
  facts.memory_limit = os::memory_limit_bytes(platform.files);
  if (const auto kb = number_after(read_text("/proc/meminfo"), "MemAvailable:"); kb.has_value()) {
    facts.memory_available = *kb * 1024;
  }
  for (const char* path :
       {"/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}) {
    if (!facts.group_memory_used.has_value()) {
      facts.group_memory_used = number_in(read_text(path));
    }
  }
  facts.overcommit_never = read_word("/proc/sys/vm/overcommit_memory") == "2";
  facts.database_count = count_entries(os::join_path(folder, "Databases"));
  return facts;
}

ServerFacts read_server(const std::string& folder) {
  const std::string path = folder + "/System/data.rks";
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return {};
  }
  ServerFacts facts = lock_holder(descriptor);
  ::close(descriptor);
  if (facts.pid > 0) {
    const std::string process = fmt::format("/proc/{}", facts.pid);
    if (const std::uint64_t files = count_entries(process + "/fd"); files != 0) {
      facts.files_open = files;
    }
    facts.files_max = number_after(read_text(process + "/limits"), "Max open files");
    const std::string maps = read_text(process + "/maps");
    if (!maps.empty()) {
      facts.maps = static_cast<std::uint64_t>(std::count(maps.begin(), maps.end(), '\n'));
    }
  }
  return facts;
}

ClockFacts read_clock(os::Platform& platform) {
  ClockFacts facts;
  const auto days = std::chrono::floor<std::chrono::days>(platform.clock.wall());
  facts.year = static_cast<int>(std::chrono::year_month_day(days).year());
  facts.source = read_word("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  timex state{};
  if (const int known = ::adjtimex(&state); known >= 0) {
    facts.synchronised = known != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
  }
  return facts;
}

}  // namespace rookery::cli
