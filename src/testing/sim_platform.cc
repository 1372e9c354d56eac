// SPDX-License-Identifier: Apache-2.0
#include "rookery/testing/sim_platform.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rookery/os/scheduler_hook.h"

namespace rookery::testing {
namespace {

SchedulerOptions scheduler_options(std::uint64_t seed, SchedulerOptions options) {
  options.seed = seed;
  return options;
}

SimFileSystemOptions file_options(std::uint64_t seed, SimFileSystemOptions options) {
  options.seed = seed + 1;  // another stream than the scheduler's
  return options;
}

}  // namespace

void SeededRandom::fill(MutableBytes into) {
  if (os::SchedulerHook* hook = os::SchedulerHook::current(); hook != nullptr) {
    hook->yield("random");
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  while (!into.empty()) {
    const std::uint64_t word = prng_.next();
    const std::size_t count = std::min(into.size(), sizeof(word));
    std::memcpy(into.data(), &word, count);
    into = into.subspan(count);
  }
}

SimPlatform::SimPlatform(std::uint64_t seed, SimPlatformOptions options)
    : scheduler_(clock_, scheduler_options(seed, options.scheduler)),
      files_(file_options(seed, options.files), std::move(options.disk)),
      random_(seed + 2),
      platform_{.files = files_, .clock = clock_, .random = random_, .threads = scheduler_} {}

SimulationReport run_simulation(std::uint64_t seed, const std::function<void(SimPlatform&)>& body) {
  SimPlatform machine(seed);
  return machine.run([&] { body(machine); });
}

}  // namespace rookery::testing
