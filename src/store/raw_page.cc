// SPDX-License-Identifier: Apache-2.0
#include "raw_page.h"

#include <array>
#include <cstring>

#include "rookery/base/check.h"

#include "page_access.h"

namespace rookery::store {
namespace {

std::size_t slot_offset(std::size_t index) noexcept {
  return sizeof(RawPageHeader) + sizeof(RawSlot) * index;
}

bool is_sane(const RawPageHeader& header) noexcept {
  return header.slot_count <= kSlotCountMax && header.live_count <= header.slot_count &&
         header.heap_begin <= kPageCapacity &&
         slot_offset(header.slot_count) <= header.heap_begin &&
         header.garbage <= kPageCapacity - header.heap_begin;
}

}  // namespace

StorageId encode_storage_id(const RowPlace& place) noexcept {
  RK_CHECK(place.page.value() < (std::uint64_t{1} << kStoragePageBits));
  RK_CHECK(place.slot <= kLargeSlot);
  RK_CHECK(place.generation < (1U << kStorageGenerationBits));
  return StorageId(place.page.value() << (kStorageSlotBits + kStorageGenerationBits) |
                   std::uint64_t{place.slot} << kStorageGenerationBits | place.generation);
}

RowPlace decode_storage_id(StorageId id) noexcept {
  constexpr std::uint64_t kGenerationMask = (std::uint64_t{1} << kStorageGenerationBits) - 1;
  const std::uint64_t bits = id.value();
  return {.page = PageNo(bits >> (kStorageSlotBits + kStorageGenerationBits)),
          .slot = static_cast<std::uint32_t>(bits >> kStorageGenerationBits) & kLargeSlot,
          .generation = static_cast<std::uint16_t>(bits & kGenerationMask)};
}

Result<RawPageView> RawPageView::open(PageView page) {
  const std::byte* content = page.data + kPageHeaderSize;
  const auto header = load<RawPageHeader>(content);
  if (!is_sane(header)) {
    return corrupt_page(PageNo(page.header().page_no), "its row page header cannot be");
  }
  return RawPageView(content, header);
}

PageNo RawPageView::number() const noexcept {
  return PageNo(load<PageHeader>(content_ - kPageHeaderSize).page_no);
}

std::size_t RawPageView::room() const noexcept {
  return header_.heap_begin - slot_offset(header_.slot_count) + header_.garbage;
}

bool RawPageView::has_room(std::size_t row_size) const noexcept {
  const bool reuses_slot = header_.live_count < header_.slot_count;
  if (!reuses_slot && header_.slot_count == kSlotCountMax) {
    return false;
  }
  return row_size + (reuses_slot ? 0 : sizeof(RawSlot)) <= room();
}

RawSlot RawPageView::slot(std::uint32_t index) const noexcept {
  RK_CHECK(index < header_.slot_count);
  return load<RawSlot>(content_ + slot_offset(index));
}

Result<std::optional<RawPageView::Row>> RawPageView::row(std::uint32_t index) const {
  const RawSlot found = slot(index);
  if (found.offset == 0) {
    return std::optional<Row>();
  }
  // An empty row has an offset, but no bytes that could be anywhere.
  if (found.size > 0 && (found.offset < slot_offset(header_.slot_count) ||
                         std::size_t{found.offset} + found.size > kPageCapacity)) {
    return corrupt_page(number(), "a row leaves its page");
  }
  const std::byte* bytes = found.size > 0 ? content_ + found.offset : content_;
  return std::optional<Row>(Row{.bytes = {bytes, found.size}, .generation = found.generation});
}

Result<RawPageEditor> RawPageEditor::open(const MutablePage& page) {
  RK_TRY(RawPageView::open(page.view()));
  return RawPageEditor(page);
}

RawPageEditor RawPageEditor::format(const MutablePage& page) noexcept {
  RawPageEditor editor(page);
  editor.set_header({.slot_count = 0,
                     .live_count = 0,
                     .heap_begin = static_cast<std::uint16_t>(kPageCapacity),
                     .garbage = 0,
                     .reserved = 0});
  return editor;
}

RawPageView RawPageEditor::view() const noexcept {
  return {content_, header()};
}

void RawPageEditor::set_slot(std::uint32_t index, const RawSlot& slot) noexcept {
  save(content_ + slot_offset(index), slot);
}

// Puts a row's bytes into an existing slot. Requires: room for them.
Result<void> RawPageEditor::place(std::uint32_t index, Bytes row, std::uint16_t generation) {
  if (header().heap_begin - slot_offset(header().slot_count) < row.size()) {
    RK_TRY(compact());
  }
  RawPageHeader now = header();
  if (now.heap_begin - slot_offset(now.slot_count) < row.size()) {
    return corrupt_page(number(), "its free bytes were counted wrong");
  }
  now.heap_begin = static_cast<std::uint16_t>(now.heap_begin - row.size());
  copy_bytes(content_ + now.heap_begin, row);
  set_slot(index, {.offset = now.heap_begin,
                   .size = static_cast<std::uint16_t>(row.size()),
                   .generation = generation});
  set_header(now);
  return {};
}

Result<std::uint32_t> RawPageEditor::insert(Bytes row, std::uint16_t generation) {
  RK_CHECK(view().has_room(row.size()));
  RawPageHeader now = header();
  std::uint32_t index = 0;
  while (index < now.slot_count && view().slot(index).offset != 0) {
    ++index;
  }
  if (index == now.slot_count) {
    if (now.live_count < now.slot_count || index == kSlotCountMax) {
      return corrupt_page(number(), "its live rows were counted wrong");
    }
    if (slot_offset(index + 1) > now.heap_begin) {
      RK_TRY(compact());
      now = header();
    }
    if (slot_offset(index + 1) > now.heap_begin) {
      return corrupt_page(number(), "its free bytes were counted wrong");
    }
    ++now.slot_count;
    set_slot(index, {});
  }
  ++now.live_count;
  set_header(now);
  RK_TRY(place(index, row, generation));
  return index;
}

// Counts a row's bytes as free; its slot is the caller's to set.
void RawPageEditor::drop_bytes(const RawSlot& slot) noexcept {
  RawPageHeader now = header();
  wipe({content_ + slot.offset, slot.size});
  if (slot.size > 0 && slot.offset == now.heap_begin) {
    now.heap_begin = static_cast<std::uint16_t>(now.heap_begin + slot.size);
  } else {
    now.garbage = static_cast<std::uint16_t>(now.garbage + slot.size);
  }
  set_header(now);
}

Result<void> RawPageEditor::erase(std::uint32_t index) {
  RK_TRY_ASSIGN(const auto found, view().row(index));
  RK_CHECK(found.has_value());
  drop_bytes(view().slot(index));
  set_slot(index, {});
  RawPageHeader now = header();
  if (now.live_count == 0) {
    return corrupt_page(number(), "its live rows were counted wrong");
  }
  --now.live_count;
  while (now.slot_count > 0 && view().slot(now.slot_count - 1U).offset == 0) {
    --now.slot_count;
    set_header(now);
  }
  set_header(now);
  if (!is_sane(now)) {
    return corrupt_page(number(), "its rows overlap");
  }
  return {};
}

Result<bool> RawPageEditor::replace(std::uint32_t index, Bytes row) {
  RK_TRY_ASSIGN(const auto found, view().row(index));
  RK_CHECK(found.has_value());
  RawSlot slot = view().slot(index);
  if (row.size() > slot.size + view().room()) {
    return false;
  }
  if (row.size() <= slot.size) {
    copy_bytes(content_ + slot.offset, row);
    wipe({content_ + slot.offset + row.size(), slot.size - row.size()});
    RawPageHeader now = header();
    now.garbage = static_cast<std::uint16_t>(now.garbage + slot.size - row.size());
    slot.size = static_cast<std::uint16_t>(row.size());
    set_slot(index, slot);
    set_header(now);
  } else {
    drop_bytes(slot);
    set_slot(index, {});
    RK_TRY(place(index, row, slot.generation));
  }
  if (!is_sane(header())) {
    return corrupt_page(number(), "its rows overlap");
  }
  return true;
}

Result<void> RawPageEditor::compact() {
  std::array<std::byte, kPageCapacity> copy;  // NOLINT(*-member-init): filled by the next line
  std::memcpy(copy.data(), content_, kPageCapacity);
  RawPageHeader now = header();
  const RawPageView old(copy.data(), now);
  const std::size_t floor = slot_offset(now.slot_count);
  std::size_t begin = kPageCapacity;
  for (std::uint32_t i = 0; i < now.slot_count; ++i) {
    RawSlot slot = old.slot(i);
    if (slot.offset == 0) {
      continue;
    }
    const bool inside =
        slot.offset >= floor && std::size_t{slot.offset} + slot.size <= kPageCapacity;
    if (slot.size > 0 && (!inside || slot.size > begin - floor)) {
      return corrupt_page(number(), "its rows overlap");
    }
    begin -= slot.size;
    copy_bytes(content_ + begin,
               slot.size > 0 ? Bytes(copy.data() + slot.offset, slot.size) : Bytes());
    slot.offset = static_cast<std::uint16_t>(begin);
    set_slot(i, slot);
  }
  wipe({content_ + floor, begin - floor});
  now.heap_begin = static_cast<std::uint16_t>(begin);
  now.garbage = 0;
  set_header(now);
  return {};
}

}  // namespace rookery::store
