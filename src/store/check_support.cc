// SPDX-License-Identifier: Apache-2.0
#include "check_support.h"

#include <fmt/format.h>

namespace rookery::store {

bool is_problem(const Error& error) noexcept {
  return error.error_class() == ErrorClass::kCorrupt;
}

Result<void> blame(const StructureVisitor& visitor, std::uint32_t owner, const Error& error) {
  if (!is_problem(error)) {
    return error;
  }
  visitor.problem(fmt::format("structure {}: {}", owner, error.message()));
  return {};
}

void compare_count(const StructureVisitor& visitor, std::uint32_t owner, std::string_view what,
                   std::uint64_t counted, std::uint64_t stated) {
  if (counted != stated) {
    visitor.problem(
        fmt::format("structure {}: {} {} counted, {} stated", owner, counted, what, stated));
  }
}

void compare_counts(const StructureVisitor& visitor, const TreeRoot& root,
                    const StructureCounts& counts) {
  compare_count(visitor, root.owner, "entries", counts.entries, root.entry_count);
  compare_count(visitor, root.owner, "branch pages", counts.branch_pages, root.branch_pages);
  compare_count(visitor, root.owner, "leaf pages", counts.leaf_pages, root.leaf_pages);
  compare_count(visitor, root.owner, "overflow pages", counts.overflow_pages, root.overflow_pages);
}

}  // namespace rookery::store
