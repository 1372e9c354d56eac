// SPDX-License-Identifier: Apache-2.0
// Changes to byte-keyed trees. Pages keep their numbers when they change, so a change touches one
// leaf, and its ancestors only where a page is split, merged or freed.
#include <array>
#include <span>
#include <string>
#include <utility>

#include "rookery/base/check.h"
#include "rookery/store/tree.h"

#include "tree_access.h"

namespace rookery::store {
namespace {

// Inserts in a row, each right behind the one before, from which on a leaf in the middle of the
// tree is taken to receive ascending keys (those of one collection, say), and is left full by its
// split.
constexpr std::uint16_t kAscendingRunMin = 4;

// Purpose. One put or erase: the path to its leaf, and the repairs from there upwards.
class TreeWriter {
 public:
  TreeWriter(PageWriter& pages, TreeRoot& root) : pages_(pages), root_(root) {}

  Result<void> put(Bytes key, Bytes value);
  Result<bool> erase(Bytes key);
  Result<void> free_subtree(PageNo number, std::uint16_t level);

 private:
  struct Step {
    PageNo number;
    std::uint32_t index = 0;  // of the child taken; in the leaf, where the key is or belongs
    bool left_edge = true;
    bool right_edge = true;
  };

  // Position in path_ of the node at a level, root first.
  [[nodiscard]] std::uint16_t level_at(std::size_t position) const noexcept {
    return static_cast<std::uint16_t>(root_.depth - position - 1);
  }

  Result<bool> descend(Bytes key);
  Result<NodeEditor> edit(std::size_t position);
  Result<NodeEditor> add_node(std::uint16_t level);
  Result<void> start(const NodeCell& cell);
  Result<NodeCell> make_cell(Bytes key, Bytes value, OverflowReference& reference);
  Result<void> free_overflow(const NodeCell& cell);
  Result<void> insert(NodeCell cell);
  [[nodiscard]] SplitAt split_place(std::size_t position, std::uint32_t index,
                                    const NodeHeader& header) const noexcept;
  Result<void> grow_root(const NodeCell& right);
  Result<void> shrink();
  Result<void> remove_child(std::size_t parent_position, std::uint32_t index);
  Result<bool> merge_with_neighbour(std::size_t position);
  Result<bool> merge_children(std::size_t parent_position, std::uint32_t left_index);
  Result<void> shrink_root();
  Result<void> free_node(PageNo number, std::uint16_t level);

