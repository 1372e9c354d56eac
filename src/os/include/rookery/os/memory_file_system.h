// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "rookery/os/file_system.h"

// Purpose. Files that live in memory and die with the object (--RunInMemory, tests). A fresh one
// holds the root directory only; "a/b" and "/a/b" name the same file.
// Owns: no descriptors, so thousands of files cost nothing of that limit. Each file is one shared
//   anonymous memory object; maps are further views of it, hence coherent with writes.
// Units: space is charged in blocks of 4096 bytes.
// Errors: as FileSystem; no_space past the capacity; too_large past SharedMemory::kMaxBytes (of a
// file or a map).
// Direct and write_through mean nothing here; is_direct() is false.
// Requires: outlives its files and maps' users; blocks written through a map into a hole that was
//   never allocated are not charged.

namespace rookery::os {

class MemoryFileSystem final : public FileSystem {
 public:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  explicit MemoryFileSystem(std::uint64_t capacity_bytes = kUnlimited);
  ~MemoryFileSystem() override;
  MemoryFileSystem(const MemoryFileSystem&) = delete;
  MemoryFileSystem& operator=(const MemoryFileSystem&) = delete;

  // May be set below what is used: then nothing more is given until enough is freed.
  void set_capacity(std::uint64_t capacity_bytes);
  [[nodiscard]] std::uint64_t used_bytes() const;

  Result<std::unique_ptr<File>> open(std::string_view path, const OpenOptions& options) override;
  Result<void> rename(std::string_view source, std::string_view target) override;
  Result<void> link(std::string_view source, std::string_view target) override;
  Result<void> remove_file(std::string_view path) override;
  Result<void> create_directory(std::string_view path) override;
  Result<void> remove_directory(std::string_view path) override;
  Result<std::vector<std::string>> list(std::string_view path) override;
  Result<void> sync_directory(std::string_view path) override;
  Result<std::optional<FileInfo>> info(std::string_view path) override;
  Result<SpaceInfo> space(std::string_view path) override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace rookery::os
