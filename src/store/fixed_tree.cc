// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/fixed_tree.h"

#include "rookery/base/check.h"

#include "fixed_node.h"

namespace rookery::store {

Result<void> check_fixed_tree_root(const TreeRoot& root) {
  if (root.depth > kTreeDepthMax || (root.depth == 0) != (root.root_page == 0) ||
      root.value_size > kFixedValueSizeMax) {
    return Error(ErrorCode::corrupt, "a fixed-size tree's root cannot be");
  }
  return {};
}

namespace {

struct FixedNodePage {
  PageView page;
  FixedNodeView node;
};

Result<FixedNodePage> enter(PageReader& pages, const TreeRoot& root, PageNo number,
                            std::uint16_t level) {
  RK_TRY_ASSIGN(
      const PageView page,
      enter_page(pages, number, {.type = fixed_tree_page_type(level), .owner = root.owner}));
  RK_TRY_ASSIGN(const FixedNodeView node,
                FixedNodeView::open(page, level, level == 0 ? root.value_size : kFixedChildSize));
  return FixedNodePage{.page = page, .node = node};
}

// The node of a page that enter() accepted before.
Result<FixedNodeView> reopen(PageView page, const TreeRoot& root, std::uint16_t level) {
  return FixedNodeView::open(page, level, level == 0 ? root.value_size : kFixedChildSize);
}

}  // namespace

Result<FixedNodeView> enter_fixed_node(PageReader& pages, const TreeRoot& root, PageNo number,
                                       std::uint16_t level) {
  RK_TRY_ASSIGN(const FixedNodePage entered, enter(pages, root, number, level));
  return entered.node;
}

Result<std::optional<Bytes>> FixedTree::get(std::int64_t key) const {
  RK_TRY(check_fixed_tree_root(*root_));
  if (root_->depth == 0) {
    return std::optional<Bytes>();
  }
  PageNo number(root_->root_page);
  for (auto level = static_cast<std::uint16_t>(root_->depth - 1); level > 0; --level) {
    RK_TRY_ASSIGN(const FixedNodeView node, enter_fixed_node(*pages_, *root_, number, level));
    number = node.child(node.child_index(key));
  }
  RK_TRY_ASSIGN(const FixedNodeView leaf, enter_fixed_node(*pages_, *root_, number, 0));
  const FixedNodeSearch found = leaf.search(key);
  return found.found ? std::optional<Bytes>(leaf.value(found.index)) : std::nullopt;
}

Result<void> FixedTreeCursor::descend(PageNo number, Toward end) {
  while (path_.size() < root_->depth) {
    const auto level = static_cast<std::uint16_t>(root_->depth - path_.size() - 1);
    RK_TRY_ASSIGN(const FixedNodePage entered, enter(*pages_, *root_, number, level));
    const std::uint32_t index = end == Toward::kFirst ? 0 : entered.node.count() - 1;
    if (level > 0) {
      number = entered.node.child(index);
    }
    path_.push_back({.page = entered.page, .index = index});
  }
  return {};
}

// Positions at the leaf where `key` belongs, in front of the first entry >= it; the index may be
// one past the leaf's last. False if the tree is empty.
Result<bool> FixedTreeCursor::seek_leaf(std::int64_t key) {
  path_.clear();
  RK_TRY(check_fixed_tree_root(*root_));
  path_.reserve(root_->depth);
  PageNo number(root_->root_page);
  for (std::uint16_t level = root_->depth; level-- > 0;) {
    RK_TRY_ASSIGN(const FixedNodePage entered, enter(*pages_, *root_, number, level));
    std::uint32_t index = 0;
    if (level > 0) {
      index = entered.node.child_index(key);
      number = entered.node.child(index);
    } else {
      index = entered.node.search(key).index;
    }
    path_.push_back({.page = entered.page, .index = index});
  }
  return !path_.empty();
}

Result<bool> FixedTreeCursor::go_to_end(Toward end) {
  path_.clear();
  RK_TRY(check_fixed_tree_root(*root_));
  if (root_->depth == 0) {
    return false;
  }
  path_.reserve(root_->depth);
  RK_TRY(descend(PageNo(root_->root_page), end));
  return true;
}

Result<bool> FixedTreeCursor::step(Toward direction) {
  while (!path_.empty()) {
    Level& at = path_.back();
    const auto level = static_cast<std::uint16_t>(root_->depth - path_.size());
    RK_TRY_ASSIGN(const FixedNodeView node, reopen(at.page, *root_, level));
    const bool forward = direction == Toward::kLast;
    if (forward ? at.index + 1 >= node.count() : at.index == 0) {
      path_.pop_back();
      continue;
    }
    at.index = forward ? at.index + 1 : at.index - 1;
    if (level > 0) {
      RK_TRY(descend(node.child(at.index), forward ? Toward::kFirst : Toward::kLast));
    }
    return true;
  }
  return false;
}

Result<bool> FixedTreeCursor::seek(std::int64_t key) {
  RK_TRY_ASSIGN(const bool any, seek_leaf(key));
  if (!any) {
    return false;
  }
  const Level& leaf = path_.back();
  RK_TRY_ASSIGN(const FixedNodeView node, reopen(leaf.page, *root_, 0));
  return leaf.index < node.count() ? Result<bool>(true) : step(Toward::kLast);
}

Result<bool> FixedTreeCursor::seek_last_at_or_before(std::int64_t key) {
  RK_TRY_ASSIGN(const bool any, seek_leaf(key));
  if (!any) {
    return false;
  }
  const Level& leaf = path_.back();
  RK_TRY_ASSIGN(const FixedNodeView node, reopen(leaf.page, *root_, 0));
  if (leaf.index < node.count() && node.key(leaf.index) == key) {
    return true;
  }
  return step(Toward::kFirst);
}

Result<bool> FixedTreeCursor::first() {
  return go_to_end(Toward::kFirst);
}

Result<bool> FixedTreeCursor::last() {
  return go_to_end(Toward::kLast);
}

Result<bool> FixedTreeCursor::next() {
  return step(Toward::kLast);
}

Result<bool> FixedTreeCursor::previous() {
  return step(Toward::kFirst);
}

FixedTreeEntry FixedTreeCursor::entry() const {
  RK_CHECK(!path_.empty());
  const Level& leaf = path_.back();
  // Not by open(): the index was in bounds when the page was entered, and is believed, not the
  // bytes.
  const FixedNodeView node =
      FixedNodeView::with_count(leaf.page, leaf.index + 1, root_->value_size);
  return {.key = node.key(leaf.index), .value = node.value(leaf.index)};
}

}  // namespace rookery::store
