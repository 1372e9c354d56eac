// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include <sys/stat.h>

#include "rookery/os/file_system.h"

namespace rookery::os {

[[nodiscard]] FileInfo to_file_info(const struct stat& facts) noexcept;

// Purpose. One open descriptor.
// Owns: the descriptor; its OFD lock goes when it is closed.
class PosixFile final : public File {
 public:
  PosixFile(std::string path, int descriptor, bool direct) noexcept;
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;
  ~PosixFile() override;

  Result<std::size_t> read_at(std::uint64_t offset, MutableBytes into) override;
  Result<void> write_at(std::uint64_t offset, Bytes from) override;
  Result<void> write_vector_at(std::uint64_t offset, std::span<const Bytes> parts) override;
  Result<void> sync_data() override;
  Result<void> allocate(std::uint64_t offset, std::uint64_t length) override;
  Result<void> punch_hole(std::uint64_t offset, std::uint64_t length) override;
  Result<void> truncate(std::uint64_t size_bytes) override;
  Result<FileInfo> info() override;
  Result<std::optional<std::int64_t>> try_lock() override;
  Result<std::unique_ptr<Mapping>> map(std::uint64_t length, Access access) override;

  // Relaxed: only advice; a write that meets the refusal clears it and goes on buffered.
  bool is_direct() const noexcept override { return direct_.load(std::memory_order_relaxed); }

 private:
  bool leave_direct_mode();
  Result<void> fill_with_zeros(std::uint64_t offset, std::uint64_t end);

  const std::string path_;
  const int descriptor_;
  std::atomic<bool> direct_;
};

}  // namespace rookery::os
