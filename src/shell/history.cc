// SPDX-License-Identifier: Apache-2.0
#include "history.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rookery/value/json.h"

namespace rookery::shell {

namespace {

constexpr mode_t kOwnerOnly = 0600;

Error failed(const std::string& path, int os_errno) {
  return {ErrorCode::io,
          fmt::format("history file '{}': {}", path, std::generic_category().message(os_errno)),
          os_errno};
}

std::string line_of(const std::string& statement) {
  std::string line;
  value::JsonWriter(line).string(statement);
  line += '\n';
  return line;
}

// In one write, so that two shells do not mix their lines.
Result<void> write_all(const std::string& path, int flags, const std::string& text) {
  const int file = ::open(path.c_str(), flags | O_WRONLY | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (file < 0) {
    return failed(path, errno);
  }
  // It may be an old one with another mode.
  const bool done = ::fchmod(file, kOwnerOnly) == 0 &&
                    ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int os_errno = errno;
  ::close(file);
  if (!done) {
    return failed(path, os_errno);
  }
  return {};
}

Result<void> make_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (folder.empty() || std::filesystem::exists(folder, error)) {
    return {};
  }
  if (folder.has_parent_path()) {
    std::filesystem::create_directories(folder.parent_path(), error);
  }
  constexpr mode_t kOwnerOnlyFolder = 0700;
  if (::mkdir(folder.c_str(), kOwnerOnlyFolder) != 0 && errno != EEXIST) {
    return failed(path, errno);
  }
  return {};
}

}  // namespace

std::string default_history_path() {
  // NOLINTBEGIN(concurrency-mt-unsafe): nobody sets the environment
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  // NOLINTEND(concurrency-mt-unsafe)
  // Only absolute paths count, says the XDG Base Directory Specification.
  if (state != nullptr && state[0] == '/') {
    return std::string(state) + "/rookery/shell_history";
  }
  return home != nullptr && home[0] != '\0'
             ? std::string(home) + "/.local/state/rookery/shell_history"
             : std::string();
}

Result<HistoryFile> HistoryFile::open(const std::string& path) {
  RK_TRY(make_folder(path));
  RK_TRY(write_all(path, O_APPEND, ""));
  HistoryFile history(path);
  std::ifstream file(path);
  std::size_t line_count = 0;
  for (std::string line; std::getline(file, line); ++line_count) {
    const auto parsed = value::parse_json(line);
    if (parsed.has_value() && parsed->root().is_string()) {
      history.entries_.emplace_back(*parsed->root().as_string());
    }
  }
  if (history.entries_.size() > kHistoryEntriesMax) {
    const auto surplus = history.entries_.size() - kHistoryEntriesMax;
    history.entries_.erase(history.entries_.begin(),
                           history.entries_.begin() + static_cast<std::ptrdiff_t>(surplus));
  }
  if (line_count > 2 * kHistoryEntriesMax) {
    std::string text;
    for (const std::string& entry : history.entries_) {
      text += line_of(entry);
    }
    const std::string next = fmt::format("{}.{}", path, ::getpid());
    RK_TRY(write_all(next, O_TRUNC, text));
    if (::rename(next.c_str(), path.c_str()) != 0) {
      return failed(path, errno);
    }
  }
  return history;
}

Result<void> HistoryFile::add(const std::string& statement) {
  return write_all(path_, O_APPEND, line_of(statement));
}

}  // namespace rookery::shell
