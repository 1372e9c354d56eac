// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/prng.h"
#include "rookery/store/space_reserve.h"
#include "rookery/testing/sim_platform.h"

// Purpose. A volume with a reserve on it, for the environment of a simulated run: at times drawn
// from the seed it is full, stays so for some attempts at a commit while somebody else frees and
// takes a little, and has room again.
// Threads: one at a time; the writer's fiber calls it.

namespace rookery::sim {

struct FullDiskTotals {
  std::uint64_t runs = 0;          // with a reserve
  std::uint64_t times_filled = 0;  // by this harness
  std::uint64_t commits_while_full = 0;
  std::uint64_t files_taken = 0;       // became journals
  std::uint64_t files_released = 0;    // given up for the data file
  std::uint64_t files_taken_back = 0;  // journals that became the reserve's
  std::uint64_t times_left = 0;        // the reserve was made again
  std::uint64_t starts_at_zero = 0;    // recoveries with not one block free
  std::uint64_t commits_at_zero = 0;   // and the first commit after them, from the reserve
  std::uint64_t stops_at_zero = 0;     // those that had no room for one, and stopped cleanly

  [[nodiscard]] std::string to_string() const;
  // Names of the counters that are zero.
  [[nodiscard]] std::vector<std::string_view> never() const;
};

class FullDisk {
 public:
  static constexpr std::string_view kReservePath = "/reserve";

  FullDisk(testing::SimPlatform& machine, std::uint64_t seed, std::uint32_t commits);

  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() = default;

  // Of a run's reserve, which recoveries of its disk open, too.
  [[nodiscard]] static std::uint64_t reserve_bytes(std::uint64_t seed);
  // Once more after a fault. Errors: those of SpaceReserve::open().
  [[nodiscard]] Result<void> open();

  // Requires: open() did.
  [[nodiscard]] store::SpaceReserve& reserve() { return *reserve_; }

  [[nodiscard]] bool is_full() const { return attempts_left_ > 0; }

  // Before an attempt at a commit: whether it may draw on the reserve, as deletes do.
  [[nodiscard]] bool next_attempt();

  void note_commit() { commits_while_full_ += is_full() ? 1U : 0U; }

  // There is room, from here on.
  void heal();
  void add_to(FullDiskTotals& totals) const;

 private:
  testing::SimPlatform& machine_;
  const std::uint64_t reserve_bytes_;
  Prng prng_;
  std::set<std::uint64_t> starts_;  // attempts at which it fills up
  std::uint64_t attempts_ = 0;
  std::uint64_t attempts_left_ = 0;  // until it has room
  bool healed_ = false;
  std::uint64_t times_filled_ = 0;
  std::uint64_t commits_while_full_ = 0;
  std::unique_ptr<store::SpaceReserve> reserve_;
};

}  // namespace rookery::sim
