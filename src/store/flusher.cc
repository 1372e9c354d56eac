// SPDX-License-Identifier: Apache-2.0
#include "flusher.h"

#include <limits>
#include <utility>
#include <vector>

#include "rookery/base/canary.h"

namespace rookery::store {
namespace {

// One vectored write: more would not make the disk faster, and keeps a sync waiting.
constexpr std::uint64_t kWriteBytesMax = 2ULL * 1024 * 1024;
constexpr std::size_t kWriteRunsMax = 256;

// The planted fault of I8: a tombstone is treated as if the page's last image, which the table no
// longer has, still mattered; zeros stand for it.
const std::byte* stale_page() noexcept {
  static constexpr std::byte kZeros[kPageSize] = {};
  return kZeros;
}

}  // namespace

Result<bool> FlushJob::write_some(DataFile& data, std::uint64_t bytes_max) {
  RK_TRY(data.grow_to(state().meta.page_count));
  std::uint64_t bytes = 0;
  std::vector<DataWrite> runs;
  std::uint64_t runs_bytes = 0;
  const auto write_runs = [&]() -> Result<void> {
    if (runs.empty()) {
      return {};
    }
    auto done = data.write(runs, vectored_);
    bytes += std::exchange(runs_bytes, 0);
    runs.clear();
    return done;
  };
  while (bytes + runs_bytes < bytes_max) {
    const auto next = state().table.next(PageNo(cursor_));
    if (!next) {
      RK_TRY(write_runs());
      written_ = true;
      return true;
    }
    const auto [number, entry] = *next;
    cursor_ = number.value() + 1;
    DataWrite write{number, nullptr, 1};
    if (const PageImage* image = entry.image()) {
      write = {number, image->run.data, image->page_count()};
    } else if (canary(Canary::kFreedInteriorPageFlushed)) {
      write.data = stale_page();
    }
    if (write.data == nullptr || entry.txn() <= synced_txn_) {
      continue;  // I8: tombstones are not written
    }
    const bool adjacent =
        runs.empty() || runs.back().number.value() + runs.back().page_count == number.value();
    if (!adjacent || runs_bytes >= kWriteBytesMax || runs.size() >= kWriteRunsMax) {
      RK_TRY(write_runs());
    }
    runs.push_back(write);
    runs_bytes += write.page_count * kPageSize;
  }
  RK_TRY(write_runs());
  return false;
}

Result<void> FlushJob::write_all(DataFile& data) {
  while (!written_) {
    RK_TRY(write_some(data, std::numeric_limits<std::uint64_t>::max()));
  }
  return {};
}

}  // namespace rookery::store
