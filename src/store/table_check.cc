// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rookery/base/check.h"

#include "check_support.h"
#include "raw_section.h"
#include "structure_check.h"
#include "table_access.h"

namespace rookery::store {
namespace {

// Purpose. One walk of a table: its pages of rows, then its primary index and through it every row,
// then the other indexes. With each row found under its own key in each index, and as many entries
// in the index as rows that have a key in it, index and rows agree both ways.
class TableChecker {
 public:
  TableChecker(PageReader& pages, const TableState& state, const TableSchema* schema,
               const StructureVisitor& visitor)
      : pages_(pages),
        state_(state),
        schema_(schema),
        visitor_(visitor),
        index_entries_(state.secondary.size(), 0) {}

  Result<void> run();

 private:
  void complain(std::string_view what) const {
    visitor_.problem(fmt::format("structure {}: {}", state_.rows_owner, what));
  }

  Result<void> check_raw_page(PageNo number, std::optional<std::int64_t> space_key);
  Result<void> check_slots(const RawPageView& page);
  Result<void> check_primary_entry(Bytes key, Bytes value);
  Result<std::optional<Bytes>> find_row(StorageId id);
  Result<void> check_keys(Bytes primary_key, Bytes row, StorageId id);
  Result<void> check_secondary(std::size_t i);

