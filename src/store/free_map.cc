// SPDX-License-Identifier: Apache-2.0
#include "free_map.h"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "bit_runs.h"

namespace rookery::store {
namespace {

// Pages are 8-byte aligned wherever they are, and so is the bitmap in its page.
std::span<const std::uint64_t> words_of(Bytes content) noexcept {
  return {reinterpret_cast<const std::uint64_t*>(content.data() + kFreeMapBitsOffset),
          kFreeMapWords};
}

std::span<std::uint64_t> words_of(MutableBytes content) noexcept {
  return {reinterpret_cast<std::uint64_t*>(content.data() + kFreeMapBitsOffset), kFreeMapWords};
}

void set_count(MutableBytes content, std::uint32_t count) noexcept {
  save(content.data() + kFreeMapCountOffset, count);
}

Error corrupt_region(std::uint64_t region, std::string_view what) {
  return {ErrorCode::corrupt, fmt::format("free map of region {}: {}", region, what)};
}

}  // namespace

std::uint32_t free_map_count(Bytes content) noexcept {
  return load<std::uint32_t>(content.data() + kFreeMapCountOffset);
}

bool free_map_bit(Bytes content, std::uint64_t index) noexcept {
  return any_set(words_of(content), static_cast<std::size_t>(index), 1);
}

FreeMap::Hint& FreeMap::hint(std::uint64_t region) {
  if (hints_.size() <= region) {
    hints_.resize(static_cast<std::size_t>(region) + 1);
  }
  return hints_[static_cast<std::size_t>(region)];
}

Result<PageNo> FreeMap::take(FreeMapPages& pages, Meta& meta, std::uint32_t count) {
  RK_CHECK(count > 0);
  if (count > kRunPagesMax) {
    return Error(ErrorCode::too_large,
                 fmt::format("a run of {} pages; the longest is {}", count, kRunPagesMax));
  }
  const std::uint64_t regions = meta.free_pages >= count ? region_count(meta.page_count) : 0;
  for (std::uint64_t region = 0; region < regions; ++region) {
    Hint& known = hint(region);
    if (known.longest < count) {
      continue;
    }
    RK_TRY_ASSIGN(const Bytes content, pages.read_bitmap(region));
    std::optional<std::size_t> found;
    if (free_map_count(content) >= count) {
      found = find_set_run(words_of(content), count, known.first);
    }
    if (!found) {
      known.longest = count - 1;
      continue;
    }
    RK_TRY_ASSIGN(const MutableBytes changed, pages.modify_bitmap(region));
    if (*found == 0 || region * kRegionPages + *found + count > meta.page_count) {
      return corrupt_region(region, fmt::format("page {} cannot be free", *found));
    }
    clear_bits(words_of(changed), *found, count);
    set_count(changed, free_map_count(changed) - count);
    meta.free_pages -= count;
    if (count == 1) {
      known.first = static_cast<std::uint32_t>(*found) + 1;
    }
    return PageNo(region * kRegionPages + *found);
  }
  return take_from_end(pages, meta, count);
}

Result<PageNo> FreeMap::take_from_end(FreeMapPages& pages, Meta& meta, std::uint32_t count) {
  const std::uint64_t used = meta.page_count % kRegionPages;
  if (used != 0 && kRegionPages - used < count) {
    // The run would cross into the next region: what is left of this one becomes free.
    const auto rest = static_cast<std::uint32_t>(kRegionPages - used);
    const PageNo first(meta.page_count);
    meta.page_count += rest;
    RK_TRY(give(pages, meta, first, rest));
  }
  if (meta.page_count % kRegionPages == 0) {
    RK_TRY(pages.create_bitmap(meta.page_count / kRegionPages));
    ++meta.page_count;
  }
  const PageNo first(meta.page_count);
  meta.page_count += count;
  return first;
}

Result<void> FreeMap::give(FreeMapPages& pages, Meta& meta, PageNo first, std::uint32_t count) {
  const std::uint64_t region = region_of(first.value());
  const std::uint64_t index = first.value() % kRegionPages;
  if (count == 0 || index == 0 || index + count > kRegionPages ||
      first.value() + count > meta.page_count) {
    return corrupt_region(region, fmt::format("{} pages from {} on cannot be freed", count, index));
  }
  RK_TRY_ASSIGN(const MutableBytes content, pages.modify_bitmap(region));
  if (any_set(words_of(content), static_cast<std::size_t>(index), count)) {
    return corrupt_region(region,
                          fmt::format("page {} or one of its {} is freed twice", index, count));
  }
  set_bits(words_of(content), static_cast<std::size_t>(index), count);
  set_count(content, free_map_count(content) + count);
  meta.free_pages += count;
  Hint& known = hint(region);
  known.longest = kRunPagesMax;
  known.first = std::min(known.first, static_cast<std::uint32_t>(index));
  return {};
}

}  // namespace rookery::store
