// SPDX-License-Identifier: Apache-2.0
#include "power_simulation.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "fault_plan.h"

namespace rookery::sim {
namespace {

using testing::CallKind;
using testing::CutPhase;
using testing::SimPlatform;
using testing::Survival;

constexpr std::uint32_t kInFlightMax = 8;
// Act two: so many commits must succeed once the faults are over.
constexpr std::uint32_t kHealedCommits = 20;
// Of simulated time, in steps of a millisecond: past this the environment is stuck.
constexpr int kSettleStepsMax = 20'000;
// Of recoveries that open a reserve, its own calls: one cut in so many, since they are many and
// alike.
constexpr std::uint64_t kReserveCutOneIn = 6;

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
  if (full_disk.runs > 0) {
    text += "\n" + full_disk.to_string();
  }
  return text;
}

std::vector<std::string_view> SimulationTotals::never() const {
  std::vector<std::string_view> names = full_disk.never();
  const std::array<std::pair<std::string_view, std::uint64_t>, 9> counters{
      {{"cuts", cuts},
       {"cuts of recoveries", recovery_cuts},
       {"replays", replayed},
       {"torn tails", torn_tails},
       {"faults", faults_hit},
       {"commits not stored", not_stored},
       {"unknown outcomes", outcome_unknown},
       {"refusals", refused},
       {"reloads", reloads}}};
  for (const auto& [name, count] : counters) {
    if (count == 0) {
      names.push_back(name);
    }
  }
  return names;
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
                                 testing::call_name(call.kind), call.path, call.mutation),
                     full_disk_ != nullptr && full_disk_->is_full()});
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
  const FaultPlan plan{options_.seed, options_.commits, options_.trace};
  if (options_.forgetful_syncs) {
    faults_ = plan_forgetful_sync(machine.files(), plan);
  } else if (options_.faults) {
    faults_ = plan_faults(machine.files(), plan);
  }
  Prng prng(options_.seed + 3);
  if (options_.faults && !options_.forgetful_syncs &&
      (options_.with_reserve == WithReserve::kAll ||
       (options_.with_reserve == WithReserve::kHalf && prng.chance(2)))) {
    full_disk_ = std::make_unique<FullDisk>(machine, options_.seed, options_.commits);
    const std::vector<std::uint64_t> more = plan_reserve_faults(machine.files(), plan);
    faults_.insert(faults_.end(), more.begin(), more.end());
  }
  Result<void> result;
  const testing::SimulationReport report = machine.run([&] { result = live(machine); });
  totals_.mutating_calls += machine.files().mutations();
  for (const std::uint64_t fault : faults_) {
    totals_.faults_hit += machine.files().fault_hits(fault);
  }
  totals_.acknowledged += acknowledged_;
  if (full_disk_ != nullptr) {
    full_disk_->add_to(totals_.full_disk);
  }
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
      const bool of_reserve = call.path.starts_with(FullDisk::kReservePath);
      if (phase == CutPhase::kBefore || (of_reserve && !prng_.chance(kReserveCutOneIn))) {
        return;
      }
      const std::uint64_t seed = prng_.next();
      nested.push_back({files.cut_copy(Survival::kSubset, seed), point.expected, seed,
                        fmt::format("{}, then {} {} of {} in recovery", point.where,
                                    phase_name(phase), testing::call_name(call.kind), call.path),
                        point.disk_full});
    });
  }
  const Result<CrashCheck> found = check_recovery(machine, point, recovered);
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
                    point.where + ", then after recovery",
                    point.disk_full});
  for (const CutPoint& next : nested) {
    ++totals_.recovery_cuts;
    check(next, depth + 1);
    if (finding_.has_value()) {
      return;
    }
  }
}

