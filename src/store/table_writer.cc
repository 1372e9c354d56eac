// SPDX-License-Identifier: Apache-2.0
// Changes to tables: the row first, then every index whose key or storage id changed. All that
// can be refused is refused before the first change.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "rookery/base/check.h"
#include "rookery/store/table.h"

#include "raw_section.h"
#include "table_access.h"

namespace rookery::store {
namespace {

// The keys that a row has, or lacks, in one index.
struct IndexKeys {
  std::optional<KeyBuffer> before;
  std::optional<KeyBuffer> after;
};

std::optional<KeyBuffer> extract_key(const IndexSchema& index, Bytes row) {
  KeyBuffer key;
  if (!index.extract(row, key)) {
    return std::nullopt;
  }
  return key;
}

// Purpose. One change of one table.
class TableWriter {
 public:
  TableWriter(PageWriter& pages, const TableSchema& schema, TableState& state)
      : pages_(pages), schema_(schema), state_(state), rows_(pages, state) {
    RK_CHECK(state.secondary.size() == schema.secondary.size());
  }

  Result<void> put(Bytes row);
  Result<bool> erase(Bytes primary_key);
  Result<bool> move(Bytes primary_key);

 private:
  [[nodiscard]] Result<std::optional<StorageId>> find(Bytes primary_key);
  // The secondary keys of the row that goes and the row that comes; either may be missing.
  [[nodiscard]] Result<std::vector<IndexKeys>> secondary_keys(std::optional<Bytes> before,
                                                              std::optional<Bytes> after) const;
  // already_exists, if a key that comes belongs to another row.
  [[nodiscard]] Result<void> check_unique(const std::vector<IndexKeys>& keys);
  [[nodiscard]] Result<void> update_secondary(const std::vector<IndexKeys>& keys, bool id_changed,
                                              StorageId id);
  [[nodiscard]] Result<void> index_put(IndexKind kind, TreeRoot& root, Bytes key, StorageId id);
  [[nodiscard]] Result<void> index_erase(IndexKind kind, TreeRoot& root, Bytes key);

  PageWriter& pages_;
  const TableSchema& schema_;
  TableState& state_;
  RawWriter rows_;
};

Result<std::optional<StorageId>> TableWriter::find(Bytes primary_key) {
  return find_in_index(pages_, IndexKind::kBytes, state_.primary, primary_key);
}

Result<std::vector<IndexKeys>> TableWriter::secondary_keys(std::optional<Bytes> before,
                                                           std::optional<Bytes> after) const {
  std::vector<IndexKeys> keys;
  keys.reserve(schema_.secondary.size());
  for (const IndexSchema& index : schema_.secondary) {
    IndexKeys& pair = keys.emplace_back();
    if (before) {
      pair.before = extract_key(index, *before);
    }
    if (after) {
      pair.after = extract_key(index, *after);
    }
    if (pair.after) {
      RK_TRY(check_index_key(index.kind, as_bytes(*pair.after)));
    }
  }
  return keys;
}

Result<void> TableWriter::check_unique(const std::vector<IndexKeys>& keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!keys[i].after || keys[i].after == keys[i].before) {
      continue;
    }
    const TableIndexState& index = state_.secondary[i];
    RK_TRY_ASSIGN(const std::optional<StorageId> other,
                  find_in_index(pages_, index.kind, index.root, as_bytes(*keys[i].after)));
    if (other) {
      return Error(ErrorCode::already_exists,
                   "another row has the same key in index '" + index.name + "'");
    }
  }
  return {};
}

Result<void> TableWriter::index_put(IndexKind kind, TreeRoot& root, Bytes key, StorageId id) {
  std::array<std::byte, sizeof(std::uint64_t)> value{};
  save(value.data(), id.value());
  if (kind == IndexKind::kInt64) {
    RK_TRY_ASSIGN(const std::int64_t number, load_int64_key(key));
    return MutableFixedTree(pages_, root).put(number, value);
  }
  return MutableTree(pages_, root).put(key, value);
}

