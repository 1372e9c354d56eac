// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rookery/base/result.h"
#include "rookery/store/page.h"

// Purpose. What makes the bytes of a run of pages a page: its header, its checksum, and the checks
// that every read makes before anyone looks at the content.
// Errors: corrupt, with the page and what is wrong with it; bytes are never asserted.
// Source: docs/format/page.md; STORE-INVARIANTS I5, I10.

namespace rookery::store {

// A region is a stretch of pages whose first page is the bitmap of its free ones. A run lies inside
// one region, so no run can be longer than what a region has beside its bitmap.
inline constexpr std::uint64_t kRegionPages = 32'768;
inline constexpr std::uint32_t kRunPagesMax = static_cast<std::uint32_t>(kRegionPages) - 1;

[[nodiscard]] constexpr std::uint64_t region_of(std::uint64_t page) noexcept {
  return page / kRegionPages;
}

[[nodiscard]] constexpr std::uint64_t region_count(std::uint64_t page_count) noexcept {
  return page_count / kRegionPages + (page_count % kRegionPages == 0 ? 0 : 1);
}

// Sets the checksum. The run does not change afterwards.
void seal_page(std::byte* data, std::uint32_t page_count) noexcept;
[[nodiscard]] bool page_checksum_holds(const std::byte* data, std::uint32_t page_count) noexcept;

// What a page must say of itself for a reader that asked for `number` at transaction `newest` of an
// environment of `page_limit` pages.
struct PageExpectation {
  PageNo number;
  TxnId newest;
  std::uint64_t page_limit = 0;
};

[[nodiscard]] Result<void> check_page_header(const PageHeader& header,
                                             const PageExpectation& expected);

}  // namespace rookery::store
