// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/store/fixed_tree.h"
#include "rookery/store/page.h"
#include "rookery/store/table_state.h"

#include "raw_page.h"

// Purpose. The rows of a table: where they lie and where the next one goes. New rows go to the fill
// page until one does not fit; then to the tightest page with room, then to a new page. Every other
// page is in the space tree, by how much room it has, so none is forgotten and none is scanned for.
// Errors: as PageReader and PageWriter; corrupt, for an id that leads to no row.
// Source: docs/format/table.md.

namespace rookery::store {

// Room is counted in steps of this many bytes in the space tree, so that small changes of a page do
// not change the tree.
inline constexpr std::size_t kRoomStep = 64;

// A page's key in the space tree: room / kRoomStep, then the page number in 40 bits.
struct SpaceKey {
  std::uint64_t room_class = 0;
  PageNo page;
};

[[nodiscard]] std::int64_t encode_space_key(const SpaceKey& key) noexcept;
[[nodiscard]] SpaceKey decode_space_key(std::int64_t key) noexcept;
// Errors: corrupt.
[[nodiscard]] Result<RawPageView> enter_raw_page(PageReader& pages, std::uint32_t owner,
                                                 PageNo number);
[[nodiscard]] SpaceKey space_key_of(const RawPageView& page) noexcept;

// A run that holds one row.
struct LargeRow {
  Bytes bytes;
  std::uint32_t page_count;
};

[[nodiscard]] Result<LargeRow> enter_large_row(PageReader& pages, std::uint32_t owner,
                                               const RowPlace& place);
// The row that an id leads to, viewed in place.
[[nodiscard]] Result<Bytes> read_row(PageReader& pages, std::uint32_t owner, StorageId id);

class RawWriter {
 public:
  RawWriter(PageWriter& pages, TableState& state) : pages_(pages), state_(state) {}

  // Puts the row on any page but `avoid` (0: any). `row` must not point into this table's pages,
  // unless into the page `avoid`. Requires: row.size() <= kTableRowSizeMax.
  [[nodiscard]] Result<StorageId> insert(Bytes row, PageNo avoid = PageNo(0));
  // False, and nothing changed, if the row cannot stay where it is.
  [[nodiscard]] Result<bool> replace(StorageId id, Bytes row);
  [[nodiscard]] Result<void> erase(StorageId id);

 private:
  // A page that was just changed, and its key in the space tree before.
  struct Change {
    PageNo page;
    std::int64_t key_before;
  };

  [[nodiscard]] MutableFixedTree space() { return {pages_, state_.space}; }

  [[nodiscard]] std::uint16_t take_generation() noexcept;
  [[nodiscard]] Result<RawPageView> enter(PageNo number);
  [[nodiscard]] Result<RawPageEditor> edit(PageNo number);
  [[nodiscard]] Result<PageNo> choose_page(std::size_t row_size, PageNo avoid);
  [[nodiscard]] Result<std::optional<PageNo>> find_page(std::size_t row_size, PageNo avoid);
  [[nodiscard]] Result<PageNo> add_page();
  [[nodiscard]] Result<void> make_fill_page(PageNo number);
  [[nodiscard]] Result<void> note_change(const Change& change);
  [[nodiscard]] Result<StorageId> insert_large(Bytes row);
  [[nodiscard]] Result<bool> replace_large(const RowPlace& place, Bytes row);

  PageWriter& pages_;
  TableState& state_;
};

}  // namespace rookery::store
