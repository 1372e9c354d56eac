// SPDX-License-Identifier: Apache-2.0
//
// rookery-history: records what concurrent clients are told, and judges it.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "check.h"
#include "history_file.h"
#include "model.h"
#include "run.h"
#include "simulate.h"

namespace rookery::history {
namespace {

constexpr int kExitFinding = 1;
constexpr int kExitFailure = 2;

int fail(const Error& error) {
  fmt::print(stderr, "{}\n", error.to_string());
  return kExitFailure;
}

int judge(const History& history) {
  const Result<Verdict> verdict = check(history);
  if (!verdict.has_value()) {
    return fail(verdict.error());
  }
  fmt::print("{}\n", counts_text(verdict->counts));
  if (verdict->clean()) {
    fmt::print("clean\n");
    return 0;
  }
  fmt::print("{}", findings_text(verdict->findings, history));
  return kExitFinding;
}

int check_file(const std::string& path) {
  History history;
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file) {
      fmt::print(stderr, "cannot read {}\n", path);
      return kExitFailure;
    }
  }
  if (const Result<void> read = read_history(path == "-" ? std::cin : file, history);
      !read.has_value()) {
    return fail(read.error());
  }
  return judge(history);
}

int make_model(const ModelOptions& options, const std::string& fault) {
  const auto known = model_fault_named(fault);
  if (!known.has_value()) {
    fmt::print(stderr, "no fault is named '{}'\n", fault);
    return kExitFailure;
  }
  ModelOptions with_fault = options;
  with_fault.fault = *known;
  History history;
  make_model_history(with_fault, history);
  write_history(history, std::cout);
  return 0;
}

// Why requests were refused, and answers that nobody should get.
int print_answers(const Recorder& recorder) {
  for (const auto& [why, count] : recorder.refusals()) {
    fmt::print("refused: {} {}\n", count, why);
  }
  for (const std::string& complaint : recorder.complaints()) {
    fmt::print("complaint: {}\n", complaint);
  }
  return recorder.complaints().empty() ? 0 : kExitFinding;
}

void keep(const History& history, const std::string& path) {
  std::ofstream file(path);
  write_history(history, file);
  fmt::print("the history is in {}\n", path);
}

int run(RunOptions options, const std::string& out) {
  fmt::print("seed {} (repeat with --seed)\n", options.seed);
  std::fflush(stdout);
  const bool is_own = options.folder.empty();
  if (is_own) {
    options.folder = (std::filesystem::temp_directory_path() /
                      fmt::format("rookery-history-{}-{}", ::getpid(), options.seed))
                         .string();
  }
  Recorder recorder;
  const Result<RunReport> report = record_run(options, recorder);
  int status = 0;
  if (report.has_value()) {
    fmt::print("{} kills, {} of them at a system call, {} of those while opening\n", report->kills,
               report->kills_at_calls, report->kills_while_opening);
  } else {
    status = fail(report.error());
  }
  if (print_answers(recorder) != 0) {
    status = kExitFinding;
  }
  const int verdict = judge(recorder.history());
  status = verdict != 0 ? verdict : status;
  if (!out.empty() || status != 0) {
    const std::string path = out.empty() ? options.folder + ".jsonl" : out;
    keep(recorder.history(), path);
  }
  if (status == 0 && is_own) {
    std::filesystem::remove_all(options.folder);
    std::filesystem::remove(options.folder + ".log");
  }
  return status;
}

int simulate(SimulateOptions options, std::uint32_t runs, const std::string& out) {
  for (std::uint32_t i = 0; i < runs; ++i, ++options.seed) {
    fmt::print("seed {}\n", options.seed);
    Recorder recorder;
    const Result<void> recorded = record_simulation(options, recorder);
    int status = recorded.has_value() ? 0 : fail(recorded.error());
    status = std::max(status, print_answers(recorder));
    status = std::max(status, judge(recorder.history()));
    std::fflush(stdout);
    if (status != 0 || !out.empty()) {
      keep(recorder.history(), out.empty() ? fmt::format("simulate-{}.jsonl", options.seed) : out);
    }
    if (status != 0) {
      return status;
    }
  }
  return 0;
}

}  // namespace
}  // namespace rookery::history

int main(int argc, char** argv) {
  using namespace rookery::history;  // NOLINT(google-build-using-namespace): this is its program
  CLI::App app("Records what concurrent clients are told, and judges it (docs/consistency.md).");
  app.require_subcommand(1);

  std::string path;
  auto* const check = app.add_subcommand("check", "judge a recorded history");
  check->add_option("FILE", path, "one operation a line; -: standard input")->required();

  RunOptions options;
  options.seed = std::random_device{}();
  std::string out;
  std::uint64_t seconds = 10;
  auto* const run_command = app.add_subcommand("run", "clients of a server that is killed");
  run_command->add_option("--binary", options.binary, "rookery")->required();
  run_command->add_option("--folder", options.folder, "for the server; default: a temporary one");
  run_command->add_option("--seed", options.seed, "of the clients and the kills");
  run_command->add_option("--clients", options.clients, "at once")->capture_default_str();
  run_command->add_option("--for", seconds, "seconds")->capture_default_str();
  run_command->add_option("--kills", options.kills, "but for the last")->capture_default_str();
  run_command->add_flag("--at-calls", options.at_calls, "killed at n-th system calls, by strace");
  run_command->add_option("--documents", options.workload.documents, "")->capture_default_str();
  run_command->add_option("--out", out, "keep the history here");

  SimulateOptions simulate_options;
  simulate_options.seed = options.seed;
  std::uint32_t runs = 1;
  auto* const simulate_command = app.add_subcommand(
      "simulate", "the same clients on a simulated machine: a seed is a history");
  simulate_command->add_option("--seed", simulate_options.seed, "of the first run");
  simulate_command->add_option("--runs", runs, "with seeds that count up")->capture_default_str();
  simulate_command->add_option("--out", out, "keep the history of the last run here");
  simulate_command->add_option("--clients", simulate_options.clients, "")->capture_default_str();
  simulate_command->add_option("--cuts", simulate_options.cuts, "a run")->capture_default_str();

  ModelOptions model_options;
  std::string fault = "none";
  auto* const model = app.add_subcommand("model", "write a history of a made-up database");
  model->add_option("--seed", model_options.seed, "")->capture_default_str();
  model->add_option("--operations", model_options.operations, "")->capture_default_str();
  model->add_option("--clients", model_options.clients, "")->capture_default_str();
  model->add_option("--documents", model_options.documents, "")->capture_default_str();
  model->add_option("--fault", fault, "of the database, by name")->capture_default_str();

  CLI11_PARSE(app, argc, argv);
  if (check->parsed()) {
    return check_file(path);
  }
  if (model->parsed()) {
    return make_model(model_options, fault);
  }
  if (simulate_command->parsed()) {
    return simulate(simulate_options, runs, out);
  }
  options.time = std::chrono::seconds(seconds);
  return run(options, out);
}
