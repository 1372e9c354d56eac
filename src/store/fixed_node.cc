// SPDX-License-Identifier: Apache-2.0
#include "fixed_node.h"

#include <cstring>

#include "rookery/base/check.h"

namespace rookery::store {
namespace {

constexpr std::size_t kKeySize = sizeof(std::int64_t);

std::size_t key_offset(std::uint32_t index) noexcept {
  return sizeof(FixedNodeHeader) + kKeySize * index;
}

std::size_t value_offset(std::uint32_t index, std::size_t value_size) noexcept {
  return key_offset(fixed_node_capacity(value_size)) + value_size * index;
}

}  // namespace

Result<FixedNodeView> FixedNodeView::open(PageView page, std::uint16_t level,
                                          std::uint16_t value_size) {
  RK_CHECK(value_size <= kFixedValueSizeMax);
  const std::byte* content = page.data + kPageHeaderSize;
  const auto header = load<FixedNodeHeader>(content);
  if (header.level != level || header.value_size != value_size || header.count == 0 ||
      header.count > fixed_node_capacity(value_size)) {
    return corrupt_page(PageNo(page.header().page_no), "its node header cannot be");
  }
  return FixedNodeView(content, header.count, value_size);
}

FixedNodeView FixedNodeView::with_count(PageView page, std::uint32_t count,
                                        std::uint16_t value_size) noexcept {
  RK_CHECK(count <= fixed_node_capacity(value_size));
  return {page.data + kPageHeaderSize, static_cast<std::uint16_t>(count), value_size};
}

std::int64_t FixedNodeView::key(std::uint32_t index) const noexcept {
  RK_CHECK(index < count_);
  return load<std::int64_t>(content_ + key_offset(index));
}

Bytes FixedNodeView::value(std::uint32_t index) const noexcept {
  RK_CHECK(index < count_);
  return {content_ + value_offset(index, value_size_), value_size_};
}

PageNo FixedNodeView::child(std::uint32_t index) const noexcept {
  RK_CHECK(value_size_ == kFixedChildSize);
  return PageNo(load<std::uint64_t>(value(index).data()));
}

std::uint32_t FixedNodeView::lower_bound(std::int64_t key, std::uint32_t first) const noexcept {
  std::uint32_t low = first;
  std::uint32_t high = count_;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (load<std::int64_t>(content_ + key_offset(middle)) < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

FixedNodeSearch FixedNodeView::search(std::int64_t sought) const noexcept {
  const std::uint32_t index = lower_bound(sought, 0);
  return {.index = index, .found = index < count_ && key(index) == sought};
}

std::uint32_t FixedNodeView::child_index(std::int64_t sought) const noexcept {
  const std::uint32_t index = lower_bound(sought, 1);
  return index < count_ && key(index) == sought ? index : index - 1;
}

Result<FixedNodeEditor> FixedNodeEditor::open(const MutablePage& page, std::uint16_t level,
                                              std::uint16_t value_size) {
  RK_TRY(FixedNodeView::open(page.view(), level, value_size));
  return FixedNodeEditor(page);
}

FixedNodeEditor FixedNodeEditor::format(const MutablePage& page, std::uint16_t level,
                                        std::uint16_t value_size) noexcept {
  FixedNodeEditor editor(page);
  save(editor.content_,
       FixedNodeHeader{
           .count = 0, .level = level, .value_size = value_size, .reserved_1 = 0, .reserved_2 = 0});
  return editor;
}

FixedNodeView FixedNodeEditor::view() const noexcept {
  const FixedNodeHeader now = header();
  return {content_, now.count, now.value_size};
}

void FixedNodeEditor::set_count(std::uint32_t count) noexcept {
  FixedNodeHeader now = header();
  now.count = static_cast<std::uint16_t>(count);
  save(content_, now);
}

std::byte* FixedNodeEditor::key_at(std::uint32_t index) noexcept {
  return content_ + key_offset(index);
}

std::byte* FixedNodeEditor::value_at(std::uint32_t index) noexcept {
  return content_ + value_offset(index, header().value_size);
}

void FixedNodeEditor::insert(std::uint32_t index, std::int64_t key, Bytes value) noexcept {
  const std::uint32_t now = count();
  RK_CHECK(!is_full());
  RK_CHECK(index <= now);
  RK_CHECK(value.size() == header().value_size);
  std::memmove(key_at(index + 1), key_at(index), kKeySize * (now - index));
  std::memmove(value_at(index + 1), value_at(index), value.size() * (now - index));
  save(key_at(index), key);
  copy_bytes(value_at(index), value);
  set_count(now + 1);
}

void FixedNodeEditor::remove(std::uint32_t index) noexcept {
  const std::uint32_t now = count();
  const std::size_t value_size = header().value_size;
  RK_CHECK(index < now);
  std::memmove(key_at(index), key_at(index + 1), kKeySize * (now - index - 1));
  std::memmove(value_at(index), value_at(index + 1), value_size * (now - index - 1));
  wipe({key_at(now - 1), kKeySize});
  wipe({value_at(now - 1), value_size});
  set_count(now - 1);
}

void FixedNodeEditor::set_key(std::uint32_t index, std::int64_t key) noexcept {
  RK_CHECK(index < count());
  save(key_at(index), key);
}

void FixedNodeEditor::set_value(std::uint32_t index, Bytes value) noexcept {
  RK_CHECK(index < count());
  RK_CHECK(value.size() == header().value_size);
  copy_bytes(value_at(index), value);
}

void FixedNodeEditor::append_all(const FixedNodeView& from) noexcept {
  const std::uint32_t now = count();
  RK_CHECK(from.content_ != content_);
  RK_CHECK(from.value_size_ == header().value_size);
  RK_CHECK(now + from.count_ <= from.capacity());
  std::memcpy(key_at(now), from.content_ + key_offset(0), kKeySize * from.count_);
  std::memcpy(value_at(now), from.content_ + value_offset(0, from.value_size_),
              std::size_t{from.value_size_} * from.count_);
  set_count(now + from.count_);
}

void FixedNodeEditor::move_tail(std::uint32_t first, FixedNodeEditor& to) noexcept {
  const std::uint32_t now = count();
  const std::uint32_t there = to.count();
  const std::size_t value_size = header().value_size;
  RK_CHECK(first <= now);
  RK_CHECK(to.content_ != content_);
  RK_CHECK(there + now - first <= view().capacity());
  std::memcpy(to.key_at(there), key_at(first), kKeySize * (now - first));
  std::memcpy(to.value_at(there), value_at(first), value_size * (now - first));
  wipe({key_at(first), kKeySize * (now - first)});
  wipe({value_at(first), value_size * (now - first)});
  to.set_count(there + now - first);
  set_count(first);
}

}  // namespace rookery::store
