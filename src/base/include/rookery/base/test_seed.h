// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Purpose. The seed of this test run, printed at its start and set by --seed=N. Defined by the test
// main only; production code cannot link it.

namespace rookery {

[[nodiscard]] std::uint64_t test_seed() noexcept;

}  // namespace rookery
