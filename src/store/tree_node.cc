// SPDX-License-Identifier: Apache-2.0
#include "tree_node.h"

#include <array>
#include <cstring>

#include "rookery/base/check.h"

#include "page_access.h"

namespace rookery::store {
namespace {

constexpr std::uint16_t kOverflowMark = 0xFFFF;
constexpr std::uint16_t kInsertRunMax = 0xFFFF;

std::size_t slot_offset(std::uint32_t index) noexcept {
  return sizeof(NodeHeader) + kNodeSlotSize * index;
}

bool is_sane(const NodeHeader& header, std::uint16_t level) noexcept {
  return header.level == level && header.count > 0 && header.heap_begin <= kPageCapacity &&
         slot_offset(header.count) <= header.heap_begin &&
         header.garbage <= kPageCapacity - header.heap_begin;
}

std::size_t heap_size(const NodeCell& cell) noexcept {
  return cell.size() - kNodeSlotSize;
}

}  // namespace

Result<NodeView> NodeView::open(PageView page, std::uint16_t level) {
  const std::byte* content = page.data + kPageHeaderSize;
  const auto header = load<NodeHeader>(content);
  if (!is_sane(header, level)) {
    return corrupt_page(PageNo(page.header().page_no), "its node header cannot be");
  }
  return NodeView(content, header.count);
}

PageNo NodeView::number() const noexcept {
  return PageNo(load<PageHeader>(content_ - kPageHeaderSize).page_no);
}

std::size_t NodeView::used() const noexcept {
  const auto header = load<NodeHeader>(content_);
  return kPageCapacity - header.heap_begin - header.garbage + kNodeSlotSize * header.count;
}

bool NodeView::try_cell(std::uint32_t index, NodeCell& cell) const noexcept {
  const std::size_t begin = load<std::uint16_t>(content_ + slot_offset(index));
  if (begin < slot_offset(count_) || begin + kNodeCellHeaderSize > kPageCapacity) {
    return false;
  }
  const std::size_t key_size = load<std::uint16_t>(content_ + begin);
  const auto value_mark = load<std::uint16_t>(content_ + begin + 2);
  const std::size_t value_size =
      value_mark == kOverflowMark ? sizeof(OverflowReference) : value_mark;
  const std::byte* key = content_ + begin + kNodeCellHeaderSize;
  if (key_size > kKeySizeMax ||
      begin + kNodeCellHeaderSize + key_size + value_size > kPageCapacity) {
    return false;
  }
  cell = {.key = {key, key_size},
          .value = {key + key_size, value_size},
          .overflow = value_mark == kOverflowMark};
  return true;
}

std::optional<NodeSearch> NodeView::try_search(Bytes key, std::uint32_t first) const noexcept {
  std::uint32_t low = first;
  std::uint32_t high = count_;
  NodeCell cell;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (!try_cell(middle, cell)) {
      return std::nullopt;
    }
    const int order = compare_bytes(cell.key, key);
    if (order == 0) {
      return NodeSearch{.index = middle, .found = true};
    }
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NodeSearch{.index = low, .found = false};
}

Result<NodeCell> NodeView::cell(std::uint32_t index) const {
  RK_CHECK(index < count_);
  NodeCell cell;
  if (!try_cell(index, cell)) {
    return corrupt_page(number(), "a cell leaves its page");
  }
  return cell;
}

Result<NodeSearch> NodeView::search(Bytes key) const {
  const std::optional<NodeSearch> found = try_search(key, 0);
  if (!found) {
    return corrupt_page(number(), "a cell leaves its page");
  }
  return *found;
}

Result<std::uint32_t> NodeView::child_index(Bytes key) const {
  const std::optional<NodeSearch> found = try_search(key, 1);
  if (!found) {
    return corrupt_page(number(), "a cell leaves its page");
  }
  return found->found ? found->index : found->index - 1;
}

Result<PageNo> NodeView::child(std::uint32_t index) const {
  RK_TRY_ASSIGN(const NodeCell found, cell(index));
  if (found.overflow || found.value.size() != sizeof(std::uint64_t)) {
    return corrupt_page(number(), "a branch's cell names no child");
  }
  return PageNo(load<std::uint64_t>(found.value.data()));
}

Result<NodeEditor> NodeEditor::open(const MutablePage& page, std::uint16_t level) {
  RK_TRY(NodeView::open(page.view(), level));
  return NodeEditor(page);
}

NodeEditor NodeEditor::format(const MutablePage& page, std::uint16_t level) noexcept {
  NodeEditor editor(page);
  std::memset(editor.content_, 0, kPageCapacity);
  editor.set_header({.count = 0,
                     .heap_begin = static_cast<std::uint16_t>(kPageCapacity),
                     .garbage = 0,
                     .level = level,
                     .insert_last = 0,
                     .insert_run = 0,
                     .reserved = 0});
  return editor;
}

NodeView NodeEditor::view() const noexcept {
  return {content_, header().count};
}

NodeHeader NodeEditor::header() const noexcept {
  return load<NodeHeader>(content_);
}

void NodeEditor::set_header(const NodeHeader& header) noexcept {
  save(content_, header);
}

bool NodeEditor::has_room(const NodeCell& cell) const noexcept {
  return view().used() + cell.size() <= kNodeSpace;
}

Result<void> NodeEditor::insert(std::uint32_t index, const NodeCell& cell) {
  NodeHeader now = header();
  RK_CHECK(index <= now.count);
  RK_CHECK(cell.key.size() <= kKeySizeMax);
  RK_CHECK(cell.value.size() < kOverflowMark);
  if (slot_offset(now.count) + cell.size() > now.heap_begin) {
    RK_TRY(compact());
    now = header();
  }
  if (slot_offset(now.count) + cell.size() > now.heap_begin) {
    return corrupt_page(number(), "its free bytes were counted wrong");
  }
  const std::size_t begin = now.heap_begin - heap_size(cell);
  std::byte* to = content_ + begin;
  save(to, static_cast<std::uint16_t>(cell.key.size()));
  save(to + 2, cell.overflow ? kOverflowMark : static_cast<std::uint16_t>(cell.value.size()));
  copy_bytes(to + kNodeCellHeaderSize, cell.key);
  copy_bytes(to + kNodeCellHeaderSize + cell.key.size(), cell.value);
  std::byte* slot = content_ + slot_offset(index);
  std::memmove(slot + kNodeSlotSize, slot, kNodeSlotSize * (now.count - index));
  save(slot, static_cast<std::uint16_t>(begin));
  now.heap_begin = static_cast<std::uint16_t>(begin);
  ++now.count;
  set_header(now);
  return {};
}

Result<void> NodeEditor::append(const NodeCell& cell) {
  if (!has_room(cell)) {
    return corrupt_page(number(), "cells that cannot have come from one page");
  }
  return insert(header().count, cell);
}

Result<void> NodeEditor::remove(std::uint32_t index) {
  RK_TRY_ASSIGN(const NodeCell cell, view().cell(index));
  NodeHeader now = header();
  const std::size_t size = heap_size(cell);
  const auto begin = load<std::uint16_t>(content_ + slot_offset(index));
  wipe({content_ + begin, size});
  if (begin == now.heap_begin) {
    now.heap_begin = static_cast<std::uint16_t>(now.heap_begin + size);
  } else {
    now.garbage = static_cast<std::uint16_t>(now.garbage + size);
  }
  std::byte* slot = content_ + slot_offset(index);
  std::memmove(slot, slot + kNodeSlotSize, kNodeSlotSize * (now.count - index - 1U));
  --now.count;
  wipe({content_ + slot_offset(now.count), kNodeSlotSize});
  if (now.count == 0) {
    now.heap_begin = static_cast<std::uint16_t>(kPageCapacity);
    now.garbage = 0;
  }
  if (now.garbage > kPageCapacity - now.heap_begin) {
    return corrupt_page(number(), "its cells overlap");
  }
  set_header(now);
  return {};
}

Result<void> NodeEditor::overwrite_value(std::uint32_t index, Bytes value) {
  RK_TRY_ASSIGN(const NodeCell cell, view().cell(index));
  RK_CHECK(cell.value.size() == value.size());
  copy_bytes(content_ + (cell.value.data() - content_), value);
  return {};
}

Result<void> NodeEditor::drop_first_key() {
  RK_TRY_ASSIGN(const NodeCell cell, view().cell(0));
  std::array<std::byte, sizeof(std::uint64_t)> child{};
  if (cell.value.size() != child.size()) {
    return corrupt_page(number(), "a branch's cell names no child");
  }
  copy_bytes(child.data(), cell.value);
  RK_TRY(remove(0));
  const NodeCell bare{.key = {}, .value = child};
  return insert(0, bare);
}

std::uint16_t NodeEditor::note_insert(std::uint32_t index) noexcept {
  NodeHeader now = header();
  if (index != std::uint32_t{now.insert_last} + 1) {
    now.insert_run = 0;
  } else if (now.insert_run < kInsertRunMax) {
    ++now.insert_run;
  }
  now.insert_last = static_cast<std::uint16_t>(index);
  set_header(now);
  return now.insert_run;
}

void NodeEditor::set_insert_run(std::uint16_t run) noexcept {
  NodeHeader now = header();
  now.insert_run = run;
  set_header(now);
}

Result<void> NodeEditor::compact() {
  std::array<std::byte, kPageCapacity> copy;  // NOLINT(*-member-init): filled by the next line
  std::memcpy(copy.data(), content_, kPageCapacity);
  NodeHeader now = header();
  const NodeView old(copy.data(), now.count);
  std::size_t begin = kPageCapacity;
  NodeCell cell;
  for (std::uint32_t i = 0; i < now.count; ++i) {
    if (!old.try_cell(i, cell) || heap_size(cell) > begin - slot_offset(now.count)) {
      return corrupt_page(number(), "its cells overlap");
    }
    begin -= heap_size(cell);
    std::memcpy(content_ + begin, cell.key.data() - kNodeCellHeaderSize, heap_size(cell));
    save(content_ + slot_offset(i), static_cast<std::uint16_t>(begin));
  }
  wipe({content_ + slot_offset(now.count), begin - slot_offset(now.count)});
  now.heap_begin = static_cast<std::uint16_t>(begin);
  now.garbage = 0;
  set_header(now);
  return {};
}

}  // namespace rookery::store
