// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "rookery/base/result.h"

#include "meta.h"
#include "page_format.h"

// Purpose. Which pages are free. The first page of each region of 32,768 pages is the bitmap of the
// others (bit set: free); it is an ordinary page with ordinary versions, at a known place, so that
// giving out pages never needs to give out pages for the map itself.
// Threads: the one writer.
// Errors: corrupt (a page freed twice, counts that disagree); those of the pages.
// Source: docs/format/free_map.md.

namespace rookery::store {

// Content of a bitmap page: how many bits are set, then the bits.
inline constexpr std::size_t kFreeMapCountOffset = 0;
inline constexpr std::size_t kFreeMapBitsOffset = 8;
inline constexpr std::size_t kFreeMapWords = kRegionPages / 64;
static_assert(kFreeMapBitsOffset + kFreeMapWords * 8 <= kPageCapacity);

// The bitmap pages, as the transaction sees them.
class FreeMapPages {
 public:
  FreeMapPages() = default;
  FreeMapPages(const FreeMapPages&) = delete;
  FreeMapPages& operator=(const FreeMapPages&) = delete;
  virtual ~FreeMapPages() = default;

  [[nodiscard]] virtual Result<Bytes> read_bitmap(std::uint64_t region) = 0;
  [[nodiscard]] virtual Result<MutableBytes> modify_bitmap(std::uint64_t region) = 0;
  // A new page of zeros at the region's first page.
  [[nodiscard]] virtual Result<MutableBytes> create_bitmap(std::uint64_t region) = 0;
};

class FreeMap {
 public:
  // A run of `count` pages, free no more: the first that fits, else from the end.
  // Errors: too_large (more than kRunPagesMax).
  [[nodiscard]] Result<PageNo> take(FreeMapPages& pages, Meta& meta, std::uint32_t count);
  [[nodiscard]] Result<void> give(FreeMapPages& pages, Meta& meta, PageNo first,
                                  std::uint32_t count);

  // What was learned may rest on a transaction that is no more.
  void forget() noexcept { hints_.clear(); }

 private:
  // What is known of a region without reading it. Only ever too hopeful, never too sceptic.
  struct Hint {
    std::uint32_t longest = kRunPagesMax;  // no free run is longer
    std::uint32_t first = 0;               // no free page lies before
  };

  [[nodiscard]] Result<PageNo> take_from_end(FreeMapPages& pages, Meta& meta, std::uint32_t count);
  [[nodiscard]] Hint& hint(std::uint64_t region);

  std::vector<Hint> hints_;
};

[[nodiscard]] std::uint32_t free_map_count(Bytes content) noexcept;
[[nodiscard]] bool free_map_bit(Bytes content, std::uint64_t index) noexcept;

}  // namespace rookery::store
