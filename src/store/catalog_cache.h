// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/store/catalog.h"
#include "rookery/store/page.h"
#include "rookery/store/table_state.h"

#include "meta.h"

// Purpose. The named structures of one transaction: read from the catalog when first asked for,
// kept at one address since, written back when it commits.
// Threads: as the transaction.
// Errors: invalid_argument (the name is of another kind, or its values of another size), corrupt.
// Source: docs/format/catalog.md.

namespace rookery::store {

// What the catalog has under one name.
struct CatalogEntry {
  StructureKind kind = StructureKind::kTree;
  TreeRoot root;     // trees and fixed trees
  TableState table;  // tables
};

[[nodiscard]] std::string encode_catalog_entry(const CatalogEntry& entry);
[[nodiscard]] Result<CatalogEntry> decode_catalog_entry(Bytes bytes);

class CatalogCache {
 public:
  // Borrows both. `root` is the catalog's own; save() changes it.
  CatalogCache(PageReader& pages, const TreeRoot& root) : pages_(pages), root_(root) {}

  // A structure that does not exist is an empty one, and is not created by a commit.
  [[nodiscard]] Result<const TreeRoot*> find_tree(std::string_view name);
  [[nodiscard]] Result<const TreeRoot*> find_fixed_tree(std::string_view name,
                                                        std::uint16_t value_size);
  // Null if it does not exist.
  [[nodiscard]] Result<const TableState*> find_table(const TableSchema& schema);

  // The same, created if they do not exist; `next_owner` is where their ids come from.
  [[nodiscard]] Result<TreeRoot*> open_tree(std::string_view name, std::uint32_t& next_owner);
  [[nodiscard]] Result<TreeRoot*> open_fixed_tree(std::string_view name, std::uint16_t value_size,
                                                  std::uint32_t& next_owner);
  [[nodiscard]] Result<TableState*> open_table(const TableSchema& schema,
                                               std::uint32_t& next_owner);

  // Puts what changed into the catalog.
  [[nodiscard]] Result<void> save(PageWriter& pages, TreeRoot& root);

 private:
  struct Cached {
    CatalogEntry entry;
    std::string stored;   // as the catalog has it; empty: it has not
    bool exists = false;  // stored, or created by this transaction
    bool table_bound = false;
  };

  [[nodiscard]] Result<Cached*> load(std::string_view name, StructureKind kind);
  [[nodiscard]] Result<Cached*> load_table(const TableSchema& schema);
  [[nodiscard]] Result<Cached*> load_fixed(std::string_view name, std::uint16_t value_size);

  PageReader& pages_;
  const TreeRoot& root_;
  // Node-based: callers keep references.
  std::map<std::string, Cached, std::less<>> cached_;
};

}  // namespace rookery::store
