// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/store/catalog.h"
#include "rookery/store/table.h"

// Purpose. Everything about a table that changes: the roots of its rows and of each index. The
// write transaction keeps one per open table and stores encode() in the catalog when it commits;
// dropping it is the whole of a rollback.
// Threads: as its transaction.
// Source: docs/format/catalog.md.

namespace rookery::store {

struct TableIndexState {
  std::string name;
  IndexKind kind = IndexKind::kBytes;
  TreeRoot root;
};

struct TableState {
  std::uint64_t generation_next = 1;  // the next row's; its low 14 bits go into the storage id
  std::uint64_t fill_page = 0;  // rows go here first; 0: none. The only raw page not in `space`
  std::uint64_t raw_pages = 0;
  std::uint64_t large_rows = 0;  // rows in a run of their own
  std::uint64_t large_pages = 0;
  std::uint32_t rows_owner = 0;  // in the header of each page of rows
  TreeRoot space;                // fixed tree: every raw page but the fill page, by its room
  TreeRoot primary;
  std::vector<TableIndexState> secondary;  // in the order of the schema

  // How many structure ids create() takes, from `owner_first` on.
  [[nodiscard]] static std::uint32_t owner_count(const TableSchema& schema) noexcept;
  // A new, empty table. Requires: at most 255 secondary indexes, names of at most 255 bytes.
  [[nodiscard]] static TableState create(const TableSchema& schema, std::uint32_t owner_first);

  [[nodiscard]] std::string encode() const;
  // Errors: corrupt; incompatible (written by a later version). Enough for walking pages; call
  // bind() before using rows.
  [[nodiscard]] static Result<TableState> decode(Bytes bytes);
  // Puts the secondary indexes into the order of the schema, by name.
  // Errors: not_supported, if the stored indexes are not those of the schema.
  [[nodiscard]] Result<void> bind(const TableSchema& schema);
};

}  // namespace rookery::store
