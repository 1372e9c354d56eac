// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rookery/store/catalog.h"

#include "page_access.h"
#include "tree_node.h"

// Purpose. What readers, writers and the checker of byte-keyed trees share.

namespace rookery::store {

[[nodiscard]] constexpr PageType tree_page_type(std::uint16_t level) noexcept {
  return level == 0 ? PageType::kTreeLeaf : PageType::kTreeBranch;
}

// Errors: corrupt, for a root that cannot be.
[[nodiscard]] Result<void> check_tree_root(const TreeRoot& root);
[[nodiscard]] Result<NodeView> enter_node(PageReader& pages, const TreeRoot& root, PageNo number,
                                          std::uint16_t level);

// The run that a leaf's overflow cell refers to.
struct OverflowRun {
  PageNo number;
  PageView run;
  std::uint64_t size;
};

[[nodiscard]] Result<OverflowRun> enter_overflow(PageReader& pages, const TreeRoot& root,
                                                 const NodeCell& cell);
// The value of a leaf's cell, wherever it lies.
[[nodiscard]] Result<Bytes> load_value(PageReader& pages, const TreeRoot& root,
                                       const NodeCell& cell);

}  // namespace rookery::store
