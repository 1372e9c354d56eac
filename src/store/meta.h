// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "rookery/store/catalog.h"
#include "rookery/store/ids.h"

// Purpose. What a transaction leaves beside its pages: in each transaction record of the journal,
// and in the header as it was at the recovery start.
// Source: docs/format/catalog.md.

namespace rookery::store {

inline constexpr std::uint32_t kCatalogOwner = 1;
inline constexpr std::uint32_t kFirstFreeOwner = 2;
// Of transactions, epochs, headers and journal files: no environment counts so far, and what is
// added to such a number is still one.
inline constexpr std::uint64_t kCountMax = std::uint64_t{1} << 62U;

struct Meta {
  std::uint64_t txn = 0;
  std::uint64_t page_count = 0;  // pages given out so far, free ones and bitmaps included
  std::uint64_t free_pages = 0;
  std::uint32_t next_owner = kFirstFreeOwner;
  std::uint32_t reserved = 0;
  TreeRoot catalog;  // structure name to its encoded root
  std::uint64_t spare[6] = {};
};

static_assert(sizeof(Meta) == 128);
static_assert(std::is_trivially_copyable_v<Meta>);
static_assert(std::has_unique_object_representations_v<Meta>);

}  // namespace rookery::store
