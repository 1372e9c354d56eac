// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

// Purpose. How much anonymous memory all environments of a process may hold as scratch together, so
// that a thousand of them, each within its own bound, do not add up to more than the machine or the
// container has. What does not fit goes into files in Temp/.
// Threads: any; lock-free.
// Units: bytes.
// Source: STORE-INVARIANTS I15.

namespace rookery::store {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes_max) noexcept : bytes_max_(bytes_max) {}

  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Beyond the bound if it must be: the bound is for who asks first.
  void take(std::uint64_t bytes) noexcept { used_.fetch_add(bytes); }

  void give_back(std::uint64_t bytes) noexcept { used_.fetch_sub(bytes); }

  [[nodiscard]] std::uint64_t used() const noexcept { return used_.load(); }

  [[nodiscard]] std::uint64_t bytes_max() const noexcept { return bytes_max_; }

 private:
  const std::uint64_t bytes_max_;
  std::atomic<std::uint64_t> used_{0};
};

}  // namespace rookery::store
