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

// What one owner has of a budget; given back with it. One thread at a time.
class MemoryCharge {
 public:
  // Null: there is no budget, and nothing is counted. Borrowed; must outlive this.
  explicit MemoryCharge(MemoryBudget* budget) noexcept : budget_(budget) {}

  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;

  ~MemoryCharge() { set(0); }

  void set(std::uint64_t bytes) noexcept {
    if (budget_ != nullptr) {
      budget_->take(bytes);
      budget_->give_back(bytes_);
      bytes_ = bytes;
    }
  }

 private:
  MemoryBudget* budget_;
  std::uint64_t bytes_ = 0;
};

}  // namespace rookery::store
