// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/store/ids.h"
#include "rookery/store/page.h"

// Purpose. The inside of one page of rows (slots at the front, rows at the back), and the storage
//   ids that lead there. A row keeps its slot, hence its id, while it stays on its page.
// Owns: nothing; a RawPageView or RawPageEditor borrows its page.
// Errors: corrupt, for bytes that cannot be such a page; checked when a page is opened and a slot
//   is touched, so that no load leaves the page.
// Source: docs/format/table.md; STORE-INVARIANTS I29.

namespace rookery::store {

struct RawPageHeader {
  std::uint16_t slot_count;
  std::uint16_t live_count;  // slots that hold a row
  std::uint16_t heap_begin;  // lowest byte of the rows, from the content's start
  std::uint16_t garbage;     // bytes of the heap in no row
  std::uint64_t reserved;
};

static_assert(sizeof(RawPageHeader) == 16);
static_assert(std::is_trivially_copyable_v<RawPageHeader>);

struct RawSlot {
  std::uint16_t offset;  // from the content's start; 0: free
  std::uint16_t size;
  std::uint16_t generation;
};

static_assert(sizeof(RawSlot) == 6);
static_assert(std::is_trivially_copyable_v<RawSlot>);

inline constexpr std::size_t kRawSpace = kPageCapacity - sizeof(RawPageHeader);
// A larger row gets a run of its own: it would fill a page alone.
inline constexpr std::size_t kRawRowSizeMax = kRawSpace - sizeof(RawSlot);

// The first bytes of the content of a run that holds one row.
struct RawLargeHeader {
  std::uint64_t size;
  std::uint16_t generation;
  std::uint16_t reserved[3];
};

static_assert(sizeof(RawLargeHeader) == 16);
static_assert(std::is_trivially_copyable_v<RawLargeHeader>);

// A storage id is page (40 bits), slot (10), generation (14), from the highest bit down. The
// slot of a row in a run of its own is kLargeSlot.
inline constexpr std::uint32_t kStorageSlotBits = 10;
inline constexpr std::uint32_t kStorageGenerationBits = 14;
inline constexpr std::uint32_t kStoragePageBits = 40;
inline constexpr std::uint32_t kLargeSlot = (1U << kStorageSlotBits) - 1;
inline constexpr std::uint32_t kSlotCountMax = kLargeSlot;  // 0 to kLargeSlot - 1

struct RowPlace {
  PageNo page;
  std::uint32_t slot = 0;
  std::uint16_t generation = 0;
};

// Requires: page below 2^40, slot <= kLargeSlot, generation below 2^14.
[[nodiscard]] StorageId encode_storage_id(const RowPlace& place) noexcept;
[[nodiscard]] RowPlace decode_storage_id(StorageId id) noexcept;

class RawPageView {
 public:
  // Requires: enter_page() accepted the page.
  [[nodiscard]] static Result<RawPageView> open(PageView page);

  [[nodiscard]] RawPageHeader header() const noexcept { return header_; }

  [[nodiscard]] PageNo number() const noexcept;
  // Bytes that rows and new slots may still take, together.
  [[nodiscard]] std::size_t room() const noexcept;
  // Whether a new row of this size fits.
  [[nodiscard]] bool has_room(std::size_t row_size) const noexcept;

  // The row in a slot, nullopt if it is free. Requires: slot < slot_count.
  struct Row {
    Bytes bytes;
    std::uint16_t generation;
  };

  [[nodiscard]] Result<std::optional<Row>> row(std::uint32_t slot) const;

 private:
  friend class RawPageEditor;

  RawPageView(const std::byte* content, const RawPageHeader& header) noexcept
      : content_(content), header_(header) {}

  [[nodiscard]] RawSlot slot(std::uint32_t index) const noexcept;

  const std::byte* content_;
  RawPageHeader header_;
};

// Purpose. Changes such a page in place. After an error it is in no defined state.
class RawPageEditor {
 public:
  [[nodiscard]] static Result<RawPageEditor> open(const MutablePage& page);
  [[nodiscard]] static RawPageEditor format(const MutablePage& page) noexcept;

  [[nodiscard]] RawPageView view() const noexcept;

  [[nodiscard]] PageNo number() const noexcept { return page_.number; }

  // Returns the slot. Requires: view().has_room(row.size()); `row` is not on this page.
  [[nodiscard]] Result<std::uint32_t> insert(Bytes row, std::uint16_t generation);
  // Requires (both): the slot holds a row.
  [[nodiscard]] Result<void> erase(std::uint32_t slot);
  // False, and nothing changed, if the page has no room. Requires: `row` is not on this page.
  [[nodiscard]] Result<bool> replace(std::uint32_t slot, Bytes row);

 private:
  explicit RawPageEditor(const MutablePage& page) noexcept
      : page_(page), content_(page.data + kPageHeaderSize) {}

  [[nodiscard]] RawPageHeader header() const noexcept { return load<RawPageHeader>(content_); }

  void set_header(const RawPageHeader& header) noexcept { save(content_, header); }

  void set_slot(std::uint32_t index, const RawSlot& slot) noexcept;
  void drop_bytes(const RawSlot& slot) noexcept;
  [[nodiscard]] Result<void> place(std::uint32_t index, Bytes row, std::uint16_t generation);
  [[nodiscard]] Result<void> compact();

  MutablePage page_;
  std::byte* content_;
};

}  // namespace rookery::store
