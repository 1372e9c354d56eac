// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "rookery/testing/sim_file_system.h"

// Purpose. The calls that fail in a run, drawn from its seed. Each function gives rules to the disk
// and returns their numbers.

namespace rookery::sim {

struct FaultPlan {
  std::uint64_t seed = 1;
  std::uint32_t commits = 200;
  bool trace = false;  // prints each
};

// A swarm: each seed has a few kinds of fault and not the others.
[[nodiscard]] std::vector<std::uint64_t> plan_faults(testing::SimFileSystem& files,
                                                     const FaultPlan& plan);
// Only this one: a sync of the data file that fails and loses what it should keep.
[[nodiscard]] std::vector<std::uint64_t> plan_forgetful_sync(testing::SimFileSystem& files,
                                                             const FaultPlan& plan);
// Besides, where a run has a reserve: what is done to its files fails, or a file has no space once.
[[nodiscard]] std::vector<std::uint64_t> plan_reserve_faults(testing::SimFileSystem& files,
                                                             const FaultPlan& plan);

}  // namespace rookery::sim