  PageReader& pages_;
  const TableState& state_;
  const TableSchema* schema_;
  const StructureVisitor& visitor_;
  std::vector<std::uint64_t> index_entries_;  // rows that have a key in each index
  std::uint64_t live_slots_ = 0;
  std::uint64_t raw_pages_ = 0;
  std::uint64_t large_rows_ = 0;
  std::uint64_t large_pages_ = 0;
};

Result<void> TableChecker::check_raw_page(PageNo number, std::optional<std::int64_t> space_key) {
  const Result<RawPageView> page = enter_raw_page(pages_, state_.rows_owner, number);
  if (!page.has_value()) {
    return blame(visitor_, state_.rows_owner, page.error());
  }
  RK_TRY_ASSIGN(const bool follow, visitor_.visit_page(number, 1));
  if (!follow) {
    return {};
  }
  ++raw_pages_;
  if (space_key && *space_key != encode_space_key(space_key_of(*page))) {
    complain(fmt::format("page {} is filed under the wrong room", number.value()));
  }
  return check_slots(*page);
}

Result<void> TableChecker::check_slots(const RawPageView& page) {
  std::uint64_t live = 0;
  std::size_t bytes = 0;
  for (std::uint32_t slot = 0; slot < page.header().slot_count; ++slot) {
    const auto row = page.row(slot);
    if (!row.has_value()) {
      RK_TRY(blame(visitor_, state_.rows_owner, row.error()));
      continue;
    }
    if (row->has_value()) {
      ++live;
      bytes += (*row)->bytes.size();
    }
  }
  const RawPageHeader header = page.header();
  if (live != header.live_count || live == 0) {
    complain(fmt::format("page {} has {} rows, {} stated", page.number().value(), live,
                         header.live_count));
  }
  if (bytes + header.garbage != kPageCapacity - header.heap_begin) {
    complain(fmt::format("the rows of page {} do not add up", page.number().value()));
  }
  live_slots_ += live;
  return {};
}

// The row, or nullopt after a problem was reported. Visits the run of a large row.
Result<std::optional<Bytes>> TableChecker::find_row(StorageId id) {
  const RowPlace place = decode_storage_id(id);
  if (place.slot == kLargeSlot) {
    const Result<LargeRow> row = enter_large_row(pages_, state_.rows_owner, place);
    if (!row.has_value()) {
      RK_TRY(blame(visitor_, state_.rows_owner, row.error()));
      return std::optional<Bytes>();
    }
    RK_TRY(visitor_.visit_page(place.page, row->page_count));
    ++large_rows_;
    large_pages_ += row->page_count;
    return std::optional<Bytes>(row->bytes);
  }
  const Result<Bytes> row = read_row(pages_, state_.rows_owner, id);
  if (!row.has_value()) {
    RK_TRY(blame(visitor_, state_.rows_owner, row.error()));
    return std::optional<Bytes>();
  }
  return std::optional<Bytes>(*row);
}

Result<void> TableChecker::check_primary_entry(Bytes key, Bytes value) {
  const Result<StorageId> id = load_storage_id(value);
  if (!id.has_value()) {
    return blame(visitor_, state_.primary.owner, id.error());
  }
  RK_TRY_ASSIGN(const std::optional<Bytes> row, find_row(*id));
  return row && schema_ != nullptr ? check_keys(key, *row, *id) : Result<void>();
}

Result<void> TableChecker::check_keys(Bytes primary_key, Bytes row, StorageId id) {
  KeyBuffer key;
  if (!schema_->primary.extract(row, key) || as_text(primary_key) != key) {
    complain("a row is filed under a primary key that is not its own");
  }
  for (std::size_t i = 0; i < state_.secondary.size(); ++i) {
    key.clear();
    if (!schema_->secondary[i].extract(row, key)) {
      continue;
    }
    ++index_entries_[i];
    const TableIndexState& index = state_.secondary[i];
    const Result<std::optional<StorageId>> found =
        find_in_index(pages_, index.kind, index.root, as_bytes(key));
    if (!found.has_value()) {
      if (!is_problem(found.error()) && found.error().code() != ErrorCode::invalid_argument) {
        return found.error();
      }
      complain(fmt::format("index '{}': {}", index.name, found.error().message()));
    } else if (*found != id) {
      complain(fmt::format("index '{}' lacks a row, or has another under its key", index.name));
    }
  }
  return {};
}

Result<void> TableChecker::check_secondary(std::size_t i) {
  const TableIndexState& index = state_.secondary[i];
  const auto check_value = [&](Bytes value) -> Result<void> {
    const Result<StorageId> id = load_storage_id(value);
    return id.has_value() ? Result<void>() : blame(visitor_, index.root.owner, id.error());
  };
  if (index.kind == IndexKind::kInt64) {
    RK_TRY(check_fixed_tree(pages_, index.root, visitor_,
                            [&](std::int64_t, Bytes value) { return check_value(value); }));
  } else {
    RK_TRY(check_tree(pages_, index.root, visitor_,
                      [&](Bytes, Bytes value) { return check_value(value); }));
  }
  if (schema_ != nullptr) {
    compare_count(visitor_, index.root.owner, "rows with a key", index_entries_[i],
                  index.root.entry_count);
  }
  return {};
}

Result<void> TableChecker::run() {
  if (state_.fill_page != 0) {
    RK_TRY(check_raw_page(PageNo(state_.fill_page), std::nullopt));
  }
  RK_TRY(check_fixed_tree(pages_, state_.space, visitor_, [&](std::int64_t key, Bytes) {
    return check_raw_page(decode_space_key(key).page, key);
  }));
  RK_TRY(check_tree(pages_, state_.primary, visitor_,
                    [&](Bytes key, Bytes value) { return check_primary_entry(key, value); }));
  for (std::size_t i = 0; i < state_.secondary.size(); ++i) {
    RK_TRY(check_secondary(i));
  }
  const std::uint32_t owner = state_.rows_owner;
  compare_count(visitor_, owner, "rows", live_slots_ + large_rows_, state_.primary.entry_count);
  compare_count(visitor_, owner, "pages of rows", raw_pages_, state_.raw_pages);
  compare_count(visitor_, owner, "large rows", large_rows_, state_.large_rows);
  compare_count(visitor_, owner, "pages of large rows", large_pages_, state_.large_pages);
  return {};
}

}  // namespace

Result<void> check_table(PageReader& pages, const TableState& state, const TableSchema* schema,
                         const StructureVisitor& visitor) {
  RK_CHECK(schema == nullptr || schema->secondary.size() == state.secondary.size());
  return TableChecker(pages, state, schema, visitor).run();
}

}  // namespace rookery::store
