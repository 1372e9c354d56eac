// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>

#include "rookery/base/prng.h"
#include "rookery/os/platform.h"
#include "rookery/testing/fiber_scheduler.h"
#include "rookery/testing/sim_file_system.h"
#include "rookery/testing/virtual_clock.h"

// Purpose. A whole machine under one seed: fibers, virtual time, seeded randomness, a lying disk.

namespace rookery::testing {

// Threads: any.
class SeededRandom final : public os::Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : prng_(seed) {}

  void fill(MutableBytes into) override;

 private:
  std::mutex mutex_;  // never held across a scheduling point
  Prng prng_;
};

struct SimPlatformOptions {
  SchedulerOptions scheduler{};  // its seed is replaced by the platform's
  SimFileSystemOptions files{};  // likewise
  SimDisk disk{};                // what the machine starts with
};

// Owns: all of its parts.
class SimPlatform {
 public:
  explicit SimPlatform(std::uint64_t seed, SimPlatformOptions options = {});

  [[nodiscard]] os::Platform& platform() noexcept { return platform_; }

  [[nodiscard]] VirtualClock& clock() noexcept { return clock_; }

  [[nodiscard]] SimFileSystem& files() noexcept { return files_; }

  [[nodiscard]] FiberScheduler& scheduler() noexcept { return scheduler_; }

  // Runs `body` as the main fiber.
  SimulationReport run(std::function<void()> body) { return scheduler_.run(std::move(body)); }

 private:
  VirtualClock clock_;
  FiberScheduler scheduler_;
  SimFileSystem files_;
  SeededRandom random_;
  os::Platform platform_;
};

// Runs `body` as the main fiber of a fresh machine.
SimulationReport run_simulation(std::uint64_t seed, const std::function<void(SimPlatform&)>& body);

}  // namespace rookery::testing
