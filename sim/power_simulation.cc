// SPDX-License-Identifier: Apache-2.0
#include "power_simulation.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace rookery::sim {
namespace {

using testing::CallKind;
using testing::CutPhase;
using testing::FaultEffect;
using testing::FaultRule;
using testing::SimPlatform;
using testing::Survival;

constexpr std::uint32_t kInFlightMax = 8;
// Act two: so many commits must succeed once the faults are over.
constexpr std::uint32_t kHealedCommits = 20;
// Of simulated time, in steps of a millisecond: past this the environment is stuck.
constexpr int kSettleStepsMax = 20'000;

std::string_view phase_name(CutPhase phase) {
  return phase == CutPhase::kBefore ? "before" : phase == CutPhase::kMiddle ? "within" : "after";
}

// Waits that a retry may follow; everything else is a finding.
bool is_refusal(const Error& error) {
  switch (error.code()) {
    case ErrorCode::concurrency:  // the transaction before was rolled back meanwhile
    case ErrorCode::no_space:
    case ErrorCode::poisoned:
    case ErrorCode::io:
    case ErrorCode::not_stored:
    case ErrorCode::outcome_unknown:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string SimulationTotals::to_string() const {
  std::string text = fmt::format(
      "{} runs, {} commits acknowledged, {} mutating calls, {} snapshots compared\n"
      "{} cuts and {} cuts of recoveries; {} recoveries replayed batches, {} found a torn tail\n"
      "{} faults hit, {} commits not stored, {} outcomes unknown, {} refusals, {} reloads\n"
      "cuts by call:",
      runs, acknowledged, mutating_calls, snapshots_compared, cuts, recovery_cuts, replayed,
      torn_tails, faults_hit, not_stored, outcome_unknown, refused, reloads);
  for (std::size_t kind = 0; kind < cuts_by_call.size(); ++kind) {
    if (testing::is_mutating(static_cast<CallKind>(kind))) {
      text += fmt::format(" {} {}", testing::call_name(static_cast<CallKind>(kind)),
                          cuts_by_call[kind]);
    }
  }
  return text;
}

PowerSimulation::PowerSimulation(const SimulationOptions& options, SimulationTotals& totals)
    : options_(options),
      totals_(totals),
      workload_({.seed = options.seed}),
      models_(workload_),
      prng_(options.seed) {}

// Small limits, drawn from the seed, so that journals turn over and all streams run within a few
// hundred commits.
store::EnvironmentOptions PowerSimulation::environment_options() const {
  Prng prng(options_.seed + 1);
  store::EnvironmentOptions result;
  result.path = "/env";
  result.journal_size_first_bytes = 64ULL * 1024 << prng.below(3);
  result.journal_size_max_bytes = result.journal_size_first_bytes << prng.below(3);
  result.scratch_memory_bytes_max = 1ULL * 1024 * 1024 << prng.below(3);
  result.scratch_total_bytes_max = result.scratch_memory_bytes_max + (32ULL * 1024 * 1024);
  result.sync_interval = std::chrono::milliseconds(1 + prng.below(10));
  result.journal_replay_bytes_max = result.journal_size_max_bytes * 2;
  result.write_mode = prng.chance(2) ? store::EnvironmentOptions::WriteMode::kFileIo
                                     : store::EnvironmentOptions::WriteMode::kVectoredFileIo;
  return result;
}

Expectation PowerSimulation::expectation() const {
  return {.acknowledged = std::max(acknowledged_, seen_), .attempted = attempted_};
}

void PowerSimulation::finding(std::string text) {
  if (!finding_.has_value()) {
    finding_ = std::move(text);
  }
  stopping_ = true;
}

// A swarm: each seed has a few kinds of fault and not the others.
void PowerSimulation::plan_faults(testing::SimFileSystem& files) {
  Prng prng(options_.seed + 2);
  if (options_.forgetful_syncs) {
    faults_.push_back(files.add_fault({.kind = CallKind::kSync,
                                       .path_contains = "data.rks",
                                       .skip = prng.below(6),
                                       .effect = FaultEffect::kFailAndForget}));
    return;
  }
  const std::uint64_t count = 1 + prng.below(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    FaultRule rule;
    rule.os_errno = prng.chance(2) ? EIO : ENOSPC;
    rule.times = 1 + prng.below(2);
    switch (prng.below(7)) {
      case 0:
        rule.kind = CallKind::kWrite;
        rule.path_contains = ".journal";
        rule.skip = prng.below(options_.commits / 2 + 1);
        rule.effect = std::array{FaultEffect::kFail, FaultEffect::kFailPartly,
                                 FaultEffect::kFailButPersist}[prng.below(3)];
        break;
      case 1:
        rule.kind = CallKind::kSync;
        rule.path_contains = "data.rks";
        rule.skip = prng.below(8);
        rule.effect = prng.chance(2) ? FaultEffect::kFail : FaultEffect::kFailAndForget;
        break;
      case 2:
        rule.kind = CallKind::kWrite;
        rule.path_contains = "data.rks";
        rule.skip = prng.below(20);
        rule.effect = prng.chance(2) ? FaultEffect::kFail : FaultEffect::kFailPartly;
        break;
      case 3:
        rule.kind = prng.chance(2) ? CallKind::kWrite : CallKind::kSync;
        rule.path_contains = "header.";
        rule.skip = 4 + prng.below(10);
        break;
      case 4:
        rule.kind = CallKind::kCreate;
        rule.path_contains = "ournal";
        rule.skip = 1 + prng.below(4);
        break;
      case 5:
        rule.kind = prng.chance(2) ? CallKind::kSyncDirectory : CallKind::kRename;
        rule.path_contains = "ournal";
        rule.skip = 1 + prng.below(4);
        break;
      default:
        rule.kind = CallKind::kAllocate;
        rule.skip = 2 + prng.below(6);
        rule.os_errno = ENOSPC;
        rule.times = 1 + prng.below(4);
        break;
    }
    if (options_.trace) {
      fmt::print("fault: {} of '{}' after {}, {} times, effect {}, errno {}\n",
                 testing::call_name(rule.kind.value_or(CallKind::kOpen)), rule.path_contains,
                 rule.skip, rule.times, static_cast<int>(rule.effect), rule.os_errno);
    }
    faults_.push_back(files.add_fault(std::move(rule)));
  }
}

void PowerSimulation::observe(const testing::SimFileSystem& files, const testing::SimCall& call,
                              CutPhase phase) {
  if (options_.trace) {
    fmt::print("{} {} {} of {}; acknowledged {}, attempted {}\n", call.mutation, phase_name(phase),
               testing::call_name(call.kind), call.path, acknowledged_, attempted_);
  }
  if (phase == CutPhase::kBefore || options_.cut_one_in == 0 ||
      !prng_.chance(options_.cut_one_in)) {
    return;
  }
  const auto add = [&](Survival survival) {
    const std::uint64_t seed = prng_.next();
    cuts_.push_back({files.cut_copy(survival, seed), expectation(), seed,
                     fmt::format("{} {} of {} (mutating call {})", phase_name(phase),
                                 testing::call_name(call.kind), call.path, call.mutation)});
    ++totals_.cuts_by_call[static_cast<std::size_t>(call.kind)];
  };
  add(Survival::kSubset);
  if (phase == CutPhase::kAfter) {
    add(Survival::kNothing);
    if (prng_.chance(4)) {
      add(Survival::kEverything);
    }
  }
}

std::optional<std::string> PowerSimulation::run() {
  ++totals_.runs;
  SimPlatform machine(options_.seed);
  machine.files().set_observer(
      [&](const testing::SimCall& call, CutPhase phase) { observe(machine.files(), call, phase); });
  if (options_.faults) {
    plan_faults(machine.files());
  }
  Result<void> result;
  const testing::SimulationReport report = machine.run([&] { result = live(machine); });
  totals_.mutating_calls += machine.files().mutations();
  for (const std::uint64_t fault : faults_) {
    totals_.faults_hit += machine.files().fault_hits(fault);
  }
  totals_.acknowledged += acknowledged_;
  if (!report.finished()) {
    finding(report.text);
  } else if (!result.has_value()) {
    finding(result.error().to_string());
  }
  while (!cuts_.empty() && !finding_.has_value()) {
    const CutPoint point = std::move(cuts_.back());
    cuts_.pop_back();
    ++totals_.cuts;
    check(point, 1);
  }
  cuts_.clear();
  return finding_;
}

void PowerSimulation::check(const CutPoint& point, std::uint32_t depth) {
  std::vector<CutPoint> nested;
  testing::SimDisk recovered;
  testing::SimPlatformOptions with_disk;
  with_disk.disk = point.disk;
  SimPlatform machine(point.seed, std::move(with_disk));
  testing::SimFileSystem& files = machine.files();
  if (depth < options_.cut_depth) {
    files.set_observer([&](const testing::SimCall& call, CutPhase phase) {
      if (phase == CutPhase::kBefore) {
        return;
      }
      const std::uint64_t seed = prng_.next();
      nested.push_back({files.cut_copy(Survival::kSubset, seed), point.expected, seed,
                        fmt::format("{}, then {} {} of {} in recovery", point.where,
                                    phase_name(phase), testing::call_name(call.kind), call.path)});
    });
  }
  const Result<CrashCheck> found =
      check_after_crash(machine.platform(), environment_options(), models_, point.expected, [&] {
        files.set_observer({});
        recovered = files.cut_copy(Survival::kNothing, point.seed);
      });
  if (!found.has_value()) {
    finding(fmt::format("power cut {}: {}", point.where, found.error().to_string()));
    return;
  }
  totals_.replayed += found->batches_replayed > 0 ? 1U : 0U;
  totals_.torn_tails += found->torn_tails;
  if (depth >= options_.cut_depth) {
    return;
  }
  // What recovery showed to readers is durable: another cut leaves exactly that.
  nested.push_back({recovered,
                    {found->transactions, found->transactions},
                    point.seed,
                    point.where + ", then after recovery"});
  for (const CutPoint& next : nested) {
    ++totals_.recovery_cuts;
    check(next, depth + 1);
    if (finding_.has_value()) {
      return;
    }
  }
}

Result<void> PowerSimulation::live(SimPlatform& machine) {
  os::Platform& platform = machine.platform();
  Background background(platform, [&](const Error& error) {
    if (!options_.faults) {
      finding("maintenance: " + error.to_string());
    }
  });
  std::unique_ptr<store::Environment> environment;
  for (int attempt = 0; environment == nullptr; ++attempt) {
    Result<std::unique_ptr<store::Environment>> opened =
        store::Environment::open(platform, background.hooked(environment_options()));
    if (opened.has_value()) {
      environment = std::move(opened).value();
    } else if (!options_.faults || attempt > 8 || !is_refusal(opened.error())) {
      return opened.error().with_context("open");
    }
  }
  background.start(*environment);
  std::vector<std::unique_ptr<os::Thread>> readers;
  for (std::uint32_t i = 0; i < options_.readers; ++i) {
    const std::uint64_t seed = options_.seed * 31 + i;
    readers.push_back(platform.threads.start(
        "reader", [&, seed] { read_for_a_while(machine, *environment, seed); }));
  }
  Result<void> result = write_all(machine, *environment, background);
  stopping_ = true;
  readers.clear();  // joins
  background.stop();
  const store::EnvironmentStats stats = environment->stats();
  totals_.reloads += stats.reloads;
  RK_TRY(std::move(result));
  RK_TRY(compare_with_model(*environment));
  return environment->close();
}

Result<void> PowerSimulation::write_all(SimPlatform& machine, store::Environment& environment,
                                        Background& background) {
  std::uint64_t n = 0;
  std::uint64_t last = options_.commits;
  bool healed = !options_.faults;
  while ((n < last || !healed) && !finding_.has_value()) {
    if (n >= last) {
      machine.files().clear_faults();
      healed = true;
      last = n + kHealedCommits;
    }
    in_flight_.begin(kInFlightMax);
    bool submitted = false;
    if (!failed_) {
      RK_TRY_ASSIGN(submitted, submit(environment, n + 1));
    }
    if (submitted) {
      ++n;
      background.journal_needed();
      continue;
    }
    in_flight_.end();
    in_flight_.wait_for_none();
    RK_TRY_ASSIGN(n, settle(machine, environment));
  }
  in_flight_.wait_for_none();
  if (failed_) {
    RK_TRY(settle(machine, environment));
  }
  return {};
}

Result<bool> PowerSimulation::submit(store::Environment& environment, std::uint64_t n) {
  const auto attempt = [&]() -> Result<void> {
    RK_TRY_ASSIGN(store::WriteTxn txn, environment.begin_write());
    RK_TRY(workload_.apply(txn, n));
    attempted_ = std::max(attempted_, n);
    RK_TRY(txn.commit_async([this, n](const store::CommitOutcome& outcome) {
      if (outcome.result.has_value()) {
        acknowledged_ = std::max(acknowledged_, n);
      } else {
        failed_ = true;
        const bool unknown = outcome.result.error().code() == ErrorCode::outcome_unknown;
        unknown_ = unknown_ || unknown;
        ++(unknown ? totals_.outcome_unknown : totals_.not_stored);
      }
      in_flight_.end();
    }));
    return {};
  };
  const Result<void> result = attempt();
  if (result.has_value()) {
    return true;
  }
  if (!options_.faults || !is_refusal(result.error())) {
    return result.error().with_context(fmt::format("transaction {}", n));
  }
  ++totals_.refused;
  failed_ = true;
  return false;
}

Result<std::uint64_t> PowerSimulation::settle(SimPlatform& machine,
                                              store::Environment& environment) {
  for (int step = 0; step < kSettleStepsMax; ++step) {
    const Result<store::WriteTxn> txn = environment.begin_write();
    if (txn.has_value()) {
      break;
    }
    if (!is_refusal(txn.error()) || step + 1 == kSettleStepsMax) {
      return txn.error().with_context("no progress after a failure");
    }
    machine.clock().sleep_for(std::chrono::milliseconds(1));
  }
  RK_TRY_ASSIGN(store::ReadTxn txn, environment.begin_read());
  RK_TRY_ASSIGN(const std::uint64_t found, Workload::transactions_in(txn));
  if (found < acknowledged_ || found > attempted_ || (!unknown_ && found != acknowledged_)) {
    finding(
        fmt::format("after a failed write: {} transactions; {} were acknowledged, {} attempted, "
                    "and {} outcome was unknown",
                    found, acknowledged_, attempted_, unknown_ ? "an" : "no"));
  }
  acknowledged_ = attempted_ = found;
  failed_ = unknown_ = false;
  return found;
}

void PowerSimulation::read_for_a_while(SimPlatform& machine, store::Environment& environment,
                                       std::uint64_t seed) {
  Prng prng(seed);
  while (!stopping_) {
    const Result<void> result = read_once(machine, environment, prng);
    if (!result.has_value()) {
      finding("reader: " + result.error().to_string());
    }
  }
}

Result<void> PowerSimulation::compare_with_model(store::Environment& environment) {
  RK_TRY_ASSIGN(store::ReadTxn txn, environment.begin_read());
  RK_TRY_ASSIGN(const std::uint64_t n, Workload::transactions_in(txn));
  RK_TRY_ASSIGN(const std::vector<std::string> differences, Workload::compare(txn, models_.at(n)));
  if (!differences.empty()) {
    finding(fmt::format("at the end, transaction {}: {}", n, differences.front()));
  }
  ++totals_.snapshots_compared;
  return {};
}

// One snapshot, looked at twice with time between.
Result<void> PowerSimulation::read_once(SimPlatform& machine, store::Environment& environment,
                                        Prng& prng) {
  const std::uint64_t least = expectation().acknowledged;
  RK_TRY_ASSIGN(store::ReadTxn txn, environment.begin_read());
  RK_TRY_ASSIGN(const std::uint64_t n, Workload::transactions_in(txn));
  if (n < least || n > attempted_) {
    finding(fmt::format("reader: {} transactions; {} were seen before, {} attempted", n, least,
                        attempted_));
  }
  seen_ = std::max(seen_, n);
  for (int look = 0; look < 2 && !finding_.has_value(); ++look) {
    machine.clock().sleep_for(
        std::chrono::microseconds(static_cast<std::int64_t>(prng.below(3'000))));
    RK_TRY_ASSIGN(const std::vector<std::string> differences,
                  Workload::compare(txn, models_.at(n)));
    if (!differences.empty()) {
      finding(fmt::format("reader of transaction {}: {}", n, differences.front()));
    }
    ++totals_.snapshots_compared;
  }
  return {};
}

}  // namespace rookery::sim
