// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/store/catalog.h"

#include "structure_check.h"

// Purpose. What the checkers of the structures share.

namespace rookery::store {

struct StructureCounts {
  std::uint64_t entries = 0;
  std::uint64_t branch_pages = 0;
  std::uint64_t leaf_pages = 0;
  std::uint64_t overflow_pages = 0;
};

// What a structure's bytes can be blamed for; anything else ends the walk.
[[nodiscard]] bool is_problem(const Error& error) noexcept;
// Reports a problem of the structure and returns ok, or hands any other error on.
[[nodiscard]] Result<void> blame(const StructureVisitor& visitor, std::uint32_t owner,
                                 const Error& error);
void compare_count(const StructureVisitor& visitor, std::uint32_t owner, std::string_view what,
                   std::uint64_t counted, std::uint64_t stated);
void compare_counts(const StructureVisitor& visitor, const TreeRoot& root,
                    const StructureCounts& counts);

}  // namespace rookery::store
