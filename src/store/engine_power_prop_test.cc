// SPDX-License-Identifier: Apache-2.0
// Power cuts at every mutating call of a workload, before, in the middle of and after it, and again
// inside the recoveries.
#include <algorithm>

#include "engine_test_fixture.h"

namespace rookery::store {
namespace {

using testing::CutPhase;
using testing::SimDisk;
using testing::SimFileSystem;
using testing::SimPlatform;
using testing::Survival;

// What a machine that lost its power may show: the acknowledged state, or the one that was being
// committed.
struct Expected {
  Model acknowledged;
  std::optional<Model> in_flight;
};

struct Fork {
  SimDisk disk;
  Expected expected;
  std::string where;
};

class PowerCutTest : public ::testing::Test {
 protected:
  // Opens the disk, checks it, and works on: recovery must leave something that can be built on.
  // With `depth`, cuts the power inside that recovery too.
  void check(const Fork& fork, int depth, Prng& prng) {
    testing::SimPlatformOptions options;
    options.disk = fork.disk;
    SimPlatform machine(prng.next(), options);
    std::vector<Fork> deeper;
    if (depth > 0) {
      // One cut somewhere in the recovery, drawn from the first few calls.
      const std::uint64_t at = 1 + prng.below(5);
      machine.files().set_observer([&, at](const testing::SimCall& call, CutPhase phase) {
        if (call.mutation == at && deeper.size() < 3) {
          deeper.push_back({machine.files().cut_copy(survival(prng), prng.next()), fork.expected,
                            fork.where + " > " + std::string(call_name(call.kind))});
        }
        static_cast<void>(phase);
      });
    }
    auto opened = Environment::open(machine.platform(), small_options());
    machine.files().set_observer({});
    ASSERT_EQ(error_of(opened), "") << fork.where;
    Environment& env = **opened;
    const auto found = contents(env);
    ASSERT_EQ(error_of(found), "") << fork.where;
    const bool acknowledged = *found == fork.expected.acknowledged;
    const bool committed = fork.expected.in_flight && *found == *fork.expected.in_flight;
    ASSERT_TRUE(acknowledged || committed) << fork.where;
    replayed_ += env.stats().batches_replayed > 0 ? 1U : 0U;
    torn_ += env.stats().torn_tails;
    ++cuts_;
    if (prng.chance(4)) {
      const auto report = env.verify();
      ASSERT_EQ(error_of(report), "") << fork.where;
      ASSERT_TRUE(report->problems.empty()) << fork.where << ": " << report->problems.front();
      Model expected = *found;
      ASSERT_EQ(error_of(put(env, "afterwards", "1")), "") << fork.where;
      expected["afterwards"] = "1";
      ASSERT_EQ(error_of(env.close()), "") << fork.where;
      opened->reset();
      opened = Environment::open(machine.platform(), small_options());
      ASSERT_EQ(error_of(opened), "") << fork.where;
      ASSERT_TRUE(*contents(**opened) == expected) << fork.where;
    }
    opened->reset();
    for (const Fork& next : deeper) {
      check(next, depth - 1, prng);
      if (HasFatalFailure()) {
        return;
      }
    }
  }

  static Survival survival(Prng& prng) {
    return prng.chance(4)   ? Survival::kNothing
           : prng.chance(4) ? Survival::kEverything
                            : Survival::kSubset;
  }

  // `share`: one in so many points is tried.
  void run(std::uint64_t seed, int steps, std::uint64_t share) {
    Prng prng(seed);
    SimPlatform machine(seed);
    Expected expected;
    std::vector<Fork> forks;
    bool exists = false;
    machine.files().set_observer([&](const testing::SimCall& call, CutPhase phase) {
      // Batches that are torn are what recovery has to tell from corruption: more of those.
      const bool batch = call.kind == testing::CallKind::kWrite && phase == CutPhase::kMiddle &&
                         call.path.ends_with(".journal");
      if (exists && prng.chance(batch ? 3 : share)) {
        forks.push_back({machine.files().cut_copy(survival(prng), prng.next()), expected,
                         std::string(call_name(call.kind)) + " " + call.path + " phase " +
                             std::to_string(static_cast<int>(phase)) + " seed " +
                             std::to_string(seed)});
      }
    });
    auto env = std::move(Environment::open(machine.platform(), small_options())).value();
    exists = true;
    for (int step = 0; step < steps; ++step) {
      auto txn = env->begin_write();
      ASSERT_EQ(error_of(txn), "");
      Model changed = expected.acknowledged;
      ASSERT_EQ(error_of(random_changes(*txn, changed, prng)), "");
      expected.in_flight = changed;
      ASSERT_EQ(error_of(txn->commit()), "");
      expected.acknowledged = std::move(changed);
      expected.in_flight.reset();
      if (prng.chance(8)) {
        ASSERT_EQ(error_of(env->sync_all()), "");
      }
      if (prng.chance(12)) {
        ASSERT_EQ(error_of(env->close()), "");
        env.reset();
        env = std::move(Environment::open(machine.platform(), small_options())).value();
      }
      for (const Fork& fork : forks) {
        check(fork, 2, prng);
        if (HasFatalFailure()) {
          return;
        }
      }
      forks.clear();
    }
    machine.files().set_observer({});
  }

  std::uint64_t cuts_ = 0;
  std::uint64_t replayed_ = 0;
  std::uint64_t torn_ = 0;
};

// One workload's share of cuts may miss what the test is for: it goes on until it has seen enough.
TEST_F(PowerCutTest, EverythingAcknowledgedIsThereAndNothingByHalves) {
  const auto seen_enough = [&] { return cuts_ > 60 && replayed_ > 40 && torn_ > 3; };
  for (std::uint64_t round = 0; round < 2 || (round < 20 && !seen_enough()); ++round) {
    run(test_seed() + round, 20, 50);
    if (HasFatalFailure()) {
      return;
    }
  }
  printf("%llu cuts, %llu with batches to replay, %llu torn tails\n",
         static_cast<unsigned long long>(cuts_), static_cast<unsigned long long>(replayed_),
         static_cast<unsigned long long>(torn_));
  EXPECT_TRUE(seen_enough());
}

// A cut while the environment is being made leaves none, or a whole one.
TEST_F(PowerCutTest, CreationIsAtomic) {
  Prng prng(test_seed());
  SimPlatform machine(test_seed());
  std::vector<SimDisk> disks;
  machine.files().set_observer([&](const testing::SimCall&, CutPhase) {
    for (int i = 0; i < 4; ++i) {
      disks.push_back(machine.files().cut_copy(survival(prng), prng.next()));
    }
  });
  ASSERT_EQ(error_of(Environment::open(machine.platform(), small_options())), "");
  machine.files().set_observer({});
  ASSERT_GT(disks.size(), 50U);
  for (const SimDisk& disk : disks) {
    if (!prng.chance(5)) {
      continue;  // a share of them, for time
    }
    testing::SimPlatformOptions options;
    options.disk = disk;
    SimPlatform after(prng.next(), options);
    auto opened = Environment::open(after.platform(), small_options());
    ASSERT_EQ(error_of(opened), "");
    ASSERT_TRUE(contents(**opened)->empty());
    ASSERT_EQ(error_of(put(**opened, "a", "1")), "");
  }
}

}  // namespace
}  // namespace rookery::store
