// SPDX-License-Identifier: Apache-2.0
#include "raw_section.h"

#include <cstring>

#include "rookery/base/check.h"

#include "page_access.h"

namespace rookery::store {
namespace {

// Pages whose step of room may or may not hold the row; looked at before a page is taken that is
// sure to, so that a hole just as big as the row is found again.
constexpr int kTightCandidatesMax = 4;

// The row must exist and have the id's generation.
Result<RawPageView::Row> find_row(const RawPageView& page, const RowPlace& place) {
  if (place.slot < page.header().slot_count) {
    RK_TRY_ASSIGN(const auto row, page.row(place.slot));
    if (row.has_value() && row->generation == place.generation) {
      return *row;
    }
  }
  return corrupt_page(place.page, "a storage id leads to no row");
}

}  // namespace

Result<RawPageView> enter_raw_page(PageReader& pages, std::uint32_t owner, PageNo number) {
  RK_TRY_ASSIGN(const PageView page,
                enter_page(pages, number, {.type = PageType::kRaw, .owner = owner}));
  return RawPageView::open(page);
}

std::int64_t encode_space_key(const SpaceKey& key) noexcept {
  RK_CHECK(key.page.value() < (std::uint64_t{1} << kStoragePageBits));
  RK_CHECK(key.room_class <= kPageCapacity / kRoomStep + 1);  // + 1: more than any page has
  return static_cast<std::int64_t>(key.room_class << kStoragePageBits | key.page.value());
}

SpaceKey decode_space_key(std::int64_t key) noexcept {
  const auto bits = static_cast<std::uint64_t>(key);
  return {.room_class = bits >> kStoragePageBits,
          .page = PageNo(bits & ((std::uint64_t{1} << kStoragePageBits) - 1))};
}

SpaceKey space_key_of(const RawPageView& page) noexcept {
  return {.room_class = page.room() / kRoomStep, .page = page.number()};
}

Result<LargeRow> enter_large_row(PageReader& pages, std::uint32_t owner, const RowPlace& place) {
  RK_CHECK(place.slot == kLargeSlot);
  RK_TRY_ASSIGN(const PageView run,
                enter_run(pages, place.page, {.type = PageType::kRawLarge, .owner = owner}));
  const auto header = load<RawLargeHeader>(run.content().data());
  if (header.generation != place.generation || header.size > kTableRowSizeMax ||
      run_pages_for(header.size + sizeof(RawLargeHeader)) != run.page_count) {
    return corrupt_page(place.page, "a storage id leads to no row");
  }
  return LargeRow{.bytes = run.content().subspan(sizeof(RawLargeHeader), header.size),
                  .page_count = run.page_count};
}

Result<Bytes> read_row(PageReader& pages, std::uint32_t owner, StorageId id) {
  const RowPlace place = decode_storage_id(id);
  if (place.slot == kLargeSlot) {
    RK_TRY_ASSIGN(const LargeRow row, enter_large_row(pages, owner, place));
    return row.bytes;
  }
  RK_TRY_ASSIGN(const RawPageView page, enter_raw_page(pages, owner, place.page));
  RK_TRY_ASSIGN(const RawPageView::Row row, find_row(page, place));
  return row.bytes;
}

// Ids differ at least until the generation has gone round, wherever the row lies.
std::uint16_t RawWriter::take_generation() noexcept {
  return static_cast<std::uint16_t>(state_.generation_next++ &
                                    ((1U << kStorageGenerationBits) - 1));
}

Result<RawPageView> RawWriter::enter(PageNo number) {
  return enter_raw_page(pages_, state_.rows_owner, number);
}

Result<RawPageEditor> RawWriter::edit(PageNo number) {
  RK_TRY(enter(number));
  RK_TRY_ASSIGN(const MutablePage page, modify_page(pages_, number));
  return RawPageEditor::open(page);
}

Result<StorageId> RawWriter::insert(Bytes row, PageNo avoid) {
  if (row.size() > kRawRowSizeMax) {
    return insert_large(row);
  }
  RK_TRY_ASSIGN(const PageNo number, choose_page(row.size(), avoid));
  RK_TRY_ASSIGN(RawPageEditor page, edit(number));
  const std::int64_t key_before = encode_space_key(space_key_of(page.view()));
  const std::uint16_t generation = take_generation();
  RK_TRY_ASSIGN(const std::uint32_t slot, page.insert(row, generation));
  RK_TRY(note_change({.page = number, .key_before = key_before}));
  return encode_storage_id({.page = number, .slot = slot, .generation = generation});
}

// A page with room for the row.
Result<PageNo> RawWriter::choose_page(std::size_t row_size, PageNo avoid) {
  const PageNo fill(state_.fill_page);
  if (fill.value() != 0 && fill != avoid) {
    RK_TRY_ASSIGN(const RawPageView page, enter(fill));
    if (page.has_room(row_size)) {
      return fill;
    }
  }
  RK_TRY_ASSIGN(const std::optional<PageNo> found, find_page(row_size, avoid));
  if (found) {
    return *found;
  }
  RK_TRY_ASSIGN(const PageNo added, add_page());
  RK_TRY(make_fill_page(added));
  return added;
}

// The tightest page of the space tree with room for the row.
Result<std::optional<PageNo>> RawWriter::find_page(std::size_t row_size, PageNo avoid) {
  FixedTreeCursor cursor = space().view().cursor();
  const std::uint64_t class_tight = row_size / kRoomStep;
  const std::uint64_t class_sure = (row_size + sizeof(RawSlot) + kRoomStep - 1) / kRoomStep;
  RK_TRY_ASSIGN(bool more, cursor.seek(encode_space_key({.room_class = class_tight, .page = {}})));
  int looked_at = 0;
  while (more) {
    const SpaceKey key = decode_space_key(cursor.entry().key);
    if (key.room_class < class_sure && looked_at++ == kTightCandidatesMax) {
      RK_TRY_ASSIGN(more, cursor.seek(encode_space_key({.room_class = class_sure, .page = {}})));
      continue;
    }
    if (key.page != avoid) {
      RK_TRY_ASSIGN(const RawPageView page, enter(key.page));
      if (page.has_room(row_size)) {
        return std::optional<PageNo>(key.page);
      }
      // A page sure to have the room lacks only a slot: its rows have a byte or none each, and no
      // table has more than one page of those, as keys are unique.
    }
    RK_TRY_ASSIGN(more, cursor.next());
  }
  return std::optional<PageNo>();
}

Result<PageNo> RawWriter::add_page() {
  RK_TRY_ASSIGN(const MutablePage page,
                pages_.allocate({.type = PageType::kRaw, .owner = state_.rows_owner}));
  if (page.number.value() >> kStoragePageBits != 0) {
    return Error(ErrorCode::too_large, "a table's page has a number that no storage id can hold");
  }
  static_cast<void>(RawPageEditor::format(page));
  ++state_.raw_pages;
  return page.number;
}

// The old fill page goes into the space tree. Requires: `number` is not in it.
Result<void> RawWriter::make_fill_page(PageNo number) {
  const PageNo before(state_.fill_page);
  if (before.value() != 0) {
    RK_TRY_ASSIGN(const RawPageView page, enter(before));
    RK_TRY(space().put(encode_space_key(space_key_of(page)), {}));
  }
  state_.fill_page = number.value();
  return {};
}

// Keeps the space tree right after a change of a page's rows; frees a page that has none left.
Result<void> RawWriter::note_change(const Change& change) {
  RK_TRY_ASSIGN(const RawPageView page, enter(change.page));
  const bool is_fill = change.page.value() == state_.fill_page;
  const bool is_empty = page.header().live_count == 0;
  const std::int64_t key = encode_space_key(space_key_of(page));
  if (!is_fill && (is_empty || key != change.key_before)) {
    RK_TRY_ASSIGN(const bool was_there, space().erase(change.key_before));
    if (!was_there) {
      return corrupt_page(change.page, "not in its table's space tree");
    }
    if (!is_empty) {
      RK_TRY(space().put(key, {}));
    }
  }
  if (is_empty) {
    if (is_fill) {
      state_.fill_page = 0;
    }
    --state_.raw_pages;
    RK_TRY(pages_.free(change.page));
  }
  return {};
}

Result<bool> RawWriter::replace(StorageId id, Bytes row) {
  const RowPlace place = decode_storage_id(id);
  if (place.slot == kLargeSlot) {
    return replace_large(place, row);
  }
  if (row.size() > kRawRowSizeMax) {
    return false;
  }
  RK_TRY_ASSIGN(const RawPageView before, enter(place.page));
  RK_TRY_ASSIGN(const RawPageView::Row old, find_row(before, place));
  if (row.size() > old.bytes.size() + before.room()) {
    return false;
  }
  const std::int64_t key_before = encode_space_key(space_key_of(before));
  RK_TRY_ASSIGN(RawPageEditor page, edit(place.page));
  RK_TRY_ASSIGN(const bool stays, page.replace(place.slot, row));
  if (!stays) {
    return corrupt_page(place.page, "its free bytes were counted wrong");
  }
  RK_TRY(note_change({.page = place.page, .key_before = key_before}));
  return true;
}

Result<void> RawWriter::erase(StorageId id) {
  const RowPlace place = decode_storage_id(id);
  if (place.slot == kLargeSlot) {
    RK_TRY_ASSIGN(const LargeRow row, enter_large_row(pages_, state_.rows_owner, place));
    --state_.large_rows;
    state_.large_pages -= row.page_count;
    return pages_.free(place.page);
  }
  RK_TRY_ASSIGN(const RawPageView before, enter(place.page));
  RK_TRY(find_row(before, place));
  const std::int64_t key_before = encode_space_key(space_key_of(before));
  RK_TRY_ASSIGN(RawPageEditor page, edit(place.page));
  RK_TRY(page.erase(place.slot));
  return note_change({.page = place.page, .key_before = key_before});
}

Result<StorageId> RawWriter::insert_large(Bytes row) {
  RK_CHECK(row.size() <= kTableRowSizeMax);
  const std::uint64_t page_count = run_pages_for(row.size() + sizeof(RawLargeHeader));
  RK_TRY_ASSIGN(const MutablePage run,
                pages_.allocate({.page_count = static_cast<std::uint32_t>(page_count),
                                 .type = PageType::kRawLarge,
                                 .owner = state_.rows_owner}));
  if (run.number.value() >> kStoragePageBits != 0) {
    return Error(ErrorCode::too_large, "a table's page has a number that no storage id can hold");
  }
  const std::uint16_t generation = take_generation();
  save(run.content().data(),
       RawLargeHeader{.size = row.size(), .generation = generation, .reserved = {}});
  copy_bytes(run.content().data() + sizeof(RawLargeHeader), row);
  ++state_.large_rows;
  state_.large_pages += page_count;
  return encode_storage_id({.page = run.number, .slot = kLargeSlot, .generation = generation});
}

// A large row stays where it is as long as it needs a run of the same length.
Result<bool> RawWriter::replace_large(const RowPlace& place, Bytes row) {
  RK_TRY_ASSIGN(const LargeRow old, enter_large_row(pages_, state_.rows_owner, place));
  if (row.size() <= kRawRowSizeMax ||
      run_pages_for(row.size() + sizeof(RawLargeHeader)) != old.page_count) {
    return false;
  }
  RK_TRY_ASSIGN(const MutablePage run, pages_.modify(place.page));
  RK_CHECK(run.page_count == old.page_count);
  std::byte* content = run.content().data();
  save(content, RawLargeHeader{.size = row.size(), .generation = place.generation, .reserved = {}});
  copy_bytes(content + sizeof(RawLargeHeader), row);
  if (row.size() < old.bytes.size()) {
    std::memset(content + sizeof(RawLargeHeader) + row.size(), 0, old.bytes.size() - row.size());
  }
  return true;
}

}  // namespace rookery::store
