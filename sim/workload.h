// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/store/environment.h"

// Purpose. A workload whose n-th transaction is a pure function of (seed, n), and the model of what
// it leaves behind. Whoever holds the store's files after a crash can therefore say which
// transaction was the last, and whether everything is exactly as it should be: nothing lost,
// nothing by halves.
// Threads: one at a time.

namespace rookery::sim {

struct WorkloadOptions {
  std::uint64_t seed = 1;
  std::uint32_t key_count = 150;        // distinct keys a structure
  std::uint32_t operations_max = 8;     // a transaction
  std::uint32_t value_size_max = 1500;  // bytes, of the ordinary values
  std::uint32_t big_one_in = 25;        // one value in so many is big
  std::uint32_t big_value_size_max = 60'000;
};

// What the store must hold after `transactions` of the workload.
struct Model {
  std::uint64_t transactions = 0;
  std::map<std::string, std::string> tree;
  std::map<std::int64_t, std::string> fixed;
  std::map<std::string, std::string> rows;  // primary key to whole row
};

class Workload {
 public:
  explicit Workload(const WorkloadOptions& options) : options_(options) {}

  [[nodiscard]] const WorkloadOptions& options() const noexcept { return options_; }

  // Applies transaction `n` (the first is 1) without committing it. Errors: concurrency, if n - 1
  // is not what the store holds; those of the store.
  [[nodiscard]] Result<void> apply(store::WriteTxn& txn, std::uint64_t n) const;
  // Advances the model to `n` transactions.
  void advance(Model& model, std::uint64_t n) const;
  // How many transactions the store holds: the workload writes n into each.
  [[nodiscard]] static Result<std::uint64_t> transactions_in(store::ReadTxn& txn);
  // Differences between the store and the model, in words; empty if there are none. Bounded: stops
  // after ten.
  [[nodiscard]] static Result<std::vector<std::string>> compare(store::ReadTxn& txn,
                                                                const Model& model);
  // The table's schema, for verify().
  [[nodiscard]] static const store::TableSchema& table_schema();

 private:
  struct Operation;
  [[nodiscard]] std::vector<Operation> operations(std::uint64_t n) const;

  WorkloadOptions options_;
};

// Purpose. Models by their number of transactions, made from the nearest earlier one that was kept:
// a harness asks for thousands of them in no order.
class Models {
 public:
  explicit Models(const Workload& workload) : workload_(workload) {}

  [[nodiscard]] Model at(std::uint64_t transactions);

  [[nodiscard]] const Workload& workload() const noexcept { return workload_; }

 private:
  static constexpr std::uint64_t kKeepEvery = 16;

  const Workload& workload_;
  std::map<std::uint64_t, Model> kept_;
};

// What must be true of the files that a crash left.
struct Expectation {
  std::uint64_t acknowledged = 0;  // at least so many transactions are there
  std::uint64_t attempted = 0;     // and at most so many
};

struct CrashCheck {
  std::uint64_t transactions = 0;      // found
  std::uint64_t batches_replayed = 0;  // by recovery
  std::uint64_t torn_tails = 0;
  bool refused = false;  // the next commit, until there was room
};

struct CrashHooks {
  // Between recovery and all else.
  std::function<void()> after_open{};
  // If the disk is full: gives it room, after a stop. Without, to have none is an error.
  std::function<void()> make_room{};
};

// Opens what a crash left, and checks it: it opens, verify() is clean, as many transactions are
// there as there must be, each whole, and one more commit works; on a full disk, perhaps only after
// a stop and a start with room, at which all that again.
// Errors: corrupt with all findings in its text; or what the store returned.
[[nodiscard]] Result<CrashCheck> check_after_crash(os::Platform& platform,
                                                   const store::EnvironmentOptions& options,
                                                   Models& models, const Expectation& expected,
                                                   const CrashHooks& hooks = {});

}  // namespace rookery::sim
