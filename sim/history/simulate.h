// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rookery/base/result.h"

#include "client.h"
#include "recorder.h"

// Purpose. The same clients as fibers of a simulated machine, whose power is cut in the middle of
// some call: one seed is one history, byte for byte.

namespace rookery::history {

struct SimulateOptions {
  std::uint64_t seed = 1;
  std::uint32_t clients = 6;
  std::uint32_t cuts = 5;
  std::uint32_t mutations_max = 400;  // calls that change the disk, before a cut
  Workload workload;
};

// Errors: what a server says that cannot open what a cut has left.
[[nodiscard]] Result<void> record_simulation(const SimulateOptions& options, Recorder& recorder);

}  // namespace rookery::history
