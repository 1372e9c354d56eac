// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rookery/base/prng.h"
#include "rookery/testing/sim_platform.h"

#include "background.h"
#include "full_disk.h"
#include "workload.h"

// Purpose. One seeded run of a committing environment on a lying disk, with readers, background
// work and (if asked) faults, full disks among them; the power is cut at every mutating call, the
// disk that would be left is recovered and compared with the model, and so is the disk left by a
// cut at every call of that recovery, as deep as asked.
// Threads: one at a time; the fibers are inside.

namespace rookery::sim {

// Which of the runs with faults have a reserve, on a disk that fills up. Seeds of the others run as
// they would without it.
enum class WithReserve : std::uint8_t { kNone, kHalf, kAll };

struct SimulationOptions {
  std::uint64_t seed = 1;
  std::uint32_t commits = 200;
  std::uint32_t readers = 2;
  // Cuts: one mutating call in so many; 0: none.
  std::uint32_t cut_one_in = 1;
  // 1: cuts of the run; 2: and of each recovery; 3: and of the recovery after that.
  std::uint32_t cut_depth = 2;
  // Failing calls, drawn from the seed; then they stop and progress is demanded.
  bool faults = false;
  // With faults: only this one, a sync of the data file that fails and loses what it should keep.
  bool forgetful_syncs = false;
  WithReserve with_reserve = WithReserve::kHalf;
  // Prints each fault and each mutating call.
  bool trace = false;
};

struct SimulationTotals {
  std::uint64_t runs = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t mutating_calls = 0;
  std::uint64_t cuts = 0;           // of runs
  std::uint64_t recovery_cuts = 0;  // of recoveries
  std::uint64_t replayed = 0;       // recoveries that had batches to replay
  std::uint64_t torn_tails = 0;
  std::uint64_t snapshots_compared = 0;
  std::uint64_t faults_hit = 0;
  std::uint64_t not_stored = 0;
  std::uint64_t outcome_unknown = 0;
  std::uint64_t refused = 0;  // clean refusals
  std::uint64_t reloads = 0;
  std::array<std::uint64_t, testing::kCallKinds> cuts_by_call{};
  FullDiskTotals full_disk;

  // Several lines.
  [[nodiscard]] std::string to_string() const;
  // What never happened, by name: runs with faults that show nothing of it prove nothing of it.
  [[nodiscard]] std::vector<std::string_view> never() const;
};

class PowerSimulation {
 public:
  PowerSimulation(const SimulationOptions& options, SimulationTotals& totals);

  // What was wrong, in words, or nullopt.
  [[nodiscard]] std::optional<std::string> run();

 private:
  struct CutPoint {
    testing::SimDisk disk;
    Expectation expected;
    std::uint64_t seed = 0;
    std::string where;
    bool disk_full = false;
  };

  [[nodiscard]] store::EnvironmentOptions environment_options() const;
  [[nodiscard]] Expectation expectation() const;
  void observe(const testing::SimFileSystem& files, const testing::SimCall& call,
               testing::CutPhase phase);

  // The live part, on fibers.
  [[nodiscard]] Result<void> live(testing::SimPlatform& machine);
  [[nodiscard]] Result<void> write_all(testing::SimPlatform& machine,
                                       store::Environment& environment, Background& background);
  // True if the transaction was submitted.
  [[nodiscard]] Result<bool> submit(store::Environment& environment, std::uint64_t n);
  // After a failure: waits until the environment writes again; the transactions it holds then.
  [[nodiscard]] Result<std::uint64_t> settle(testing::SimPlatform& machine,
                                             store::Environment& environment);
  void read_for_a_while(testing::SimPlatform& machine, store::Environment& environment,
                        std::uint64_t seed);
  [[nodiscard]] Result<void> read_once(testing::SimPlatform& machine,
                                       store::Environment& environment, Prng& prng);
  [[nodiscard]] Result<void> compare_with_model(store::Environment& environment);
  void finding(std::string text);

  [[nodiscard]] Result<std::unique_ptr<store::Environment>> open_for_writing(
      testing::SimPlatform& machine, Background& background);
  // Once nothing fails any more, maintenance makes the reserve again.
  void wait_for_reserve(testing::SimPlatform& machine, Background& background);

  // The cuts, afterwards and off the fibers.
  void check(const CutPoint& point, std::uint32_t depth);
  [[nodiscard]] Result<CrashCheck> check_recovery(testing::SimPlatform& machine,
                                                  const CutPoint& point, testing::SimDisk& left);

  const SimulationOptions options_;
  SimulationTotals& totals_;
  const Workload workload_;
  Models models_;
  Prng prng_;

  // Fibers share one OS thread, and change these between scheduling points.
  std::uint64_t acknowledged_ = 0;
  std::uint64_t attempted_ = 0;
  std::uint64_t seen_ = 0;  // by a reader: what was read may not be lost
  bool failed_ = false;     // a commit came back with an error
  bool unknown_ = false;    // and one with an unknown outcome
  bool stopping_ = false;
  std::optional<std::string> finding_;
  std::vector<CutPoint> cuts_;
  std::vector<std::uint64_t> faults_;  // rules of the disk
  InFlight in_flight_;
  std::unique_ptr<FullDisk> full_disk_;  // null: no reserve
};

}  // namespace rookery::sim
