// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "rookery/base/result.h"

// Purpose. Files that are written by the commands: whole or not at all, or appended to.

namespace rookery::transfer {

// With the reason of the last system call.
[[nodiscard]] Error file_error(std::string_view what, const std::string& path);

// All of them, however many calls it takes. Errors: io, no_space.
[[nodiscard]] Result<void> write_all(int file, const std::string& path, std::string_view bytes);

// Purpose. A file that only one process has at a time; others are refused, and the death of the
// process, however it comes, lets it go.
// Threads: one owner.
class FileLock {
 public:
  // Errors: busy, io.
  [[nodiscard]] static Result<std::unique_ptr<FileLock>> take(const std::string& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();  // removes the file

 private:
  FileLock(int file, std::string path) : file_(file), path_(std::move(path)) {}

  const int file_;
  const std::string path_;
};

// What becomes of a file that is there already.
enum class Existing : std::uint8_t { kReplace, kKeep };

// Purpose. A file that appears under its name only when it is complete; until then it is
// `path`.part, which one process has at a time.
// Threads: one owner.
class ReplacingFile {
 public:
  // Errors: already_exists, with kKeep; busy; io; no_space.
  [[nodiscard]] static Result<std::unique_ptr<ReplacingFile>> create(const std::string& path,
                                                                     Existing existing);
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;
  // Without commit(): removes what was written.
  ~ReplacingFile();

  [[nodiscard]] Result<void> write(std::string_view bytes);
  // Durable when it returns. Errors: already_exists, if the file has appeared meanwhile.
  [[nodiscard]] Result<void> commit();

 private:
  ReplacingFile(int file, std::string path, std::string part_path, Existing existing)
      : file_(file),
        path_(std::move(path)),
        part_path_(std::move(part_path)),
        existing_(existing) {}

  int file_;
  const std::string path_;
  const std::string part_path_;
  const Existing existing_;
};

// Purpose. A file that grows by whole lines, and is cut back to where a state knows it.
// Threads: one owner.
class AppendedFile {
 public:
  // Cut to `size` bytes, or made. Errors: io; malformed, if it is shorter.
  [[nodiscard]] static Result<std::unique_ptr<AppendedFile>> open(const std::string& path,
                                                                  std::uint64_t size);
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;
  ~AppendedFile();

  [[nodiscard]] Result<void> append(std::string_view bytes);
  [[nodiscard]] Result<void> sync();

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  AppendedFile(int file, std::string path, std::uint64_t size)
      : file_(file), path_(std::move(path)), size_(size) {}

  const int file_;
  const std::string path_;
  std::uint64_t size_;
};

}  // namespace rookery::transfer
