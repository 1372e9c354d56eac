// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/table_state.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "rookery/base/check.h"

namespace rookery::store {
namespace {

constexpr std::uint8_t kTableStateVersion = 1;
constexpr std::size_t kTextSizeMax = 255;
constexpr std::uint32_t kOwnersBeforeSecondary = 3;  // rows, space, primary

// The part of fixed size; docs/format/catalog.md has its picture.
struct TableRecord {
  std::uint8_t version;
  std::uint8_t index_count;
  std::uint16_t reserved;
  std::uint32_t rows_owner;
  std::uint64_t generation_next;
  std::uint64_t fill_page;
  std::uint64_t raw_pages;
  std::uint64_t large_rows;
  std::uint64_t large_pages;
  TreeRoot space;
  TreeRoot primary;
};

static_assert(sizeof(TableRecord) == 48 + 2 * sizeof(TreeRoot));
static_assert(std::is_trivially_copyable_v<TableRecord>);

template <typename T>
void append(std::string& to, const T& value) {
  std::byte bytes[sizeof(T)];
  save(bytes, value);
  to.append(as_text(bytes));
}

}  // namespace

std::uint32_t TableState::owner_count(const TableSchema& schema) noexcept {
  return kOwnersBeforeSecondary + static_cast<std::uint32_t>(schema.secondary.size());
}

TableState TableState::create(const TableSchema& schema, std::uint32_t owner_first) {
  RK_CHECK(schema.secondary.size() <= kTextSizeMax);
  RK_CHECK(schema.primary.kind == IndexKind::kBytes);
  TableState state;
  state.rows_owner = owner_first;
  state.space.owner = owner_first + 1;
  state.primary.owner = owner_first + 2;
  std::uint32_t owner = owner_first + kOwnersBeforeSecondary;
  for (const IndexSchema& index : schema.secondary) {
    RK_CHECK(index.name.size() <= kTextSizeMax);
    TableIndexState added{.name = std::string(index.name), .kind = index.kind, .root = {}};
    added.root.owner = owner++;
    if (index.kind == IndexKind::kInt64) {
      added.root.value_size = sizeof(std::uint64_t);
    }
    state.secondary.push_back(std::move(added));
  }
  return state;
}

std::string TableState::encode() const {
  RK_CHECK(secondary.size() <= kTextSizeMax);
  const TableRecord record{.version = kTableStateVersion,
                           .index_count = static_cast<std::uint8_t>(secondary.size()),
                           .reserved = 0,
                           .rows_owner = rows_owner,
                           .generation_next = generation_next,
                           .fill_page = fill_page,
                           .raw_pages = raw_pages,
                           .large_rows = large_rows,
                           .large_pages = large_pages,
                           .space = space,
                           .primary = primary};
  std::string bytes;
  append(bytes, record);
  for (const TableIndexState& index : secondary) {
    RK_CHECK(index.name.size() <= kTextSizeMax);
    append(bytes, index.kind);
    append(bytes, static_cast<std::uint8_t>(index.name.size()));
    bytes.append(index.name);
    append(bytes, index.root);
  }
  return bytes;
}

Result<TableState> TableState::decode(Bytes bytes) {
  if (!bytes.empty() && load<std::uint8_t>(bytes.data()) > kTableStateVersion) {
    return ErrorCode::incompatible;
  }
  if (bytes.size() < sizeof(TableRecord)) {
    return Error(ErrorCode::corrupt, "a table's record is cut short");
  }
  const auto record = load<TableRecord>(bytes.data());
  if (record.version != kTableStateVersion) {
    return Error(ErrorCode::corrupt, "a table's record has no version");
  }
  TableState state;
  state.generation_next = record.generation_next;
  state.fill_page = record.fill_page;
  state.raw_pages = record.raw_pages;
  state.large_rows = record.large_rows;
  state.large_pages = record.large_pages;
  state.rows_owner = record.rows_owner;
  state.space = record.space;
  state.primary = record.primary;
  if (state.space.value_size != 0) {
    return Error(ErrorCode::corrupt, "a table's space tree has values");
  }
  bytes = bytes.subspan(sizeof(TableRecord));
  for (std::size_t i = 0; i < record.index_count; ++i) {
    if (bytes.size() < 2) {
      return Error(ErrorCode::corrupt, "a table's record is cut short");
    }
    const auto kind = load<IndexKind>(bytes.data());
    const std::size_t name_size = load<std::uint8_t>(bytes.data() + 1);
    bytes = bytes.subspan(2);
    if ((kind != IndexKind::kBytes && kind != IndexKind::kInt64) ||
        bytes.size() < name_size + sizeof(TreeRoot)) {
      return Error(ErrorCode::corrupt, "a table's record names an index that cannot be");
    }
    state.secondary.push_back({.name = std::string(as_text(bytes.first(name_size))),
                               .kind = kind,
                               .root = load<TreeRoot>(bytes.data() + name_size)});
    bytes = bytes.subspan(name_size + sizeof(TreeRoot));
    if (kind == IndexKind::kInt64 &&
        state.secondary.back().root.value_size != sizeof(std::uint64_t)) {
      return Error(ErrorCode::corrupt, "an index of a table does not hold storage ids");
    }
  }
  if (!bytes.empty()) {
    return Error(ErrorCode::corrupt, "a table's record is too long");
  }
  return state;
}

Result<void> TableState::bind(const TableSchema& schema) {
  if (secondary.size() != schema.secondary.size()) {
    return Error(ErrorCode::not_supported, "the table's indexes are not those of its schema");
  }
  for (std::size_t i = 0; i < secondary.size(); ++i) {
    const IndexSchema& wanted = schema.secondary[i];
    const auto found = std::find_if(secondary.begin() + static_cast<std::ptrdiff_t>(i),
                                    secondary.end(), [&](const TableIndexState& index) {
                                      return index.name == wanted.name && index.kind == wanted.kind;
                                    });
    if (found == secondary.end()) {
      return Error(ErrorCode::not_supported, "the table's indexes are not those of its schema");
    }
    std::swap(secondary[i], *found);
  }
  return {};
}

}  // namespace rookery::store