// As a server starts: the reserve first. If the disk was full at the cut, not one block is free.
Result<CrashCheck> PowerSimulation::check_recovery(SimPlatform& machine, const CutPoint& point,
                                                   testing::SimDisk& left) {
  testing::SimFileSystem& files = machine.files();
  store::EnvironmentOptions environment = environment_options();
  std::unique_ptr<store::SpaceReserve> reserve;
  const auto make_room = [&] { files.set_capacity(testing::SimFileSystemOptions::kUnlimited); };
  CrashHooks hooks{.after_open = [&] {
    files.set_observer({});
    left = files.cut_copy(Survival::kNothing, point.seed);
  }};
  if (full_disk_ != nullptr) {
    if (point.disk_full) {
      files.set_capacity(files.used_bytes());
      hooks.make_room = make_room;
    }
    RK_TRY_ASSIGN(reserve,
                  store::SpaceReserve::open(machine.platform(), std::string(FullDisk::kReservePath),
                                            FullDisk::reserve_bytes(options_.seed)));
    environment.reserve = reserve.get();
  }
  RK_TRY_ASSIGN(const CrashCheck found,
                check_after_crash(machine.platform(), environment, models_, point.expected, hooks));
  if (point.disk_full) {
    FullDiskTotals& totals = totals_.full_disk;
    ++totals.starts_at_zero;
    ++(found.refused ? totals.stops_at_zero : totals.commits_at_zero);
    make_room();
  }
  if (reserve != nullptr && reserve->try_leave_disk_full()) {
    return Error(ErrorCode::no_space, "the reserve is not made again");
  }
  return found;
}

Result<std::unique_ptr<store::Environment>> PowerSimulation::open_for_writing(
    SimPlatform& machine, Background& background) {
  for (int attempt = 0;; ++attempt) {
    store::EnvironmentOptions options = background.hooked(environment_options());
    Result<void> ready;
    if (full_disk_ != nullptr) {
      ready = full_disk_->open();
      options.reserve = ready.has_value() ? &full_disk_->reserve() : nullptr;
    }
    Result<std::unique_ptr<store::Environment>> opened =
        ready.has_value() ? store::Environment::open(machine.platform(), std::move(options))
                          : std::move(ready).error();
    if (opened.has_value()) {
      return opened;
    }
    if (!options_.faults || attempt > 8 || !is_refusal(opened.error())) {
      return opened.error().with_context("open");
    }
  }
}

void PowerSimulation::wait_for_reserve(SimPlatform& machine, Background& background) {
  for (int step = 0; full_disk_->reserve().disk_full(); ++step) {
    if (step == kSettleStepsMax) {
      finding("there is room, and the reserve is not made again");
      return;
    }
    background.maintenance_needed();
    machine.clock().sleep_for(std::chrono::milliseconds(1));
  }
}

Result<void> PowerSimulation::live(SimPlatform& machine) {
  os::Platform& platform = machine.platform();
  Background background(platform, [&](const Error& error) {
    if (!options_.faults) {
      finding("maintenance: " + error.to_string());
    }
  });
  RK_TRY_ASSIGN(const std::unique_ptr<store::Environment> environment,
                open_for_writing(machine, background));
  background.start(*environment);
  std::vector<std::unique_ptr<os::Thread>> readers;
  for (std::uint32_t i = 0; i < options_.readers; ++i) {
    const std::uint64_t seed = options_.seed * 31 + i;
    readers.push_back(platform.threads.start(
        "reader", [&, seed] { read_for_a_while(machine, *environment, seed); }));
  }
  Result<void> result = write_all(machine, *environment, background);
  if (full_disk_ != nullptr && result.has_value() && !finding_.has_value()) {
    wait_for_reserve(machine, background);
  }
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
      if (full_disk_ != nullptr) {
        full_disk_->heal();
      }
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
    if (full_disk_ != nullptr) {  // a refusal for want of space: maintenance may have some
      background.maintenance_needed();
      machine.clock().sleep_for(std::chrono::milliseconds(1));
    }
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
    const bool from_reserve = full_disk_ != nullptr && full_disk_->next_attempt();
    RK_TRY_ASSIGN(store::WriteTxn txn, environment.begin_write());
    if (from_reserve) {
      txn.allow_reserve();
    }
    RK_TRY(workload_.apply(txn, n));
    attempted_ = std::max(attempted_, n);
    RK_TRY(txn.commit_async([this, n](const store::CommitOutcome& outcome) {
      if (outcome.result.has_value()) {
        acknowledged_ = std::max(acknowledged_, n);
        if (full_disk_ != nullptr) {
          full_disk_->note_commit();
        }
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
    if (full_disk_ != nullptr) {
      static_cast<void>(full_disk_->next_attempt());  // a full disk does not stay so for ever
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
