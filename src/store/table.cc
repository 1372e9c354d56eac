// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/table.h"

#include <limits>

#include "rookery/base/check.h"

#include "raw_section.h"
#include "table_access.h"

namespace rookery::store {

Result<StorageId> load_storage_id(Bytes value) {
  if (value.size() != sizeof(std::uint64_t)) {
    return Error(ErrorCode::corrupt, "an index holds something that is no storage id");
  }
  return StorageId(load<std::uint64_t>(value.data()));
}

Result<std::int64_t> load_int64_key(Bytes key) {
  if (key.size() != sizeof(std::int64_t)) {
    return Error(ErrorCode::invalid_argument, "an int64 index got a key of another size");
  }
  return load<std::int64_t>(key.data());
}

Result<void> check_index_key(IndexKind kind, Bytes key) {
  if (kind == IndexKind::kInt64) {
    RK_TRY(load_int64_key(key));
  } else if (key.empty() || key.size() > kKeySizeMax) {
    return Error(ErrorCode::invalid_argument, "a key must have 1 to 2025 bytes");
  }
  return {};
}

Result<std::optional<StorageId>> find_in_index(PageReader& pages, IndexKind kind,
                                               const TreeRoot& root, Bytes key) {
  std::optional<Bytes> value;
  if (kind == IndexKind::kInt64) {
    RK_TRY_ASSIGN(const std::int64_t number, load_int64_key(key));
    RK_TRY_ASSIGN(value, FixedTree(pages, root).get(number));
  } else {
    RK_TRY_ASSIGN(value, Tree(pages, root).get(key));
  }
  if (!value) {
    return std::optional<StorageId>();
  }
  RK_TRY_ASSIGN(const StorageId id, load_storage_id(*value));
  return std::optional<StorageId>(id);
}

namespace {

// The root of a secondary index of this kind.
const TreeRoot& secondary_root(const TableState& state, std::size_t index, IndexKind kind) {
  RK_CHECK(index < state.secondary.size());
  RK_CHECK(state.secondary[index].kind == kind);
  return state.secondary[index].root;
}

struct Scan {
  PageReader& pages;
  std::uint32_t rows_owner;
  bool descending;
};

Result<void> scan_tree(const Scan& scan, const TreeRoot& root, Bytes from,
                       const Table::Visitor& visit) {
  TreeCursor cursor = Tree(scan.pages, root).cursor();
  bool more = false;
  if (from.empty()) {
    RK_TRY_ASSIGN(more, scan.descending ? cursor.last() : cursor.first());
  } else {
    RK_TRY_ASSIGN(more, scan.descending ? cursor.seek_last_at_or_before(from) : cursor.seek(from));
  }
  while (more) {
    RK_TRY_ASSIGN(const TreeEntry entry, cursor.entry());
    RK_TRY_ASSIGN(const StorageId id, load_storage_id(entry.value));
    RK_TRY_ASSIGN(const Bytes row, read_row(scan.pages, scan.rows_owner, id));
    RK_TRY_ASSIGN(const bool wants_more, visit(entry.key, row));
    if (!wants_more) {
      return {};
    }
    RK_TRY_ASSIGN(more, scan.descending ? cursor.previous() : cursor.next());
  }
  return {};
}

}  // namespace

std::uint64_t Table::row_count() const noexcept {
  return state_ == nullptr ? 0 : state_->primary.entry_count;
}

Result<std::optional<Bytes>> Table::get(Bytes primary_key) const {
  if (state_ == nullptr) {
    return std::optional<Bytes>();
  }
  RK_TRY_ASSIGN(const std::optional<StorageId> id,
                find_in_index(*pages_, IndexKind::kBytes, state_->primary, primary_key));
  if (!id) {
    return std::optional<Bytes>();
  }
  RK_TRY_ASSIGN(const Bytes row, read_row(*pages_, state_->rows_owner, *id));
  return std::optional<Bytes>(row);
}

Result<std::optional<Bytes>> Table::get_by(std::size_t index, std::int64_t key) const {
  if (state_ == nullptr) {
    return std::optional<Bytes>();
  }
  const TreeRoot& root = secondary_root(*state_, index, IndexKind::kInt64);
  RK_TRY_ASSIGN(const std::optional<Bytes> value, FixedTree(*pages_, root).get(key));
  if (!value) {
    return std::optional<Bytes>();
  }
  RK_TRY_ASSIGN(const StorageId id, load_storage_id(*value));
  RK_TRY_ASSIGN(const Bytes row, read_row(*pages_, state_->rows_owner, id));
  return std::optional<Bytes>(row);
}

Result<void> Table::scan_primary(Bytes from, bool descending, const Visitor& visit) const {
  if (state_ == nullptr) {
    return {};
  }
  return scan_tree({*pages_, state_->rows_owner, descending}, state_->primary, from, visit);
}

Result<void> Table::scan_index(std::size_t index, Bytes from, bool descending,
                               const Visitor& visit) const {
  if (state_ == nullptr) {
    return {};
  }
  return scan_tree({*pages_, state_->rows_owner, descending},
                   secondary_root(*state_, index, IndexKind::kBytes), from, visit);
}

Result<void> Table::scan_int64(std::size_t index, std::int64_t from, bool descending,
                               const Int64Visitor& visit) const {
  if (state_ == nullptr) {
    return {};
  }
  const TreeRoot& root = secondary_root(*state_, index, IndexKind::kInt64);
  FixedTreeCursor cursor = FixedTree(*pages_, root).cursor();
  RK_TRY_ASSIGN(bool more, descending ? cursor.seek_last_at_or_before(from) : cursor.seek(from));
  while (more) {
    const FixedTreeEntry entry = cursor.entry();
    RK_TRY_ASSIGN(const StorageId id, load_storage_id(entry.value));
    RK_TRY_ASSIGN(const Bytes row, read_row(*pages_, state_->rows_owner, id));
    RK_TRY_ASSIGN(const bool wants_more, visit(entry.key, row));
    if (!wants_more) {
      return {};
    }
    RK_TRY_ASSIGN(more, descending ? cursor.previous() : cursor.next());
  }
  return {};
}

}  // namespace rookery::store
