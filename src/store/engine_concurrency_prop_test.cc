// SPDX-License-Identifier: Apache-2.0
// Writers, long readers and maintenance at once, in fibers under a seeded scheduler, and then in
// real threads.
#include <atomic>

#include "rookery/os/memory_file_system.h"
#include "rookery/os/platform.h"

#include "engine_test_fixture.h"

namespace rookery::store {
namespace {

// Every value is its transaction's number, many times over; every transaction writes all of a group
// of keys. So whatever a snapshot shows must be of one transaction, and of one not newer than it.
constexpr std::uint64_t kKeys = 12;

std::string value_of(std::uint64_t txn, std::uint64_t key) {
  // Some values lie over several pages.
  const std::size_t repeats = key % 5 == 0 ? 3000 : 20;
  std::string value;
  for (std::size_t i = 0; i < repeats; ++i) {
    value += std::to_string(txn) + ";";
  }
  return value;
}

Result<void> write_group(WriteTxn& txn) {
  RK_TRY_ASSIGN(MutableTree tree, txn.tree("items"));
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const std::string value = value_of(txn.id().value(), key);
    RK_TRY(tree.put(as_bytes("key-" + std::to_string(key)), as_bytes(value)));
  }
  return {};
}

// "" if the snapshot is what it should be.
std::string check_snapshot(ReadTxn& txn) {
  const auto found = contents(txn);
  if (!found) {
    return found.error().to_string();
  }
  if (found->empty()) {
    return txn.id().value() == 0 ? "" : "a snapshot is empty";
  }
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const auto item = found->find("key-" + std::to_string(key));
    if (item == found->end() || item->second != value_of(txn.id().value(), key)) {
      return "snapshot of transaction " + std::to_string(txn.id().value()) + " has another's key " +
             std::to_string(key);
    }
  }
  return "";
}

struct Shared {
  Environment* env = nullptr;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> acknowledged{0};
  os::Mutex mutex;
  std::string first_problem;

  void note(std::string problem) {
    if (!problem.empty()) {
      const os::MutexLock lock(mutex);
      if (first_problem.empty()) {
        first_problem = std::move(problem);
      }
      stop.store(true);
    }
  }
};

void writer(Shared& shared, std::uint64_t seed, int commits) {
  Prng prng(seed);
  for (int i = 0; i < commits && !shared.stop.load(); ++i) {
    auto txn = shared.env->begin_write();
    if (!txn) {
      return shared.note(txn.error().to_string());
    }
    if (auto written = write_group(*txn); !written) {
      return shared.note(written.error().to_string());
    }
    if (prng.chance(8)) {
      continue;  // rolled back
    }
    if (prng.chance(3)) {
      const auto queued = txn->commit_async([&shared](const CommitOutcome& outcome) {
        shared.note(error_of(outcome.result));
        shared.acknowledged.store(outcome.txn.value());
      });
      shared.note(error_of(queued));
    } else {
      const auto done = txn->commit();
      shared.note(error_of(done));
    }
    if (prng.chance(2)) {
      shared.env->write_journal();
    }
  }
}

void reader(Shared& shared, os::Clock& clock, std::uint64_t seed) {
  Prng prng(seed);
  while (!shared.stop.load()) {
    const std::uint64_t before = shared.acknowledged.load();
    auto txn = shared.env->begin_read();
    if (!txn) {
      return shared.note(txn.error().to_string());
    }
    if (txn->id().value() < before) {
      shared.note("a snapshot is older than an acknowledged commit");
    }
    const std::uint64_t looks = 1 + prng.below(4);
    for (std::uint64_t i = 0; i < looks && !shared.stop.load(); ++i) {
      shared.note(check_snapshot(*txn));
      clock.sleep_for(std::chrono::microseconds(prng.below(3000)));
    }
  }
}

void maintainer(Shared& shared, os::Clock& clock, std::uint64_t seed) {
  Prng prng(seed);
  while (!shared.stop.load()) {
    const auto more = shared.env->maintain();
    shared.note(error_of(more));
    if (more && !*more) {
      clock.sleep_for(std::chrono::microseconds(prng.below(2000)));
    }
  }
}

EnvironmentOptions busy_options() {
  EnvironmentOptions options = small_options();
  options.sync_interval = std::chrono::milliseconds(3);
  return options;
}

void run_everyone(os::Platform& platform, std::uint64_t seed, int commits) {
  Shared shared;
  auto opened = Environment::open(platform, busy_options());
  ASSERT_EQ(error_of(opened), "");
  shared.env = opened->get();
  {
    std::vector<std::unique_ptr<os::Thread>> others;
    for (std::uint64_t i = 0; i < 3; ++i) {
      others.push_back(platform.threads.start(
          "reader", [&, i] { reader(shared, platform.clock, seed * 31 + i); }));
    }
    others.push_back(platform.threads.start(
        "maintainer", [&] { maintainer(shared, platform.clock, seed * 37); }));
    std::vector<std::unique_ptr<os::Thread>> writers;
    for (std::uint64_t i = 0; i < 2; ++i) {
      writers.push_back(
          platform.threads.start("writer", [&, i] { writer(shared, seed * 41 + i, commits); }));
    }
    for (auto& thread : writers) {
      thread->join();
    }
    shared.env->write_journal();
    shared.stop.store(true);
    for (auto& thread : others) {
      thread->join();
    }
  }
  ASSERT_EQ(shared.first_problem, "") << "seed " << seed;
  const auto report = shared.env->verify();
  ASSERT_EQ(error_of(report), "");
  ASSERT_TRUE(report->problems.empty()) << report->problems.front();
  ASSERT_EQ(error_of(shared.env->close()), "");
}

TEST(EngineConcurrencyProp, SnapshotsAreOfOneTransactionUnderEverySchedule) {
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::uint64_t seed = test_seed() + i;
    const auto report = testing::run_simulation(
        seed, [&](testing::SimPlatform& machine) { run_everyone(machine.platform(), seed, 25); });
    ASSERT_TRUE(report.finished()) << report.text;
    if (::testing::Test::HasFatalFailure()) {
      return;
    }
  }
}

TEST(EngineConcurrencyProp, SnapshotsAreOfOneTransactionInRealThreads) {
  os::MemoryFileSystem files;
  os::Platform& real = os::real_platform();
  os::Platform platform{files, real.clock, real.random, real.threads};
  run_everyone(platform, test_seed(), 100);
}

}  // namespace
}  // namespace rookery::store
