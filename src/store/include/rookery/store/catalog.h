// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "rookery/store/ids.h"

// Purpose. The roots of structures, as the catalog (a tree of its own: name to root) stores them.
// Source: docs/format/catalog.md.

namespace rookery::store {

enum class StructureKind : std::uint8_t { kTree = 1, kFixedTree = 2, kTable = 3 };

// Levels of any tree: bounds paths and recursion. Two neighbours hold a third of what their pages
// could, on average, so a sound tree is far from it.
inline constexpr std::size_t kTreeDepthMax = 32;

// The root of a tree. A tree with no entries has no pages: root_page is 0.
struct TreeRoot {
  std::uint64_t root_page = 0;
  std::uint64_t entry_count = 0;
  std::uint64_t branch_pages = 0;
  std::uint64_t leaf_pages = 0;
  std::uint64_t overflow_pages = 0;
  std::uint32_t owner = 0;       // this structure's id, in the header of each of its pages
  std::uint16_t depth = 0;       // levels; 0 when empty
  std::uint16_t value_size = 0;  // fixed-size trees only
};

static_assert(sizeof(TreeRoot) == 48);
static_assert(std::is_trivially_copyable_v<TreeRoot>);

}  // namespace rookery::store
