// SPDX-License-Identifier: Apache-2.0
#include "file_writer.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rookery::transfer {

namespace {

constexpr mode_t kMode = 0600;

// Whether `path` still names the file that was opened.
bool names(const std::string& path, int file) {
  struct stat opened {};

  struct stat named {};

  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

// Opened or made, and locked: another process that has it keeps it. Errors: busy, io.
Result<int> open_locked(const std::string& path) {
  for (;;) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode);
    if (file < 0) {
      return file_error("cannot create", path);
    }
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      const Error error =
          errno == EWOULDBLOCK
              ? Error(ErrorCode::busy,
                      fmt::format("'{}' is in use: another process works with it", path))
              : file_error("cannot lock", path);
      ::close(file);
      return error;
    }
    // Between the two calls its owner may have renamed or removed it.
    if (names(path, file)) {
      return file;
    }
    ::close(file);
  }
}

Error exists_error(const std::string& path) {
  return {ErrorCode::already_exists, fmt::format("'{}' exists already", path)};
}

Result<void> rename_file(const std::string& from, const std::string& to, Existing existing) {
  if (existing == Existing::kKeep) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
      return {};
    }
    if (errno == EEXIST) {
      return exists_error(to);
    }
    if (errno != EINVAL) {
      return file_error("cannot rename to", to);
    }
    // A file system that cannot do it at once: it was not there when this file was made.
  }
  return std::rename(from.c_str(), to.c_str()) == 0 ? Result<void>()
                                                    : file_error("cannot rename to", to);
}

Result<void> sync_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return file_error("cannot open", folder);
  }
  const int failed = ::fsync(descriptor);
  ::close(descriptor);
  return failed == 0 ? Result<void>() : file_error("cannot sync", folder);
}

}  // namespace

Error file_error(std::string_view what, const std::string& path) {
  const int code = errno;
  const ErrorCode kind = code == ENOSPC ? ErrorCode::no_space : ErrorCode::io;
  const char* reason = std::strerror(code);  // NOLINT(concurrency-mt-unsafe): one thread
  return {kind, fmt::format("{} '{}': {}", what, path, reason), code};
}

Result<void> write_all(int file, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      return file_error("cannot write", path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<std::unique_ptr<FileLock>> FileLock::take(const std::string& path) {
  RK_TRY_ASSIGN(const int file, open_locked(path));
  return std::unique_ptr<FileLock>(new FileLock(file, path));
}

FileLock::~FileLock() {
  ::unlink(path_.c_str());
  ::close(file_);
}

Result<std::unique_ptr<ReplacingFile>> ReplacingFile::create(const std::string& path,
                                                             Existing existing) {
  struct stat info {};

  const bool is_there = ::lstat(path.c_str(), &info) == 0;
  if (is_there && existing == Existing::kKeep) {
    return exists_error(path);
  }
  if (is_there && !S_ISREG(info.st_mode)) {
    return Error(ErrorCode::invalid_argument, fmt::format("'{}' is no file to replace", path));
  }
  std::string part_path = path + ".part";
  RK_TRY_ASSIGN(const int file, open_locked(part_path));
  auto made =
      std::unique_ptr<ReplacingFile>(new ReplacingFile(file, path, std::move(part_path), existing));
  // What a process that was killed has left.
  if (::ftruncate(file, 0) != 0) {
    return file_error("cannot empty", made->part_path_);
  }
  return made;
}

ReplacingFile::~ReplacingFile() {
  if (file_ >= 0) {
    ::unlink(part_path_.c_str());
    ::close(file_);
  }
}

Result<void> ReplacingFile::write(std::string_view bytes) {
  return write_all(file_, part_path_, bytes);
}

Result<void> ReplacingFile::commit() {
  if (::fsync(file_) != 0) {
    return file_error("cannot sync", part_path_);
  }
  RK_TRY(rename_file(part_path_, path_, existing_));
  ::close(std::exchange(file_, -1));
  return sync_folder_of(path_);
}

Result<std::unique_ptr<AppendedFile>> AppendedFile::open(const std::string& path,
                                                         std::uint64_t size) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  if (file < 0) {
    return file_error("cannot open", path);
  }
  auto opened = std::unique_ptr<AppendedFile>(new AppendedFile(file, path, size));

  struct stat info {};

  if (::fstat(file, &info) != 0) {
    return file_error("cannot look at", path);
  }
  if (static_cast<std::uint64_t>(info.st_size) < size) {
    return Error(ErrorCode::malformed, fmt::format("'{}' is shorter than it was", path));
  }
  if (::ftruncate(file, static_cast<off_t>(size)) != 0) {
    return file_error("cannot cut", path);
  }
  return opened;
}

AppendedFile::~AppendedFile() {
  ::close(file_);
}

Result<void> AppendedFile::append(std::string_view bytes) {
  RK_TRY(write_all(file_, path_, bytes));
  size_ += bytes.size();
  return {};
}

Result<void> AppendedFile::sync() {
  return ::fsync(file_) == 0 ? Result<void>() : file_error("cannot sync", path_);
}

}  // namespace rookery::transfer
