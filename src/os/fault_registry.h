// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// Purpose. The address ranges whose SIGBUS is answered by a page of zeros and a mark, readable from
// the signal handler without a lock.
// Owns: process-wide state, because a signal handler is process-wide: the one forced global of
// `os`.
// Source: STORE-INVARIANTS I11.

namespace rookery::os {

// Purpose. One registered range. begin == 0: free; begin == 1: being set up.
struct FaultSlot {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> writable{false};
  std::atomic<bool> faulted{false};
};

// Installs the handler once, then registers [begin, begin + size). Null if a million ranges are
// registered already.
[[nodiscard]] FaultSlot* register_fault_range(const void* begin, std::size_t size,
                                              bool writable) noexcept;
// Requires: nobody uses the range any more. Call before munmap, so that the handler can never map
// over an address that somebody else has got meanwhile.
void unregister_fault_range(FaultSlot& slot) noexcept;

}  // namespace rookery::os
