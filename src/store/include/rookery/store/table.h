// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/store/catalog.h"
#include "rookery/store/fixed_tree.h"
#include "rookery/store/tree.h"

// Purpose. Rows of bytes in raw sections, found by a unique primary key and any number of secondary
// indexes. The schema says how to take each key out of a row, so that update, removal, moving and
// verify() need nothing but the row.
// Threads, Owns: as Tree. Views of rows live until the next change in the same transaction.
// Source: docs/format/table.md; STORE-INVARIANTS I29.

namespace rookery::store {

// Receives an index key; cleared before each use.
using KeyBuffer = std::string;

inline constexpr std::uint64_t kTableRowSizeMax = std::uint64_t{1} << 32;

enum class IndexKind : std::uint8_t {
  kBytes,  // byte keys; the schema makes them unique (append the primary key where needed)
  kInt64,  // unique int64 keys, in a fixed-size tree
};

struct IndexSchema {
  std::string_view name;
  IndexKind kind = IndexKind::kBytes;
  // kBytes: writes the key. kInt64: writes 8 bytes, native int64. False: this row is not in this
  // index.
  bool (*extract)(Bytes row, KeyBuffer& key) = nullptr;
};

struct TableSchema {
  std::string_view name;
  IndexSchema primary;  // kBytes; every row has a key
  std::span<const IndexSchema> secondary;
};

struct TableState;  // roots of the rows and indexes, kept by the transaction: table_state.h

class Table {
 public:
  Table(PageReader& pages, const TableSchema& schema, const TableState* state)
      : pages_(&pages), schema_(&schema), state_(state) {}

  [[nodiscard]] Result<std::optional<Bytes>> get(Bytes primary_key) const;
  [[nodiscard]] Result<std::optional<Bytes>> get_by(std::size_t index, std::int64_t key) const;
  [[nodiscard]] std::uint64_t row_count() const noexcept;

  // Visits rows in the order of the primary key from the first >= `from` on (or, descending, from
  // the last <= `from` backwards). The visitor returns false to stop; its error stops too.
  using Visitor = std::function<Result<bool>(Bytes key, Bytes row)>;
  [[nodiscard]] Result<void> scan_primary(Bytes from, bool descending, const Visitor& visit) const;
  // The same by a secondary kBytes index; `from` may be empty (all).
  [[nodiscard]] Result<void> scan_index(std::size_t index, Bytes from, bool descending,
                                        const Visitor& visit) const;
  // The same by a kInt64 index.
  using Int64Visitor = std::function<Result<bool>(std::int64_t key, Bytes row)>;
  [[nodiscard]] Result<void> scan_int64(std::size_t index, std::int64_t from, bool descending,
                                        const Int64Visitor& visit) const;

 private:
  PageReader* pages_;
  const TableSchema* schema_;
  const TableState* state_;  // null: the table does not exist yet, hence is empty
};

class MutableTable {
 public:
  MutableTable(PageWriter& pages, const TableSchema& schema, TableState& state)
      : pages_(&pages), schema_(&schema), state_(&state) {}

  [[nodiscard]] Table view() const { return {*pages_, *schema_, state_}; }

  // Inserts or replaces by primary key. `row` must not point into this table's own pages.
  // Errors, with nothing changed: already_exists, if another row has one of the secondary keys;
  // invalid_argument, if the row has no primary key, or a key of 0 or over kKeySizeMax bytes;
  // too_large, over kTableRowSizeMax bytes.
  [[nodiscard]] Result<void> put(Bytes row);
  // False if there was no such row.
  [[nodiscard]] Result<bool> erase(Bytes primary_key);
  // Puts the row somewhere else, as compaction does: off its page, into the tightest room that
  // there is. Nobody but the table's own indexes can tell. False if there was no such row.
  [[nodiscard]] Result<bool> move_row(Bytes primary_key);

 private:
  PageWriter* pages_;
  const TableSchema* schema_;
  TableState* state_;
};

}  // namespace rookery::store
