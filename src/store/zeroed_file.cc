// SPDX-License-Identifier: Apache-2.0
#include "zeroed_file.h"

#include <algorithm>
#include <cstring>

#include "aligned_buffer.h"

namespace rookery::store {
namespace {

constexpr std::size_t kWriteBytes = 1024 * 1024;

// The same kind of descriptor fills a journal, writes it and reads it.
Result<void> fill(os::File& file, std::uint64_t size_bytes) {
  RK_TRY(file.allocate(0, size_bytes));
  AlignedBuffer zeros;
  const MutableBytes block =
      zeros.take(static_cast<std::size_t>(std::min<std::uint64_t>(kWriteBytes, size_bytes)));
  std::memset(block.data(), 0, block.size());
  for (std::uint64_t at = 0; at < size_bytes; at += block.size()) {
    const std::uint64_t length = std::min<std::uint64_t>(block.size(), size_bytes - at);
    RK_TRY(file.write_at(at, block.first(static_cast<std::size_t>(length))));
  }
  return file.sync_data();
}

}  // namespace

Result<void> make_zeroed_file(os::FileSystem& files, const std::string& path,
                              std::uint64_t size_bytes) {
  RK_TRY_ASSIGN(auto file,
                files.open(path, {.creation = os::Creation::kCreateNew, .direct = true}));
  auto filled = fill(*file, size_bytes);
  if (!filled) {
    static_cast<void>(files.remove_file(path));
  }
  return filled;
}

}  // namespace rookery::store
