// SPDX-License-Identifier: Apache-2.0
//
// rookery-power: the two halves of a power-cut test on a real file system.
//
//   rookery-power write --folder F --seed S   commits until it is stopped or a write fails; prints
//                                             "try N" before and "ack N" after each transaction
//   rookery-power check --folder F --seed S --acknowledged A --attempted T
//                                             opens what is left and compares it with the model
//
// sim/power_cut.py starts the first, cuts the power below it, and runs the second.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "rookery/base/prng.h"
#include "rookery/os/platform.h"
#include "rookery/store/environment.h"

#include "background.h"
#include "workload.h"

namespace rookery::sim {
namespace {

constexpr int kExitWriteFailed = 3;

struct PowerOptions {
  std::string folder;
  std::uint64_t seed = 1;
  std::uint64_t transactions_max = UINT64_MAX;
  std::uint64_t acknowledged = 0;
  std::uint64_t attempted = 0;
  std::uint32_t in_flight_max = 8;
};

// Small limits, so that journals turn over and flush and sync run many times in a short round.
store::EnvironmentOptions environment_options(const PowerOptions& options) {
  store::EnvironmentOptions result;
  result.path = options.folder;
  Prng prng(options.seed);
  result.journal_size_first_bytes = 64ULL * 1024 << prng.below(3);
  result.journal_size_max_bytes = result.journal_size_first_bytes * 4;
  result.scratch_memory_bytes_max = 2ULL * 1024 * 1024;
  result.scratch_total_bytes_max = 64ULL * 1024 * 1024;
  result.sync_interval = std::chrono::milliseconds(200);
  return result;
}

// A line reaches the pipe whole and at once: the reader counts what was said before the cut.
void say(const std::string& line) {
  std::string text(line);
  text.append("\n");
  const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    ::_exit(kExitWriteFailed);  // nobody listens any more
  }
}

Result<void> write_one(store::Environment& environment, const Workload& workload,
                       InFlight& in_flight, std::atomic<bool>& lost, const PowerOptions& options,
                       std::uint64_t n) {
  in_flight.begin(options.in_flight_max);
  const auto attempt = [&]() -> Result<void> {
    RK_TRY_ASSIGN(store::WriteTxn txn, environment.begin_write());
    RK_TRY(workload.apply(txn, n));
    say("try " + std::to_string(n));
    RK_TRY(txn.commit_async([n, &in_flight, &lost](const store::CommitOutcome& outcome) {
      say((outcome.result.has_value() ? "ack " : "lost ") + std::to_string(n));
      lost = lost || !outcome.result.has_value();
      in_flight.end();
    }));
    return {};
  };
  Result<void> result = attempt();
  if (!result.has_value()) {
    in_flight.end();
  }
  return result;
}

Result<void> write_until_stopped(const PowerOptions& options) {
  os::Platform& platform = os::real_platform();
  Background background(platform, [](const Error& error) { say("maintain " + error.to_string()); });
  RK_TRY_ASSIGN(
      const std::unique_ptr<store::Environment> environment,
      store::Environment::open(platform, background.hooked(environment_options(options))));
  background.start(*environment);

  const Workload workload({.seed = options.seed});
  std::uint64_t n = 0;
  {
    RK_TRY_ASSIGN(store::ReadTxn txn, environment->begin_read());
    RK_TRY_ASSIGN(n, Workload::transactions_in(txn));
  }
  say("open " + std::to_string(n));
  InFlight in_flight;
  std::atomic<bool> lost{false};
  Result<void> result;
  while (result.has_value() && n < options.transactions_max && !lost) {
    result = write_one(*environment, workload, in_flight, lost, options, ++n);
    background.journal_needed();
  }
  in_flight.wait_for_none();
  background.stop();
  if (!result.has_value()) {
    say("error " + result.error().to_string());
    return result;
  }
  return environment->close();
}

Result<void> check(const PowerOptions& options) {
  const Workload workload({.seed = options.seed});
  Models models(workload);
  RK_TRY_ASSIGN(
      const CrashCheck found,
      check_after_crash(os::real_platform(), environment_options(options), models,
                        {.acknowledged = options.acknowledged, .attempted = options.attempted}));
  say("found " + std::to_string(found.transactions) + " replayed " +
      std::to_string(found.batches_replayed) + " torn " + std::to_string(found.torn_tails));
  return {};
}

int report(const Result<void>& result, int exit_code) {
  if (result.has_value()) {
    return 0;
  }
  std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
  return exit_code;
}

}  // namespace
}  // namespace rookery::sim

int main(int argc, char** argv) {
  using rookery::sim::PowerOptions;
  CLI::App app("The two halves of a power-cut test; see sim/power_cut.py");
  app.require_subcommand(1);
  PowerOptions options;
  CLI::App* write = app.add_subcommand("write", "commit until stopped or failed");
  CLI::App* check = app.add_subcommand("check", "compare what is left with the model");
  for (CLI::App* command : {write, check}) {
    command->add_option("--folder", options.folder, "the environment's folder")->required();
    command->add_option("--seed", options.seed, "the workload's seed")->required();
  }
  write->add_option("--transactions", options.transactions_max, "stop, cleanly, after so many");
  write->add_option("--in-flight", options.in_flight_max, "commits that may wait at once");
  check->add_option("--acknowledged", options.acknowledged, "at least these must be there")
      ->required();
  check->add_option("--attempted", options.attempted, "at most these may be there")->required();
  CLI11_PARSE(app, argc, argv);
  if (write->parsed()) {
    return rookery::sim::report(rookery::sim::write_until_stopped(options),
                                rookery::sim::kExitWriteFailed);
  }
  return rookery::sim::report(rookery::sim::check(options), 1);
}
