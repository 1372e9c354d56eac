// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <fmt/format.h>

#include "check_support.h"
#include "structure_check.h"
#include "tree_access.h"

namespace rookery::store {
namespace {

// Purpose. One walk of a byte-keyed tree.
class TreeChecker {
 public:
  TreeChecker(PageReader& pages, const TreeRoot& root, const StructureVisitor& visitor,
              const TreeEntryVisitor& entry)
      : pages_(pages), root_(root), visitor_(visitor), entry_(entry) {}

  // Keys k of the subtree: from <= k < below.
  struct Range {
    Bytes from;
    std::optional<Bytes> below;
  };

  Result<void> walk(PageNo number, std::uint16_t level, const Range& range);

  [[nodiscard]] const StructureCounts& counts() const noexcept { return counts_; }

 private:
  void complain(PageNo number, std::string_view what) const {
    visitor_.problem(fmt::format("structure {}, page {}: {}", root_.owner, number.value(), what));
  }

  Result<void> walk_branch_cell(const NodeView& node, std::uint32_t index, std::uint16_t level,
                                const Range& range);
  Result<void> walk_leaf_cell(const NodeCell& cell);
  void check_bytes(const NodeView& node, PageView page) const;

  PageReader& pages_;
  const TreeRoot& root_;
  const StructureVisitor& visitor_;
  const TreeEntryVisitor& entry_;
  StructureCounts counts_;
};

// Cells and garbage must fill the heap exactly.
void TreeChecker::check_bytes(const NodeView& node, PageView page) const {
  std::size_t size = node.count() * kNodeSlotSize;
  for (std::uint32_t i = 0; i < node.count(); ++i) {
    const Result<NodeCell> cell = node.cell(i);
    size += cell.has_value() ? cell->size() : 0;
  }
  size -= node.count() * kNodeSlotSize;
  if (size != node.used()) {
    complain(PageNo(page.header().page_no), "its cells do not add up to its heap");
  }
}

// NOLINTNEXTLINE(misc-no-recursion): `level` falls with each step and starts below kTreeDepthMax.
Result<void> TreeChecker::walk(PageNo number, std::uint16_t level, const Range& range) {
  const Result<NodeView> entered = enter_node(pages_, root_, number, level);
  if (!entered.has_value()) {
    return blame(visitor_, root_.owner, entered.error());
  }
  RK_TRY_ASSIGN(const bool follow, visitor_.visit_page(number, 1));
  if (!follow) {
    return {};
  }
  const NodeView& node = entered.value();
  ++(level == 0 ? counts_.leaf_pages : counts_.branch_pages);
  RK_TRY_ASSIGN(const PageView page, pages_.page(number));
  check_bytes(node, page);
  Bytes before;
  for (std::uint32_t i = 0; i < node.count(); ++i) {
    const Result<NodeCell> cell = node.cell(i);
    if (!cell.has_value()) {
      complain(number, "a cell leaves its page");
      continue;
    }
    const bool has_own_key = level == 0 || i > 0;
    if (!has_own_key && !cell->key.empty()) {
      complain(number, "a branch's first cell has a key");
    }
    if (has_own_key && i > 0 && compare_bytes(before, cell->key) >= 0) {
      complain(number, "its keys are out of order");
    }
    if (has_own_key && (cell->key.empty() || compare_bytes(cell->key, range.from) < 0 ||
                        (range.below && compare_bytes(cell->key, *range.below) >= 0))) {
      complain(number, "a key is on the wrong side of a separator");
    }
    before = cell->key;
    RK_TRY(level == 0 ? walk_leaf_cell(*cell) : walk_branch_cell(node, i, level, range));
  }
  return {};
}

// NOLINTNEXTLINE(misc-no-recursion): as walk().
Result<void> TreeChecker::walk_branch_cell(const NodeView& node, std::uint32_t index,
                                           std::uint16_t level, const Range& range) {
  const Result<PageNo> child = node.child(index);
  if (!child.has_value()) {
    complain(node.number(), "a branch's cell names no child");
    return {};
  }
  Range part = range;
  if (index > 0) {
    RK_TRY_ASSIGN(const NodeCell cell, node.cell(index));
    part.from = cell.key;
  }
  if (index + 1 < node.count()) {
    const Result<NodeCell> after = node.cell(index + 1);
    if (after.has_value()) {
      part.below = after->key;
    }
  }
  return walk(*child, static_cast<std::uint16_t>(level - 1), part);
}

Result<void> TreeChecker::walk_leaf_cell(const NodeCell& cell) {
  ++counts_.entries;
  Bytes value = cell.value;
  if (cell.overflow) {
    const Result<OverflowRun> overflow = enter_overflow(pages_, root_, cell);
    if (!overflow.has_value()) {
      return blame(visitor_, root_.owner, overflow.error());
    }
    RK_TRY(visitor_.visit_page(overflow->number, overflow->run.page_count));
    counts_.overflow_pages += overflow->run.page_count;
    value = overflow->run.content().first(overflow->size);
  } else if (cell.size() > kNodeCellSizeMax) {
    visitor_.problem(fmt::format("structure {}: a cell is too big for its page", root_.owner));
  }
  return entry_ ? entry_(cell.key, value) : Result<void>();
}

}  // namespace

Result<void> check_tree(PageReader& pages, const TreeRoot& root, const StructureVisitor& visitor,
                        const TreeEntryVisitor& entry) {
  if (const Result<void> sane = check_tree_root(root); !sane.has_value()) {
    return blame(visitor, root.owner, sane.error());
  }
  TreeChecker checker(pages, root, visitor, entry);
  if (root.depth > 0) {
    RK_TRY(checker.walk(PageNo(root.root_page), static_cast<std::uint16_t>(root.depth - 1), {}));
  }
  compare_counts(visitor, root, checker.counts());
  return {};
}

}  // namespace rookery::store