Result<void> TableWriter::index_erase(IndexKind kind, TreeRoot& root, Bytes key) {
  bool found = false;
  if (kind == IndexKind::kInt64) {
    RK_TRY_ASSIGN(const std::int64_t number, load_int64_key(key));
    RK_TRY_ASSIGN(found, MutableFixedTree(pages_, root).erase(number));
  } else {
    RK_TRY_ASSIGN(found, MutableTree(pages_, root).erase(key));
  }
  if (!found) {
    return Error(ErrorCode::corrupt, "an index lacks a row of its table");
  }
  return {};
}

Result<void> TableWriter::update_secondary(const std::vector<IndexKeys>& keys, bool id_changed,
                                           StorageId id) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const IndexKeys& pair = keys[i];
    TableIndexState& index = state_.secondary[i];
    const bool same_key = pair.before == pair.after;
    if (pair.before && !same_key) {
      RK_TRY(index_erase(index.kind, index.root, as_bytes(*pair.before)));
    }
    if (pair.after && (id_changed || !same_key)) {
      RK_TRY(index_put(index.kind, index.root, as_bytes(*pair.after), id));
    }
  }
  return {};
}

Result<void> TableWriter::put(Bytes row) {
  const std::optional<KeyBuffer> key = extract_key(schema_.primary, row);
  if (!key) {
    return Error(ErrorCode::invalid_argument, "a row has no primary key");
  }
  RK_TRY(check_index_key(IndexKind::kBytes, as_bytes(*key)));
  if (row.size() > kTableRowSizeMax) {
    return ErrorCode::too_large;
  }
  RK_TRY_ASSIGN(const std::optional<StorageId> found, find(as_bytes(*key)));
  std::optional<Bytes> before;
  if (found) {
    RK_TRY_ASSIGN(before, read_row(pages_, state_.rows_owner, *found));
  }
  // Copies: the old row is about to be overwritten.
  RK_TRY_ASSIGN(const std::vector<IndexKeys> keys, secondary_keys(before, row));
  RK_TRY(check_unique(keys));
  StorageId id;
  bool stays = false;
  if (found) {
    id = *found;
    RK_TRY_ASSIGN(stays, rows_.replace(id, row));
  }
  if (!stays) {
    if (found) {
      RK_TRY(rows_.erase(*found));
    }
    RK_TRY_ASSIGN(id, rows_.insert(row));
    RK_TRY(index_put(IndexKind::kBytes, state_.primary, as_bytes(*key), id));
  }
  return update_secondary(keys, !stays, id);
}

Result<bool> TableWriter::erase(Bytes primary_key) {
  RK_TRY_ASSIGN(const std::optional<StorageId> found, find(primary_key));
  if (!found) {
    return false;
  }
  // The key may point into the row.
  const KeyBuffer key(as_text(primary_key));
  RK_TRY_ASSIGN(const Bytes row, read_row(pages_, state_.rows_owner, *found));
  RK_TRY_ASSIGN(const std::vector<IndexKeys> keys, secondary_keys(row, std::nullopt));
  RK_TRY(update_secondary(keys, false, *found));
  RK_TRY(index_erase(IndexKind::kBytes, state_.primary, as_bytes(key)));
  RK_TRY(rows_.erase(*found));
  return true;
}

Result<bool> TableWriter::move(Bytes primary_key) {
  RK_TRY_ASSIGN(const std::optional<StorageId> found, find(primary_key));
  if (!found) {
    return false;
  }
  const KeyBuffer key(as_text(primary_key));
  RK_TRY_ASSIGN(const Bytes row, read_row(pages_, state_.rows_owner, *found));
  RK_TRY_ASSIGN(const std::vector<IndexKeys> keys, secondary_keys(row, row));
  RK_TRY_ASSIGN(const StorageId id, rows_.insert(row, decode_storage_id(*found).page));
  RK_TRY(rows_.erase(*found));
  RK_TRY(index_put(IndexKind::kBytes, state_.primary, as_bytes(key), id));
  RK_TRY(update_secondary(keys, true, id));
  return true;
}

}  // namespace

Result<void> MutableTable::put(Bytes row) {
  return TableWriter(*pages_, *schema_, *state_).put(row);
}

Result<bool> MutableTable::erase(Bytes primary_key) {
  return TableWriter(*pages_, *schema_, *state_).erase(primary_key);
}

Result<bool> MutableTable::move_row(Bytes primary_key) {
  return TableWriter(*pages_, *schema_, *state_).move(primary_key);
}

}  // namespace rookery::store
