// SPDX-License-Identifier: Apache-2.0
//
// rookery-sim: the store under seeded schedules, faults and power cuts.

#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "rookery/base/canary.h"

#include "power_simulation.h"

namespace rookery::sim {
namespace {

constexpr int kExitFinding = 1;

struct Report {
  bool quiet = false;
  bool must_cover = false;
};

int run_seeds(SimulationOptions options, std::uint32_t workloads, const Report& report) {
  SimulationTotals totals;
  for (std::uint32_t i = 0; i < workloads; ++i, ++options.seed) {
    const std::optional<std::string> finding = PowerSimulation(options, totals).run();
    if (finding.has_value()) {
      std::printf("seed %llu%s: %s\n", static_cast<unsigned long long>(options.seed),
                  options.faults ? " with faults" : "", finding->c_str());
      return kExitFinding;
    }
    if (!report.quiet) {
      std::printf("seed %llu clean\n", static_cast<unsigned long long>(options.seed));
      std::fflush(stdout);
    }
  }
  std::printf("%s\nclean\n", totals.to_string().c_str());
  if (report.must_cover && !totals.never().empty()) {
    std::printf("but these never happened: %s\n",
                fmt::format("{}", fmt::join(totals.never(), ", ")).c_str());
    return kExitFinding;
  }
  return 0;
}

// The planted fault must be found, by one of a few seeds, and by no seed once it is gone.
int hunt_canary(SimulationOptions options, std::uint32_t workloads, Canary which) {
  const std::string name(canary_name(which));
  // This one shows only where a sync of the data file fails.
  options.faults = options.forgetful_syncs = which == Canary::kSecondSyncBelieved;
  for (std::uint32_t i = 0; i < workloads; ++i, ++options.seed) {
    SimulationTotals totals;
    set_canary(which);
    const std::optional<std::string> finding = PowerSimulation(options, totals).run();
    set_canary(Canary::kNone);
    if (!finding.has_value()) {
      continue;
    }
    std::printf("canary %s found at seed %llu: %s\n", name.c_str(),
                static_cast<unsigned long long>(options.seed),
                finding->substr(0, finding->find('\n')).c_str());
    SimulationTotals sound;
    const std::optional<std::string> without = PowerSimulation(options, sound).run();
    if (without.has_value()) {
      std::printf("but the same seed finds without it: %s\n", without->c_str());
      return kExitFinding;
    }
    return 0;
  }
  std::printf("canary %s was NOT found by %u workloads\n", name.c_str(), workloads);
  return kExitFinding;
}

}  // namespace
}  // namespace rookery::sim

int main(int argc, char** argv) {
  CLI::App app("The store under seeded schedules, faults and power cuts.");
  rookery::sim::SimulationOptions options;
  options.seed = std::random_device{}();
  std::uint32_t workloads = 20;
  std::string canary;
  rookery::sim::Report report;
  app.add_option("--seed", options.seed, "of the first workload; the next ones count up");
  app.add_option("--workloads", workloads, "how many")->capture_default_str();
  app.add_option("--commits", options.commits, "a workload")->capture_default_str();
  app.add_option("--readers", options.readers, "at once")->capture_default_str();
  app.add_option("--cut-one-in", options.cut_one_in, "mutating calls; 0: no cuts")
      ->capture_default_str();
  app.add_option("--cut-depth", options.cut_depth,
                 "1: the run is cut; 2: and its recovery; 3: and the recovery of that")
      ->capture_default_str();
  app.add_flag("--faults", options.faults, "calls fail, too");
  app.add_flag("--trace", options.trace, "print each mutating call");
  app.add_option("--canary", canary, "a planted fault that must be found, by name");
  app.add_option("--reserve", options.with_reserve,
                 "runs with faults that have one, and a disk that fills up: none, half, all")
      ->transform(CLI::CheckedTransformer(std::map<std::string, rookery::sim::WithReserve>{
          {"none", rookery::sim::WithReserve::kNone},
          {"half", rookery::sim::WithReserve::kHalf},
          {"all", rookery::sim::WithReserve::kAll}}));
  app.add_flag("--must-cover", report.must_cover, "a counter that stays zero is a failure");
  app.add_flag("--quiet", report.quiet, "only the totals");
  CLI11_PARSE(app, argc, argv);
  std::printf("seed %llu (repeat with --seed)\n", static_cast<unsigned long long>(options.seed));
  if (canary.empty()) {
    return rookery::sim::run_seeds(options, workloads, report);
  }
  const rookery::Canary which = rookery::canary_named(canary);
  if (which == rookery::Canary::kNone) {
    std::fprintf(stderr, "no canary is named '%s'\n", canary.c_str());
    return 2;
  }
  return rookery::sim::hunt_canary(options, workloads, which);
}
