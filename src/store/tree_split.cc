// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <vector>

#include "rookery/base/check.h"

#include "page_access.h"
#include "tree_node.h"

namespace rookery::store {
namespace {

// Bytes of the first `count` cells.
std::size_t size_of(const std::vector<NodeCell>& cells, std::size_t count) noexcept {
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    size += cells[i].size();
  }
  return size;
}

// How many of the cells stay left. Requires: two cells or more.
std::size_t split_point(const std::vector<NodeCell>& cells, std::size_t new_index,
                        SplitAt at) noexcept {
  switch (at) {
    case SplitAt::kNewLast:
      return cells.size() - 1;
    case SplitAt::kNewFirst:
      return 1;
    case SplitAt::kBehindNew: {
      // The new cell opens the right side if the left has no room for it; then what follows it is
      // smaller than it was, and the right side has room.
      const bool fits = size_of(cells, new_index + 1) <= kNodeSpace;
      return fits || new_index == 0 ? new_index + 1 : new_index;
    }
    case SplitAt::kMiddle:
      break;
  }
  const std::size_t total = size_of(cells, cells.size());
  // Both sides fit, because no cell is over a third of a page (kNodeCellSizeMax).
  std::size_t left = 0;
  std::size_t point = 0;
  while (point < cells.size() - 1 && left < total / 2) {
    left += cells[point++].size();
  }
  return point;
}

// The shortest key that is above `below` and not above `from`: what a parent needs to tell them
// apart.
Bytes shortest_separator(Bytes below, Bytes from) noexcept {
  std::size_t common = 0;
  while (common < below.size() && common < from.size() && below[common] == from[common]) {
    ++common;
  }
  return common < from.size() ? from.first(common + 1) : from;
}

}  // namespace

Result<std::string> split_node(NodeEditor& left, NodeEditor& right, const SplitRequest& request) {
  const NodeHeader header = left.header();
  RK_CHECK(right.header().count == 0);
  RK_CHECK(request.index <= header.count);
  std::array<std::byte, kPageCapacity> copy;  // NOLINT(*-member-init): filled by the next line
  std::memcpy(copy.data(), left.page().view().content().data(), kPageCapacity);
  const NodeView old(copy.data(), header.count);
  std::vector<NodeCell> cells;
  cells.reserve(header.count + 1U);
  for (std::uint32_t i = 0; i < header.count; ++i) {
    NodeCell cell;
    if (!old.try_cell(i, cell)) {
      return corrupt_page(left.number(), "a cell leaves its page");
    }
    cells.push_back(cell);
  }
  cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(request.index), request.cell);
  if (cells.size() < 2) {
    return corrupt_page(left.number(), "a full node of one cell");
  }
  const std::size_t point = split_point(cells, request.index, request.at);
  left = NodeEditor::format(left.page(), header.level);
  for (std::size_t i = 0; i < point; ++i) {
    RK_TRY(left.append(cells[i]));
  }
  const Bytes separator = header.level > 0
                              ? cells[point].key
                              : shortest_separator(cells[point - 1].key, cells[point].key);
  std::string separator_text(as_text(separator));
  if (header.level > 0) {
    cells[point].key = {};
  }
  for (std::size_t i = point; i < cells.size(); ++i) {
    RK_TRY(right.append(cells[i]));
  }
  return separator_text;
}

bool can_merge(const NodeView& left, const NodeView& right, Bytes separator,
               std::uint16_t level) noexcept {
  return left.used() + right.used() + (level > 0 ? separator.size() : 0) <= kNodeSpace;
}

Result<void> merge_node(NodeEditor& left, const NodeView& right, Bytes separator) {
  RK_CHECK(left.number() != right.number());
  const bool is_branch = left.header().level > 0;
  for (std::uint32_t i = 0; i < right.count(); ++i) {
    RK_TRY_ASSIGN(NodeCell cell, right.cell(i));
    if (i == 0 && is_branch) {
      cell.key = separator;
    }
    RK_TRY(left.append(cell));
  }
  return {};
}

}  // namespace rookery::store
