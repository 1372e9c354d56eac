// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"
#include "rookery/os/sync.h"
#include "rookery/store/page.h"

#include "page_format.h"

// Purpose. data.rks: the home of every page. Read through a read-only map, written by calls that
// can fail, synced by one descriptor.
// Source: STORE-INVARIANTS I5, I9, I10, I11, I13, I14, I26.

namespace rookery::store {

// Purpose. A map of the data file, and which of its pages were found whole since they were written.
// Threads: any number of readers; forget() by the flusher.
class DataMap {
 public:
  explicit DataMap(std::unique_ptr<os::Mapping> mapping);
  ~DataMap();

  DataMap(const DataMap&) = delete;
  DataMap& operator=(const DataMap&) = delete;

  // The page at home. Every call checks its header, the first one its checksum.
  // Requires: a snapshot for which this page's newest version is the one in the file, so that
  //   nobody writes it meanwhile.
  // Errors: corrupt, io (the map has faulted).
  [[nodiscard]] Result<PageView> page(const PageExpectation& expected) const;

  // A read of the file failed at some time: what was read from the map may be zeros.
  [[nodiscard]] bool faulted() const noexcept { return mapping_->faulted(); }

  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return mapping_->size(); }

  // Pages below this are in the file. Grows only.
  void set_readable_pages(std::uint64_t pages) noexcept { readable_pages_.store(pages); }

  // The page is about to be written: its checksum is to be checked again.
  void forget(PageNo number) const noexcept;

 private:
  static constexpr std::size_t kBlockWords = 64;
  using Block = std::array<std::atomic<std::uint64_t>, kBlockWords>;

  // The word of `verified_` that has this page's bit, made when it is first needed.
  [[nodiscard]] std::atomic<std::uint64_t>& verified_word(std::uint64_t number) const;

  std::unique_ptr<os::Mapping> mapping_;
  std::atomic<std::uint64_t> readable_pages_{0};
  // A bit a page, in blocks of 4,096 pages: an idle environment has none. A cache only: its bits
  // are relaxed, since a lost one costs one more checksum, and one is set only by whoever checked
  // these very bytes.
  mutable std::vector<std::atomic<Block*>> verified_;
};

struct DataWrite {
  PageNo number;
  const std::byte* data = nullptr;
  std::uint32_t page_count = 0;
};

class DataFile {
 public:
  // Opens or creates, and takes the lock. Errors: busy, naming the holder.
  [[nodiscard]] static Result<std::unique_ptr<DataFile>> open(os::Platform& platform,
                                                              std::string path, bool create);

  // The map that new states use. Shared, since the map before lives as long as its states.
  [[nodiscard]] std::shared_ptr<DataMap> map() const;
  // Makes the first map. Requires: not mapped yet.
  [[nodiscard]] Result<void> map_first();
  // A new map in place of one that has faulted.
  [[nodiscard]] Result<void> map_again();

  // Gives the file room for `page_count` pages, and the map too.
  // Threads: any, beside the flusher.
  // Errors: no_space, io.
  [[nodiscard]] Result<void> grow_to(std::uint64_t page_count);
  // Writes adjacent runs. Requires: the file has room, in order, no gaps.
  [[nodiscard]] Result<void> write(const std::vector<DataWrite>& runs, bool vectored);
  [[nodiscard]] Result<void> sync();
  // A fresh descriptor, after a failed sync: the old one is not believed any more.
  [[nodiscard]] Result<void> reopen();

  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_bytes_.load(); }

  [[nodiscard]] std::uint64_t allocated_bytes() const;

  // Calls that changed the file so far.
  [[nodiscard]] std::uint64_t write_calls() const noexcept { return write_calls_.load(); }

 private:
  DataFile(os::Platform& platform, std::string path, std::unique_ptr<os::File> file);

  [[nodiscard]] Result<void> replace_map(std::uint64_t size_bytes) RK_REQUIRES(growth_mutex_);

  os::Platform& platform_;
  const std::string path_;
  // Holds the lock for life, and is never written: the lock belongs to this open file description.
  const std::unique_ptr<os::File> lock_file_;
  // The flusher's. Writes and syncs. Replaced under the mutex, since others let it grow.
  std::unique_ptr<os::File> file_;
  os::Mutex growth_mutex_;
  std::atomic<std::uint64_t> size_bytes_{0};
  std::atomic<std::uint64_t> write_calls_{0};
  mutable os::Mutex map_mutex_;
  std::shared_ptr<DataMap> map_ RK_GUARDED_BY(map_mutex_);
};

}  // namespace rookery::store
