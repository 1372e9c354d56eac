// SPDX-License-Identifier: Apache-2.0
#include "rookery/os/memory_limit.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace rookery::os {
namespace {

constexpr std::size_t kFileBytesMax = 64 * 1024;  // of any of these files, by far

// Files of the kernel say that their size is zero: read until there is no more.
std::optional<std::string> read_text(FileSystem& files, const std::string& path) {
  auto file = files.open(path, {.access = Access::kReadOnly});
  if (!file) {
    return std::nullopt;
  }
  std::vector<std::byte> bytes(kFileBytesMax);
  const Result<std::size_t> size = (*file)->read_at(0, bytes);
  if (!size) {
    return std::nullopt;
  }
  return std::string(as_text(Bytes(bytes).first(*size)));
}

// The number that a text begins with; nullopt for "max", which is how v2 says that there is none.
std::optional<std::uint64_t> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

class Least {
 public:
  void add(std::optional<std::uint64_t> value) {
    if (value.has_value()) {
      value_ = std::min(value_.value_or(*value), *value);
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> value() const { return value_; }

 private:
  std::optional<std::uint64_t> value_;
};

void add_machine(FileSystem& files, Least& least) {
  constexpr std::string_view kTotal = "MemTotal:";
  const std::optional<std::string> text = read_text(files, "/proc/meminfo");
  if (const std::size_t at = text.value_or("").find(kTotal); at != std::string::npos) {
    if (const auto kib = leading_number(std::string_view(*text).substr(at + kTotal.size()))) {
      least.add(*kib * 1024);
    }
  }
}

// A group and all above it, up to the root of the mount. Inside a container the path may be one of
// the world outside: then only the root is there, and it is the container's own.
void add_group(FileSystem& files, const std::string& mount, std::string path,
               std::string_view limit_file, Least& least) {
  while (true) {
    std::string file = mount + path;
    file += file.ends_with('/') ? "" : "/";
    file += limit_file;
    if (const auto text = read_text(files, file)) {
      least.add(leading_number(*text));
    }
    if (path.empty() || path == "/") {
      return;
    }
    path.erase(path.rfind('/'));
  }
}

bool names_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "memory") {
      return true;
    }
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

}  // namespace

std::optional<std::uint64_t> memory_limit_bytes(FileSystem& files) {
  Least least;
  add_machine(files, least);
  // Lines of "hierarchy:controllers:path"; v2 has no controllers.
  const std::string groups = read_text(files, "/proc/self/cgroup").value_or("");
  for (std::string_view left = groups; !left.empty();) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    const std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos || line.substr(second + 1, 1) != "/") {
      continue;
    }
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (controllers.empty()) {
      add_group(files, "/sys/fs/cgroup", path, "memory.max", least);
    } else if (names_memory(controllers)) {
      add_group(files, "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes", least);
    }
  }
  return least.value();
}

}  // namespace rookery::os
