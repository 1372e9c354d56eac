// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "rookery/base/result.h"
#include "rookery/store/catalog.h"
#include "rookery/store/page.h"
#include "rookery/store/table.h"
#include "rookery/store/table_state.h"

// Purpose. The structure part of verify(): walks every page of a structure, checks order,
// separators, levels and counts against its root, and each table's rows against its indexes both
// ways.
// Errors: what is wrong with the structure goes to `problem` and the walk goes on where it can; an
// error returned (io, snapshot_too_old, or one from visit_page) ends it.

namespace rookery::store {

struct StructureVisitor {
  // Every run of pages that belongs to the structure, as often as it is referenced (a second time
  // is a problem that only the caller can see). Returns false to not follow the page: it was seen.
  std::function<Result<bool>(PageNo number, std::uint32_t page_count)> visit_page;
  std::function<void(std::string problem)> problem;
};

// `entry` (may be empty) is called for each entry in order; its error ends the walk.
using TreeEntryVisitor = std::function<Result<void>(Bytes key, Bytes value)>;
[[nodiscard]] Result<void> check_tree(PageReader& pages, const TreeRoot& root,
                                      const StructureVisitor& visitor,
                                      const TreeEntryVisitor& entry = {});

using FixedTreeEntryVisitor = std::function<Result<void>(std::int64_t key, Bytes value)>;
[[nodiscard]] Result<void> check_fixed_tree(PageReader& pages, const TreeRoot& root,
                                            const StructureVisitor& visitor,
                                            const FixedTreeEntryVisitor& entry = {});

// Without a schema the pages, trees and storage ids are checked, but not the keys in the indexes.
[[nodiscard]] Result<void> check_table(PageReader& pages, const TableState& state,
                                       const TableSchema* schema, const StructureVisitor& visitor);

}  // namespace rookery::store
