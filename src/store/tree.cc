// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/tree.h"

#include "rookery/base/check.h"

#include "tree_access.h"

namespace rookery::store {

Result<void> check_tree_root(const TreeRoot& root) {
  if (root.depth > kTreeDepthMax || (root.depth == 0) != (root.root_page == 0)) {
    return Error(ErrorCode::corrupt, "a tree's root cannot be");
  }
  return {};
}

Result<NodeView> enter_node(PageReader& pages, const TreeRoot& root, PageNo number,
                            std::uint16_t level) {
  RK_TRY_ASSIGN(const PageView page,
                enter_page(pages, number, {.type = tree_page_type(level), .owner = root.owner}));
  return NodeView::open(page, level);
}

Result<OverflowRun> enter_overflow(PageReader& pages, const TreeRoot& root, const NodeCell& cell) {
  RK_CHECK(cell.overflow);
  RK_CHECK(cell.value.size() == sizeof(OverflowReference));
  const auto reference = load<OverflowReference>(cell.value.data());
  const PageNo number(reference.page_no);
  RK_TRY_ASSIGN(const PageView run,
                enter_run(pages, number, {.type = PageType::kOverflow, .owner = root.owner}));
  if (reference.size > kRunContentSizeMax || run_pages_for(reference.size) != run.page_count) {
    return corrupt_page(number, "not as long as its reference says");
  }
  return OverflowRun{.number = number, .run = run, .size = reference.size};
}

Result<Bytes> load_value(PageReader& pages, const TreeRoot& root, const NodeCell& cell) {
  if (!cell.overflow) {
    return cell.value;
  }
  RK_TRY_ASSIGN(const OverflowRun overflow, enter_overflow(pages, root, cell));
  return overflow.run.content().first(overflow.size);
}

Result<std::optional<Bytes>> Tree::get(Bytes key) const {
  RK_TRY(check_tree_root(*root_));
  if (root_->depth == 0) {
    return std::optional<Bytes>();
  }
  PageNo number(root_->root_page);
  for (auto level = static_cast<std::uint16_t>(root_->depth - 1); level > 0; --level) {
    RK_TRY_ASSIGN(const NodeView node, enter_node(*pages_, *root_, number, level));
    RK_TRY_ASSIGN(const std::uint32_t index, node.child_index(key));
    RK_TRY_ASSIGN(number, node.child(index));
  }
  RK_TRY_ASSIGN(const NodeView leaf, enter_node(*pages_, *root_, number, 0));
  RK_TRY_ASSIGN(const NodeSearch found, leaf.search(key));
  if (!found.found) {
    return std::optional<Bytes>();
  }
  RK_TRY_ASSIGN(const NodeCell cell, leaf.cell(found.index));
  RK_TRY_ASSIGN(const Bytes value, load_value(*pages_, *root_, cell));
  return std::optional<Bytes>(value);
}

Result<void> TreeCursor::descend(PageNo number, Toward end) {
  while (path_.size() < root_->depth) {
    const auto level = static_cast<std::uint16_t>(root_->depth - path_.size() - 1);
    RK_TRY_ASSIGN(
        const PageView page,
        enter_page(*pages_, number, {.type = tree_page_type(level), .owner = root_->owner}));
    RK_TRY_ASSIGN(const NodeView node, NodeView::open(page, level));
    const std::uint32_t index = end == Toward::kFirst ? 0 : node.count() - 1;
    if (level > 0) {
      RK_TRY_ASSIGN(number, node.child(index));
    }
    path_.push_back({.page = page, .index = index});
  }
  return {};
}

// Positions at the leaf where `key` belongs, in front of the first entry >= it; the index may be
// one past the leaf's last. False if the tree is empty.
Result<bool> TreeCursor::seek_leaf(Bytes key) {
  path_.clear();
  RK_TRY(check_tree_root(*root_));
  PageNo number(root_->root_page);
  path_.reserve(root_->depth);
  for (std::uint16_t level = root_->depth; level-- > 0;) {
    RK_TRY_ASSIGN(
        const PageView page,
        enter_page(*pages_, number, {.type = tree_page_type(level), .owner = root_->owner}));
    RK_TRY_ASSIGN(const NodeView node, NodeView::open(page, level));
    std::uint32_t index = 0;
    if (level > 0) {
      RK_TRY_ASSIGN(index, node.child_index(key));
      RK_TRY_ASSIGN(number, node.child(index));
    } else {
      RK_TRY_ASSIGN(const NodeSearch found, node.search(key));
      index = found.index;
    }
    path_.push_back({.page = page, .index = index});
  }
  return !path_.empty();
}

Result<bool> TreeCursor::go_to_end(Toward end) {
  path_.clear();
  RK_TRY(check_tree_root(*root_));
  if (root_->depth == 0) {
    return false;
  }
  path_.reserve(root_->depth);
  RK_TRY(descend(PageNo(root_->root_page), end));
  return true;
}

Result<bool> TreeCursor::step(Toward direction) {
  while (!path_.empty()) {
    Level& at = path_.back();
    const auto level = static_cast<std::uint16_t>(root_->depth - path_.size());
    RK_TRY_ASSIGN(const NodeView node, NodeView::open(at.page, level));
    const bool forward = direction == Toward::kLast;
    if (forward ? at.index + 1 >= node.count() : at.index == 0) {
      path_.pop_back();
      continue;
    }
    at.index = forward ? at.index + 1 : at.index - 1;
    if (level > 0) {
      RK_TRY_ASSIGN(const PageNo child, node.child(at.index));
      RK_TRY(descend(child, forward ? Toward::kFirst : Toward::kLast));
    }
    return true;
  }
  return false;
}

Result<bool> TreeCursor::seek(Bytes key) {
  RK_TRY_ASSIGN(const bool any, seek_leaf(key));
  if (!any) {
    return false;
  }
  Level& leaf = path_.back();
  RK_TRY_ASSIGN(const NodeView node, NodeView::open(leaf.page, 0));
  if (leaf.index < node.count()) {
    return true;
  }
  return step(Toward::kLast);
}

Result<bool> TreeCursor::seek_last_at_or_before(Bytes key) {
  RK_TRY_ASSIGN(const bool any, seek_leaf(key));
  if (!any) {
    return false;
  }
  Level& leaf = path_.back();
  RK_TRY_ASSIGN(const NodeView node, NodeView::open(leaf.page, 0));
  if (leaf.index < node.count()) {
    RK_TRY_ASSIGN(const NodeCell cell, node.cell(leaf.index));
    if (compare_bytes(cell.key, key) == 0) {
      return true;
    }
  }
  return step(Toward::kFirst);
}

Result<bool> TreeCursor::first() {
  return go_to_end(Toward::kFirst);
}

Result<bool> TreeCursor::last() {
  return go_to_end(Toward::kLast);
}

Result<bool> TreeCursor::next() {
  return step(Toward::kLast);
}

Result<bool> TreeCursor::previous() {
  return step(Toward::kFirst);
}

Result<TreeEntry> TreeCursor::entry() const {
  RK_CHECK(!path_.empty());
  const Level& leaf = path_.back();
  RK_TRY_ASSIGN(const NodeView node, NodeView::open(leaf.page, 0));
  RK_TRY_ASSIGN(const NodeCell cell, node.cell(leaf.index));
  RK_TRY_ASSIGN(const Bytes value, load_value(*pages_, *root_, cell));
  return TreeEntry{.key = cell.key, .value = value};
}

}  // namespace rookery::store
