// SPDX-License-Identifier: Apache-2.0
// Changes to fixed-size trees. As tree_writer.cc, with cells that all have one size.
#include <array>
#include <limits>

#include "rookery/base/check.h"
#include "rookery/store/fixed_tree.h"

#include "fixed_node.h"

namespace rookery::store {
namespace {

constexpr std::int64_t kFirstKey =
    std::numeric_limits<std::int64_t>::min();  // of a branch's cell 0

// Purpose. One put or erase: the path to its leaf, and the repairs from there upwards.
class FixedTreeWriter {
 public:
  FixedTreeWriter(PageWriter& pages, TreeRoot& root) : pages_(pages), root_(root) {}

  Result<void> put(std::int64_t key, Bytes value);
  Result<bool> erase(std::int64_t key);
  Result<void> free_subtree(PageNo number, std::uint16_t level);

 private:
  struct Step {
    PageNo number;
    std::uint32_t index = 0;  // of the child taken; in the leaf, where the key is or belongs
    bool left_edge = true;
    bool right_edge = true;
  };

  struct NewChild {
    std::int64_t key;
    PageNo number;
  };

  [[nodiscard]] std::uint16_t level_at(std::size_t position) const noexcept {
    return static_cast<std::uint16_t>(root_.depth - position - 1);
  }

  [[nodiscard]] std::uint16_t value_size_at(std::uint16_t level) const noexcept {
    return level == 0 ? root_.value_size : kFixedChildSize;
  }

  Result<bool> descend(std::int64_t key);
  Result<FixedNodeEditor> edit(PageNo number, std::uint16_t level);
  Result<FixedNodeEditor> add_node(std::uint16_t level);
  Result<void> free_node(PageNo number, std::uint16_t level);
  Result<void> insert(std::int64_t key, Bytes value);
  Result<NewChild> split(std::size_t position, FixedNodeEditor& node, std::uint32_t index,
                         std::int64_t key, Bytes value);
  Result<void> grow_root(const NewChild& right);
  Result<void> shrink();
  Result<void> remove_child(std::size_t parent_position, std::uint32_t index);
  Result<bool> merge_with_neighbour(std::size_t position);
  Result<bool> merge_children(std::size_t parent_position, std::uint32_t left_index);
  Result<void> shrink_root();

