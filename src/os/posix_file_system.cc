// SPDX-License-Identifier: Apache-2.0
#include "rookery/os/posix_file_system.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "rookery/os/os_error.h"

#include "posix_file.h"

namespace rookery::os {
namespace {

constexpr mode_t kFileMode = 0600;
constexpr mode_t kDirectoryMode = 0700;

int open_flags(const OpenOptions& options) noexcept {
  int flags = O_CLOEXEC | O_NOCTTY;
  flags |= options.access == Access::kReadWrite ? O_RDWR : O_RDONLY;
  if (options.creation == Creation::kCreateNew) {
    flags |= O_CREAT | O_EXCL;
  } else if (options.creation == Creation::kOpenOrCreate) {
    flags |= O_CREAT;
  }
  if (options.write_through) {
    flags |= O_DSYNC;
  }
  return flags;
}

int open_retrying(const std::string& path, int flags) noexcept {
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), flags, kFileMode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

}  // namespace

Result<std::unique_ptr<File>> PosixFileSystem::open(std::string_view path,
                                                    const OpenOptions& options) {
  std::string owned(path);
  const int flags = open_flags(options);
  bool direct = options.direct;
  int descriptor = -1;
  if (direct) {
    descriptor = open_retrying(owned, flags | O_DIRECT);
    if (descriptor < 0 && errno == EINVAL) {
      // The file system refuses O_DIRECT, and a kCreateNew may have left the file behind.
      direct = false;
      const int plain = (flags & O_EXCL) != 0 ? (flags & ~O_EXCL) : flags;
      descriptor = open_retrying(owned, plain);
    }
  } else {
    descriptor = open_retrying(owned, flags);
  }
  if (descriptor < 0) {
    return os_error("open", path, errno);
  }
  auto file = std::make_unique<PosixFile>(std::move(owned), descriptor, direct);
  RK_TRY_ASSIGN(const FileInfo facts, file->info());
  if (facts.is_directory) {  // open for reading would succeed
    return os_error("open", path, EISDIR);
  }
  return file;
}

Result<void> PosixFileSystem::rename(std::string_view source, std::string_view target) {
  if (::rename(std::string(source).c_str(), std::string(target).c_str()) != 0) {
    return os_error("rename to " + std::string(target), source, errno);
  }
  return {};
}

Result<void> PosixFileSystem::link(std::string_view source, std::string_view target) {
  if (::link(std::string(source).c_str(), std::string(target).c_str()) != 0) {
    return os_error("link to " + std::string(target), source, errno);
  }
  return {};
}

Result<void> PosixFileSystem::remove_file(std::string_view path) {
  if (::unlink(std::string(path).c_str()) != 0) {
    return os_error("unlink", path, errno);
  }
  return {};
}

Result<void> PosixFileSystem::create_directory(std::string_view path) {
  if (::mkdir(std::string(path).c_str(), kDirectoryMode) != 0) {
    return os_error("mkdir", path, errno);
  }
  return {};
}

Result<void> PosixFileSystem::remove_directory(std::string_view path) {
  if (::rmdir(std::string(path).c_str()) != 0) {
    return os_error("rmdir", path, errno);
  }
  return {};
}

Result<std::vector<std::string>> PosixFileSystem::list(std::string_view path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(std::string(path).c_str()),
                                                      &::closedir);
  if (directory == nullptr) {
    return os_error("opendir", path, errno);
  }
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    // One DIR a call, so the static buffer is not shared. NOLINTNEXTLINE(concurrency-mt-unsafe)
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) {
      break;
    }
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  if (errno != 0) {
    return os_error("readdir", path, errno);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> PosixFileSystem::sync_directory(std::string_view path) {
  const int descriptor = open_retrying(std::string(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return os_error("open", path, errno);
  }
  const int failed = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (failed != 0) {
    return os_error("fsync", path, failed);
  }
  return {};
}

Result<std::optional<FileInfo>> PosixFileSystem::info(std::string_view path) {
  struct stat facts {};

  if (::stat(std::string(path).c_str(), &facts) != 0) {
    if (errno == ENOENT) {
      return std::optional<FileInfo>();
    }
    return os_error("stat", path, errno);
  }
  return std::optional(to_file_info(facts));
}

Result<SpaceInfo> PosixFileSystem::space(std::string_view path) {
  struct statvfs facts {};

  int failed = 0;
  do {
    failed = ::statvfs(std::string(path).c_str(), &facts);
  } while (failed != 0 && errno == EINTR);
  if (failed != 0) {
    return os_error("statvfs", path, errno);
  }
  return SpaceInfo{.total_bytes = facts.f_blocks * facts.f_frsize,
                   .available_bytes = facts.f_bavail * facts.f_frsize};
}

}  // namespace rookery::os
