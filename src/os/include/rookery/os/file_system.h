// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"

// Purpose. The one seam to files. Three implementations: POSIX (PosixFileSystem), memory
// (MemoryFileSystem, for --RunInMemory), and the lying one of rookery::testing (SimFileSystem).
// Threads: every method may be called from several threads at once.
// Units: offsets and lengths in bytes.
// Errors: as os_error() maps errno: no_space (ENOSPC, EDQUOT), not_found (ENOENT), already_exists
//   (EEXIST), too_many (EMFILE, ENFILE), out_of_memory (ENOMEM), io (all else), with path, call and
//   errno in the text. EINTR is retried (but for a sync), a short transfer is continued.
// Source: STORE-INVARIANTS I11, I13, I14, I26, I27, I30.

namespace rookery::os {

enum class Access : std::uint8_t { kReadOnly, kReadWrite };
enum class Creation : std::uint8_t {
  kOpenExisting,  // not_found if absent
  kCreateNew,     // already_exists if present; mode 0600
  kOpenOrCreate,
};

struct OpenOptions {
  Access access = Access::kReadWrite;
  Creation creation = Creation::kOpenExisting;
  // Speed only, never durability: ignored where the file system refuses it. With it, offsets,
  // lengths and addresses must be multiples of kDirectAlignment.
  bool direct = false;
  // Every write is durable when it returns (O_DSYNC).
  bool write_through = false;
};

inline constexpr std::size_t kDirectAlignment = 4096;

struct FileInfo {
  std::uint64_t size_bytes = 0;
  std::uint64_t allocated_bytes = 0;  // smaller than size where there are holes
  std::uint64_t link_count = 0;
  std::uint64_t inode = 0;
  std::uint64_t device = 0;
  bool is_directory = false;
};

struct SpaceInfo {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;  // to this user
};

// Purpose. A shared map of a file. The range may be longer than the file: what lies beyond its end
// must not be touched, and becomes readable when the file grows.
// Owns: the address range; views into it die with it.
// Errors: a failed read (EIO, truncation) does not kill the process: the range reads as zeros from
//   then on and faulted() is true, which the reader must look at before it uses what it read.
class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  virtual ~Mapping() = default;

  [[nodiscard]] virtual const std::byte* data() const noexcept = 0;
  // Null for a read-only map.
  [[nodiscard]] virtual std::byte* writable_data() noexcept = 0;
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  [[nodiscard]] virtual bool faulted() const noexcept = 0;
};

class File {
 public:
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  virtual ~File() = default;

  // Fills `into` from `offset`; returns the bytes read, less than asked only at the end of the
  // file.
  virtual Result<std::size_t> read_at(std::uint64_t offset, MutableBytes into) = 0;
  virtual Result<void> write_at(std::uint64_t offset, Bytes from) = 0;
  // One vectored write of `parts` laid end to end.
  virtual Result<void> write_vector_at(std::uint64_t offset, std::span<const Bytes> parts) = 0;
  // fdatasync. After a failure nothing written since the last success may be believed durable,
  // whatever a second call says.
  virtual Result<void> sync_data() = 0;
  // Reserves blocks for [offset, offset + length), growing the file where needed. Contents of the
  // new range read as zeros. Where the file system knows no preallocation, the part beyond the end
  // of the file is written with zeros and holes inside it stay.
  virtual Result<void> allocate(std::uint64_t offset, std::uint64_t length) = 0;
  // Gives the blocks of the range back; it reads as zeros. The size stays. not_supported where the
  // file system cannot: then nothing has changed.
  virtual Result<void> punch_hole(std::uint64_t offset, std::uint64_t length) = 0;
  virtual Result<void> truncate(std::uint64_t size_bytes) = 0;
  virtual Result<FileInfo> info() = 0;
  // Takes the exclusive lock of this file (by inode, for this open file description) without
  // waiting. Returns nullopt when taken, or the holder's pid (0 when unknown) when another has it.
  // Held until this File is destroyed. Requires: opened kReadWrite (else an io error, EBADF).
  virtual Result<std::optional<std::int64_t>> try_lock() = 0;
  virtual Result<std::unique_ptr<Mapping>> map(std::uint64_t length, Access access) = 0;
  // True if the file was opened with `direct` and the file system took it.
  [[nodiscard]] virtual bool is_direct() const noexcept = 0;
};

class FileSystem {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  virtual ~FileSystem() = default;

  virtual Result<std::unique_ptr<File>> open(std::string_view path, const OpenOptions& options) = 0;
  // Replaces the target if there is one. Durable only after sync_directory of both parents.
  virtual Result<void> rename(std::string_view source, std::string_view target) = 0;
  // Hard link. already_exists if the target exists.
  virtual Result<void> link(std::string_view source, std::string_view target) = 0;
  virtual Result<void> remove_file(std::string_view path) = 0;
  // Mode 0700. already_exists if present.
  virtual Result<void> create_directory(std::string_view path) = 0;
  // Must be empty.
  virtual Result<void> remove_directory(std::string_view path) = 0;
  // Names, sorted, without "." and "..".
  virtual Result<std::vector<std::string>> list(std::string_view path) = 0;
  // Makes the directory's entries (created, renamed, removed) durable.
  virtual Result<void> sync_directory(std::string_view path) = 0;
  // nullopt if the path does not exist.
  virtual Result<std::optional<FileInfo>> info(std::string_view path) = 0;
  virtual Result<SpaceInfo> space(std::string_view path) = 0;
};

// "a/b" from "a" and "b".
[[nodiscard]] std::string join_path(std::string_view directory, std::string_view name);
// "a" from "a/b"; "." where there is no slash.
[[nodiscard]] std::string parent_path(std::string_view path);

// Removes a directory and all in it; a path that does not exist is success. Not atomic.
Result<void> remove_tree(FileSystem& files, std::string_view path);
// Creates the directory and its missing parents; what exists already is success.
Result<void> create_directories(FileSystem& files, std::string_view path);

}  // namespace rookery::os
