// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/store/page.h"

// Purpose. How structures enter a page: every reference is checked against what it should lead to.
// The bytes are believed to be what some writer wrote (the engine checked the checksum), never to
// be what this structure needs: a wrong page answers `corrupt`.
// Source: STORE-INVARIANTS I10; docs/format/page.md.

namespace rookery::store {

[[nodiscard]] Error corrupt_page(PageNo number, std::string_view what);

struct PageExpectation {
  PageType type;
  std::uint32_t owner;
};

// A run of any length. Errors: corrupt if it is not of this type and owner; as PageReader::page.
[[nodiscard]] Result<PageView> enter_run(PageReader& pages, PageNo number,
                                         const PageExpectation& expected);
// As enter_run, but corrupt unless it is one page long.
[[nodiscard]] Result<PageView> enter_page(PageReader& pages, PageNo number,
                                          const PageExpectation& expected);

// A private copy of a page that enter_page() has accepted in this transaction.
[[nodiscard]] Result<MutablePage> modify_page(PageWriter& pages, PageNo number);

// Pages of a run that holds this many bytes of content.
[[nodiscard]] constexpr std::uint64_t run_pages_for(std::uint64_t content_size) noexcept {
  return (content_size + kPageHeaderSize + kPageTrailerSize + kPageSize - 1) / kPageSize;
}

// The largest content of one run; beyond it, too_large. A bound on one allocation, far above the
// largest document.
inline constexpr std::uint64_t kRunContentSizeMax = std::uint64_t{1} << 32;

// Zeroes what nothing refers to any more: deleted data must not stay on the disk, and zeroes
// compress.
void wipe(MutableBytes bytes) noexcept;

// Copies, also when there is nothing to copy (memcpy must not be given null).
void copy_bytes(std::byte* to, Bytes from) noexcept;

}  // namespace rookery::store