  PageWriter& pages_;
  TreeRoot& root_;
  std::array<Step, kTreeDepthMax> path_;
};

Result<bool> TreeWriter::descend(Bytes key) {
  Step step{.number = PageNo(root_.root_page)};
  for (std::size_t position = 0; position + 1 < root_.depth; ++position) {
    RK_TRY_ASSIGN(const NodeView node, enter_node(pages_, root_, step.number, level_at(position)));
    RK_TRY_ASSIGN(step.index, node.child_index(key));
    path_[position] = step;
    RK_TRY_ASSIGN(step.number, node.child(step.index));
    step.left_edge = step.left_edge && step.index == 0;
    step.right_edge = step.right_edge && step.index + 1 == node.count();
  }
  RK_TRY_ASSIGN(const NodeView leaf, enter_node(pages_, root_, step.number, 0));
  RK_TRY_ASSIGN(const NodeSearch found, leaf.search(key));
  step.index = found.index;
  path_[root_.depth - 1U] = step;
  return found.found;
}

Result<NodeEditor> TreeWriter::edit(std::size_t position) {
  RK_TRY_ASSIGN(const MutablePage page, modify_page(pages_, path_[position].number));
  return NodeEditor::open(page, level_at(position));
}

Result<NodeEditor> TreeWriter::add_node(std::uint16_t level) {
  RK_TRY_ASSIGN(const MutablePage page,
                pages_.allocate({.type = tree_page_type(level), .owner = root_.owner}));
  ++(level == 0 ? root_.leaf_pages : root_.branch_pages);
  return NodeEditor::format(page, level);
}

Result<void> TreeWriter::free_node(PageNo number, std::uint16_t level) {
  RK_TRY(pages_.free(number));
  --(level == 0 ? root_.leaf_pages : root_.branch_pages);
  return {};
}

Result<NodeCell> TreeWriter::make_cell(Bytes key, Bytes value, OverflowReference& reference) {
  NodeCell cell{.key = key, .value = value};
  if (cell.size() <= kNodeCellSizeMax) {
    return cell;
  }
  const std::uint64_t page_count = run_pages_for(value.size());
  RK_TRY_ASSIGN(const MutablePage run,
                pages_.allocate({.page_count = static_cast<std::uint32_t>(page_count),
                                 .type = PageType::kOverflow,
                                 .owner = root_.owner}));
  copy_bytes(run.content().data(), value);
  root_.overflow_pages += page_count;
  reference = {.page_no = run.number.value(), .size = value.size()};
  cell.value = std::as_bytes(std::span(&reference, 1));
  cell.overflow = true;
  return cell;
}

Result<void> TreeWriter::free_overflow(const NodeCell& cell) {
  if (!cell.overflow) {
    return {};
  }
  RK_TRY_ASSIGN(const OverflowRun overflow, enter_overflow(pages_, root_, cell));
  RK_TRY(pages_.free(overflow.number));
  root_.overflow_pages -= overflow.run.page_count;
  return {};
}

// The first entry.
Result<void> TreeWriter::start(const NodeCell& cell) {
  RK_TRY_ASSIGN(NodeEditor leaf, add_node(0));
  RK_TRY(leaf.append(cell));
  root_.root_page = leaf.number().value();
  root_.depth = 1;
  ++root_.entry_count;
  return {};
}

Result<void> TreeWriter::put(Bytes key, Bytes value) {
  RK_TRY(check_tree_root(root_));
  OverflowReference reference{};
  if (root_.depth == 0) {
    RK_TRY_ASSIGN(const NodeCell cell, make_cell(key, value, reference));
    return start(cell);
  }
  RK_TRY_ASSIGN(const bool found, descend(key));
  RK_TRY_ASSIGN(const NodeCell cell, make_cell(key, value, reference));
  if (!found) {
    ++root_.entry_count;
    return insert(cell);
  }
  const std::size_t position = root_.depth - 1U;
  RK_TRY_ASSIGN(NodeEditor leaf, edit(position));
  RK_TRY_ASSIGN(const NodeCell old, leaf.view().cell(path_[position].index));
  RK_TRY(free_overflow(old));
  if (old.overflow == cell.overflow && old.value.size() == cell.value.size()) {
    return leaf.overwrite_value(path_[position].index, cell.value);
  }
  const bool smaller = cell.size() < old.size();
  RK_TRY(leaf.remove(path_[position].index));
  if (!leaf.has_room(cell)) {
    return insert(cell);
  }
  RK_TRY(leaf.insert(path_[position].index, cell));
  return smaller ? shrink() : Result<void>();
}

SplitAt TreeWriter::split_place(std::size_t position, std::uint32_t index,
                                const NodeHeader& header) const noexcept {
  const Step& step = path_[position];
  const bool ascending = header.level == 0 && header.insert_run >= kAscendingRunMin;
  if (index == header.count && (step.right_edge || ascending)) {
    return SplitAt::kNewLast;
  }
  if (index == 0 && step.left_edge) {
    return SplitAt::kNewFirst;
  }
  if (ascending && index > 0) {
    return SplitAt::kBehindNew;
  }
  return SplitAt::kMiddle;
}

// Inserts at the leaf's place in path_, splitting upwards as needed.
Result<void> TreeWriter::insert(NodeCell cell) {
  std::string separator;
  std::array<std::byte, sizeof(std::uint64_t)> child{};
  std::size_t position = root_.depth - 1U;
  std::uint32_t index = path_[position].index;
  while (true) {
    RK_TRY_ASSIGN(NodeEditor node, edit(position));
    const std::uint16_t run = node.note_insert(index);
    if (node.has_room(cell)) {
      return node.insert(index, cell);
    }
    const NodeHeader header = node.header();
    const SplitAt at = split_place(position, index, header);
    RK_TRY_ASSIGN(NodeEditor right, add_node(header.level));
    // `cell` may borrow `separator`: the new one is taken only after the old was copied.
    RK_TRY_ASSIGN(std::string above,
                  split_node(node, right, {.index = index, .cell = cell, .at = at}));
    if (at == SplitAt::kNewLast) {
      right.set_insert_run(run);
    }
    separator = std::move(above);
    save(child.data(), right.number().value());
    cell = {.key = as_bytes(separator), .value = child};
    if (position == 0) {
      return grow_root(cell);
    }
    --position;
    index = path_[position].index + 1;
  }
}

Result<void> TreeWriter::grow_root(const NodeCell& right) {
  if (root_.depth == kTreeDepthMax) {
    return Error(ErrorCode::too_large, "a tree has too many levels");
  }
  RK_TRY_ASSIGN(NodeEditor top, add_node(root_.depth));
  std::array<std::byte, sizeof(std::uint64_t)> left{};
  save(left.data(), root_.root_page);
  RK_TRY(top.append({.key = {}, .value = left}));
  RK_TRY(top.append(right));
  root_.root_page = top.number().value();
  ++root_.depth;
  return {};
}

Result<bool> TreeWriter::erase(Bytes key) {
  RK_TRY(check_tree_root(root_));
  if (root_.depth == 0) {
    return false;
  }
  RK_TRY_ASSIGN(const bool found, descend(key));
  if (!found) {
    return false;
  }
  const std::size_t position = root_.depth - 1U;
  RK_TRY_ASSIGN(NodeEditor leaf, edit(position));
  RK_TRY_ASSIGN(const NodeCell cell, leaf.view().cell(path_[position].index));
  RK_TRY(free_overflow(cell));
  RK_TRY(leaf.remove(path_[position].index));
  --root_.entry_count;
  RK_TRY(shrink());
  return true;
}

// Repairs the path upwards after its leaf lost bytes: frees what is empty, merges what is small.
Result<void> TreeWriter::shrink() {
  for (std::size_t position = root_.depth - 1U; position > 0; --position) {
    RK_TRY_ASSIGN(const MutablePage page, modify_page(pages_, path_[position].number));
    if (load<NodeHeader>(page.content().data()).count == 0) {
      RK_TRY(free_node(page.number, level_at(position)));
      RK_TRY(remove_child(position - 1, path_[position - 1].index));
      continue;
    }
    RK_TRY_ASSIGN(const NodeView node, NodeView::open(page.view(), level_at(position)));
    if (node.used() >= kNodeUsedMin) {
      return {};
    }
    RK_TRY_ASSIGN(const bool merged, merge_with_neighbour(position));
    if (!merged) {
      return {};
    }
  }
  return shrink_root();
}

Result<void> TreeWriter::remove_child(std::size_t parent_position, std::uint32_t index) {
  RK_TRY_ASSIGN(NodeEditor parent, edit(parent_position));
  RK_TRY(parent.remove(index));
  if (index == 0 && parent.header().count > 0) {
    RK_TRY(parent.drop_first_key());
  }
  return {};
}

Result<bool> TreeWriter::merge_with_neighbour(std::size_t position) {
  const std::uint32_t index = path_[position - 1].index;
  RK_TRY_ASSIGN(const NodeView parent,
                enter_node(pages_, root_, path_[position - 1].number, level_at(position - 1)));
  if (index + 1 < parent.count()) {
    RK_TRY_ASSIGN(const bool merged, merge_children(position - 1, index));
    if (merged) {
      return true;
    }
  }
  return index > 0 ? merge_children(position - 1, index - 1) : Result<bool>(false);
}

// Merges child `left_index` + 1 into child `left_index`, if they fit in one page.
Result<bool> TreeWriter::merge_children(std::size_t parent_position, std::uint32_t left_index) {
  const auto level = static_cast<std::uint16_t>(level_at(parent_position) - 1);
  RK_TRY_ASSIGN(const NodeView parent, enter_node(pages_, root_, path_[parent_position].number,
                                                  level_at(parent_position)));
  RK_TRY_ASSIGN(const PageNo left_number, parent.child(left_index));
  RK_TRY_ASSIGN(const PageNo right_number, parent.child(left_index + 1));
  if (left_number == right_number) {
    return corrupt_page(parent.number(), "refers to one child twice");
  }
  RK_TRY_ASSIGN(const NodeCell between, parent.cell(left_index + 1));
  RK_TRY_ASSIGN(const NodeView left, enter_node(pages_, root_, left_number, level));
  RK_TRY_ASSIGN(const NodeView right, enter_node(pages_, root_, right_number, level));
  if (!can_merge(left, right, between.key, level)) {
    return false;
  }
  RK_TRY_ASSIGN(const MutablePage page, modify_page(pages_, left_number));
  RK_TRY_ASSIGN(NodeEditor target, NodeEditor::open(page, level));
  RK_TRY(merge_node(target, right, between.key));
  RK_TRY(free_node(right_number, level));
  RK_TRY(remove_child(parent_position, left_index + 1));
  return true;
}

Result<void> TreeWriter::shrink_root() {
  while (root_.depth > 0) {
    const auto level = static_cast<std::uint16_t>(root_.depth - 1);
    const PageNo number(root_.root_page);
    RK_TRY_ASSIGN(
        const PageView page,
        enter_page(pages_, number, {.type = tree_page_type(level), .owner = root_.owner}));
    if (load<NodeHeader>(page.content().data()).count == 0) {
      root_.root_page = 0;
      root_.depth = 0;
      return free_node(number, level);
    }
    RK_TRY_ASSIGN(const NodeView node, NodeView::open(page, level));
    if (level == 0 || node.count() > 1) {
      return {};
    }
    RK_TRY_ASSIGN(const PageNo child, node.child(0));
    root_.root_page = child.value();
    root_.depth = level;
    RK_TRY(free_node(number, level));
  }
  return {};
}

// NOLINTNEXTLINE(misc-no-recursion): `level` falls with each step and starts below kTreeDepthMax.
Result<void> TreeWriter::free_subtree(PageNo number, std::uint16_t level) {
  RK_TRY_ASSIGN(const NodeView node, enter_node(pages_, root_, number, level));
  for (std::uint32_t i = 0; i < node.count(); ++i) {
    if (level > 0) {
      RK_TRY_ASSIGN(const PageNo child, node.child(i));
      RK_TRY(free_subtree(child, static_cast<std::uint16_t>(level - 1)));
    } else {
      RK_TRY_ASSIGN(const NodeCell cell, node.cell(i));
      RK_TRY(free_overflow(cell));
    }
  }
  return free_node(number, level);
}

}  // namespace

Result<void> MutableTree::put(Bytes key, Bytes value) {
  if (key.empty() || key.size() > kKeySizeMax) {
    return Error(ErrorCode::invalid_argument, "a key must have 1 to 2025 bytes");
  }
  if (value.size() > kRunContentSizeMax) {
    return ErrorCode::too_large;
  }
  return TreeWriter(*pages_, *root_).put(key, value);
}

Result<bool> MutableTree::erase(Bytes key) {
  return TreeWriter(*pages_, *root_).erase(key);
}

Result<void> MutableTree::clear() {
  RK_TRY(check_tree_root(*root_));
  if (root_->depth > 0) {
    RK_TRY(
        TreeWriter(*pages_, *root_)
            .free_subtree(PageNo(root_->root_page), static_cast<std::uint16_t>(root_->depth - 1)));
  }
  *root_ = {.owner = root_->owner, .value_size = root_->value_size};
  return {};
}

}  // namespace rookery::store