  PageWriter& pages_;
  TreeRoot& root_;
  std::array<Step, kTreeDepthMax> path_;
};

Result<bool> FixedTreeWriter::descend(std::int64_t key) {
  Step step{.number = PageNo(root_.root_page)};
  for (std::size_t position = 0; position + 1 < root_.depth; ++position) {
    RK_TRY_ASSIGN(const FixedNodeView node,
                  enter_fixed_node(pages_, root_, step.number, level_at(position)));
    step.index = node.child_index(key);
    path_[position] = step;
    step.number = node.child(step.index);
    step.left_edge = step.left_edge && step.index == 0;
    step.right_edge = step.right_edge && step.index + 1 == node.count();
  }
  RK_TRY_ASSIGN(const FixedNodeView leaf, enter_fixed_node(pages_, root_, step.number, 0));
  const FixedNodeSearch found = leaf.search(key);
  step.index = found.index;
  path_[root_.depth - 1U] = step;
  return found.found;
}

Result<FixedNodeEditor> FixedTreeWriter::edit(PageNo number, std::uint16_t level) {
  RK_TRY_ASSIGN(const MutablePage page, modify_page(pages_, number));
  return FixedNodeEditor::open(page, level, value_size_at(level));
}

Result<FixedNodeEditor> FixedTreeWriter::add_node(std::uint16_t level) {
  RK_TRY_ASSIGN(const MutablePage page,
                pages_.allocate({.type = fixed_tree_page_type(level), .owner = root_.owner}));
  ++(level == 0 ? root_.leaf_pages : root_.branch_pages);
  return FixedNodeEditor::format(page, level, value_size_at(level));
}

Result<void> FixedTreeWriter::free_node(PageNo number, std::uint16_t level) {
  RK_TRY(pages_.free(number));
  --(level == 0 ? root_.leaf_pages : root_.branch_pages);
  return {};
}

Result<void> FixedTreeWriter::put(std::int64_t key, Bytes value) {
  if (root_.depth == 0) {
    RK_TRY_ASSIGN(FixedNodeEditor leaf, add_node(0));
    leaf.insert(0, key, value);
    root_.root_page = leaf.number().value();
    root_.depth = 1;
    root_.entry_count = 1;
    return {};
  }
  RK_TRY_ASSIGN(const bool found, descend(key));
  if (!found) {
    ++root_.entry_count;
    return insert(key, value);
  }
  const Step& step = path_[root_.depth - 1U];
  RK_TRY_ASSIGN(FixedNodeEditor leaf, edit(step.number, 0));
  leaf.set_value(step.index, value);
  return {};
}

// Inserts at the leaf's place in path_, splitting upwards as needed.
Result<void> FixedTreeWriter::insert(std::int64_t key, Bytes value) {
  std::array<std::byte, kFixedChildSize> child{};
  std::size_t position = root_.depth - 1U;
  std::uint32_t index = path_[position].index;
  while (true) {
    RK_TRY_ASSIGN(FixedNodeEditor node, edit(path_[position].number, level_at(position)));
    if (!node.is_full()) {
      node.insert(index, key, value);
      return {};
    }
    RK_TRY_ASSIGN(const NewChild right, split(position, node, index, key, value));
    if (position == 0) {
      return grow_root(right);
    }
    save(child.data(), right.number.value());
    key = right.key;
    value = child;
    --position;
    index = path_[position].index + 1;
  }
}

// Keys that arrive in order, up or down, leave full pages behind; others leave two halves.
Result<FixedTreeWriter::NewChild> FixedTreeWriter::split(std::size_t position,
                                                         FixedNodeEditor& node, std::uint32_t index,
                                                         std::int64_t key, Bytes value) {
  RK_TRY_ASSIGN(FixedNodeEditor right, add_node(level_at(position)));
  const std::uint32_t count = node.count();
  std::uint32_t kept = count / 2;
  if (index == count && path_[position].right_edge) {
    kept = count;
  } else if (index == 0 && path_[position].left_edge) {
    kept = 0;
  }
  node.move_tail(kept, right);
  if (index > kept || kept == count) {
    right.insert(index - kept, key, value);
  } else {
    node.insert(index, key, value);
  }
  const NewChild added{.key = right.view().key(0), .number = right.number()};
  if (level_at(position) > 0) {
    right.set_key(0, kFirstKey);
  }
  return added;
}

Result<void> FixedTreeWriter::grow_root(const NewChild& right) {
  if (root_.depth == kTreeDepthMax) {
    return Error(ErrorCode::too_large, "a tree has too many levels");
  }
  RK_TRY_ASSIGN(FixedNodeEditor top, add_node(root_.depth));
  std::array<std::byte, kFixedChildSize> child{};
  save(child.data(), root_.root_page);
  top.insert(0, kFirstKey, child);
  save(child.data(), right.number.value());
  top.insert(1, right.key, child);
  root_.root_page = top.number().value();
  ++root_.depth;
  return {};
}

Result<bool> FixedTreeWriter::erase(std::int64_t key) {
  if (root_.depth == 0) {
    return false;
  }
  RK_TRY_ASSIGN(const bool found, descend(key));
  if (!found) {
    return false;
  }
  const Step& step = path_[root_.depth - 1U];
  RK_TRY_ASSIGN(FixedNodeEditor leaf, edit(step.number, 0));
  leaf.remove(step.index);
  --root_.entry_count;
  RK_TRY(shrink());
  return true;
}

// Repairs the path upwards after its leaf lost an entry: frees what is empty, merges what is small.
Result<void> FixedTreeWriter::shrink() {
  for (std::size_t position = root_.depth - 1U; position > 0; --position) {
    const std::uint16_t level = level_at(position);
    RK_TRY_ASSIGN(const MutablePage page, modify_page(pages_, path_[position].number));
    const std::uint32_t count = load<FixedNodeHeader>(page.content().data()).count;
    if (count == 0) {
      RK_TRY(free_node(page.number, level));
      RK_TRY(remove_child(position - 1, path_[position - 1].index));
      continue;
    }
    if (count >= fixed_node_capacity(value_size_at(level)) / 3) {
      return {};
    }
    RK_TRY_ASSIGN(const bool merged, merge_with_neighbour(position));
    if (!merged) {
      return {};
    }
  }
  return shrink_root();
}

Result<void> FixedTreeWriter::remove_child(std::size_t parent_position, std::uint32_t index) {
  RK_TRY_ASSIGN(FixedNodeEditor parent,
                edit(path_[parent_position].number, level_at(parent_position)));
  parent.remove(index);
  if (index == 0 && parent.count() > 0) {
    parent.set_key(0, kFirstKey);
  }
  return {};
}

Result<bool> FixedTreeWriter::merge_with_neighbour(std::size_t position) {
  const std::uint32_t index = path_[position - 1].index;
  RK_TRY_ASSIGN(
      const FixedNodeView parent,
      enter_fixed_node(pages_, root_, path_[position - 1].number, level_at(position - 1)));
  if (index + 1 < parent.count()) {
    RK_TRY_ASSIGN(const bool merged, merge_children(position - 1, index));
    if (merged) {
      return true;
    }
  }
  return index > 0 ? merge_children(position - 1, index - 1) : Result<bool>(false);
}

// Merges child `left_index` + 1 into child `left_index`, if they fit in one page.
Result<bool> FixedTreeWriter::merge_children(std::size_t parent_position,
                                             std::uint32_t left_index) {
  const auto level = static_cast<std::uint16_t>(level_at(parent_position) - 1);
  const PageNo parent_number = path_[parent_position].number;
  RK_TRY_ASSIGN(const FixedNodeView parent,
                enter_fixed_node(pages_, root_, parent_number, level_at(parent_position)));
  const PageNo left_number = parent.child(left_index);
  const PageNo right_number = parent.child(left_index + 1);
  const std::int64_t separator = parent.key(left_index + 1);
  if (left_number == right_number) {
    return corrupt_page(parent_number, "refers to one child twice");
  }
  RK_TRY_ASSIGN(const FixedNodeView left, enter_fixed_node(pages_, root_, left_number, level));
  RK_TRY_ASSIGN(const FixedNodeView right, enter_fixed_node(pages_, root_, right_number, level));
  const std::uint32_t left_count = left.count();
  if (left_count + right.count() > left.capacity()) {
    return false;
  }
  RK_TRY_ASSIGN(FixedNodeEditor target, edit(left_number, level));
  target.append_all(right);
  if (level > 0) {
    target.set_key(left_count, separator);
  }
  RK_TRY(free_node(right_number, level));
  RK_TRY(remove_child(parent_position, left_index + 1));
  return true;
}

Result<void> FixedTreeWriter::shrink_root() {
  while (root_.depth > 0) {
    const auto level = static_cast<std::uint16_t>(root_.depth - 1);
    const PageNo number(root_.root_page);
    RK_TRY_ASSIGN(
        const PageView page,
        enter_page(pages_, number, {.type = fixed_tree_page_type(level), .owner = root_.owner}));
    if (load<FixedNodeHeader>(page.content().data()).count == 0) {
      root_.root_page = 0;
      root_.depth = 0;
      return free_node(number, level);
    }
    RK_TRY_ASSIGN(const FixedNodeView node, FixedNodeView::open(page, level, value_size_at(level)));
    if (level == 0 || node.count() > 1) {
      return {};
    }
    root_.root_page = node.child(0).value();
    root_.depth = level;
    RK_TRY(free_node(number, level));
  }
  return {};
}

// NOLINTNEXTLINE(misc-no-recursion): `level` falls with each step and starts below kTreeDepthMax.
Result<void> FixedTreeWriter::free_subtree(PageNo number, std::uint16_t level) {
  RK_TRY_ASSIGN(const FixedNodeView node, enter_fixed_node(pages_, root_, number, level));
  for (std::uint32_t i = 0; level > 0 && i < node.count(); ++i) {
    RK_TRY(free_subtree(node.child(i), static_cast<std::uint16_t>(level - 1)));
  }
  return free_node(number, level);
}

}  // namespace

Result<void> MutableFixedTree::put(std::int64_t key, Bytes value) {
  RK_TRY(check_fixed_tree_root(*root_));
  RK_CHECK(value.size() == root_->value_size);
  return FixedTreeWriter(*pages_, *root_).put(key, value);
}

Result<bool> MutableFixedTree::erase(std::int64_t key) {
  RK_TRY(check_fixed_tree_root(*root_));
  return FixedTreeWriter(*pages_, *root_).erase(key);
}

Result<void> MutableFixedTree::clear() {
  RK_TRY(check_fixed_tree_root(*root_));
  if (root_->depth > 0) {
    RK_TRY(
        FixedTreeWriter(*pages_, *root_)
            .free_subtree(PageNo(root_->root_page), static_cast<std::uint16_t>(root_->depth - 1)));
  }
  *root_ = {.owner = root_->owner, .value_size = root_->value_size};
  return {};
}

}  // namespace rookery::store
