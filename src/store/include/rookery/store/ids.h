// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rookery/base/strong_id.h"

// Purpose. The ids and sizes of the store. Source: docs/format/page.md.

namespace rookery::store {

struct PageNoTag;
struct TxnIdTag;
struct StorageIdTag;
using PageNo = StrongId<PageNoTag>;
using TxnId = StrongId<TxnIdTag>;
// Where a table's row lies now: page, slot, generation. May be stored only in the row's own table
// and that table's indexes, so that rows can move.
using StorageId = StrongId<StorageIdTag>;

inline constexpr std::size_t kPageSize = 8192;
inline constexpr std::size_t kPageHeaderSize = 32;
inline constexpr std::size_t kPageTrailerSize = 40;  // reserved for nonce and tag

// Bytes of content in a run of pages: one header at its front, one trailer at its end.
[[nodiscard]] constexpr std::size_t page_run_capacity(std::size_t page_count) noexcept {
  return page_count * kPageSize - kPageHeaderSize - kPageTrailerSize;
}

inline constexpr std::size_t kPageCapacity = page_run_capacity(1);

inline constexpr std::size_t kKeySizeMax = 2025;

using Uuid = std::array<std::byte, 16>;

}  // namespace rookery::store
