// SPDX-License-Identifier: Apache-2.0
// What the engine makes of errors: from the journal, the headers, the data file, and no space.
#include <functional>

#include "rookery/store/space_reserve.h"

#include "engine_test_fixture.h"

namespace rookery::store {
namespace {

using testing::CallKind;
using testing::FaultEffect;
using testing::FaultRule;
using testing::Survival;

FaultRule fault(std::optional<CallKind> kind, std::string path, FaultEffect effect,
                std::uint64_t times = 1) {
  FaultRule rule;
  rule.kind = kind;
  rule.path_contains = std::move(path);
  rule.effect = effect;
  rule.times = times;
  return rule;
}

FaultRule full(std::string path, std::uint64_t times = FaultRule::kForever) {
  FaultRule rule = fault(CallKind::kAllocate, std::move(path), FaultEffect::kFail, times);
  rule.os_errno = ENOSPC;
  return rule;
}

class EngineFailureTest : public EngineTest {
 protected:
  // One commit that is in the journal's current file, so that the next one only appends.
  void open_with_one(EnvironmentOptions options = small_options()) {
    open(std::move(options));
    ASSERT_EQ(error_of(put(env(), "before", "1")), "");
  }

  void reopen_after_cut() {
    cut_power();
    open();
    expect_sound();
  }

  std::unique_ptr<SpaceReserve> reserve_;  // outlives the environment, which TearDown() closes
};

class JournalWriteFailure : public EngineFailureTest,
                            public ::testing::WithParamInterface<FaultEffect> {};

TEST_P(JournalWriteFailure, IsNotStoredAndNeverComesBack) {
  open_with_one();
  const auto rule = files().add_fault(fault(CallKind::kWrite, ".journal", GetParam()));
  const auto failed = put(env(), "lost", "1");
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code(), ErrorCode::not_stored);
  EXPECT_EQ(files().fault_hits(rule), 1U);
  EXPECT_EQ(env().stats().reloads, 1U);
  expect_contents({{"before", "1"}});
  // The same transaction number again, in a new file: there must be one history.
  ASSERT_EQ(error_of(put(env(), "after", "2")), "");
  expect_contents({{"before", "1"}, {"after", "2"}});
  reopen_after_cut();
  expect_contents({{"before", "1"}, {"after", "2"}});
}

TEST_P(JournalWriteFailure, IsNotStoredEvenIfNothingFollows) {
  open_with_one();
  files().add_fault(fault(CallKind::kWrite, ".journal", GetParam()));
  EXPECT_EQ(put(env(), "lost", "1").error().code(), ErrorCode::not_stored);
  reopen_after_cut();
  expect_contents({{"before", "1"}});
  ASSERT_EQ(error_of(put(env(), "after", "2")), "");
  reopen_after_cut();
  expect_contents({{"before", "1"}, {"after", "2"}});
}

TEST_P(JournalWriteFailure, InsideALongRecordLeavesNothingOfIt) {
  EnvironmentOptions options = small_options();
  options.scratch_total_bytes_max = 64 * 1024 * 1024;
  open_with_one(options);
  std::string big(6'000'000, '\0');
  Prng prng(test_seed());
  for (char& c : big) {
    c = static_cast<char>(prng.next());
  }
  FaultRule second_batch = fault(CallKind::kWrite, ".journal", GetParam());
  second_batch.skip = 1;
  files().add_fault(second_batch);
  // The first write makes the new file's first block under its temporary name; what follows is the
  // record's batches.
  EXPECT_EQ(put(env(), "big", big).error().code(), ErrorCode::not_stored);
  ASSERT_EQ(error_of(put(env(), "after", "2")), "");
  reopen_after_cut();
  expect_contents({{"before", "1"}, {"after", "2"}});
}

INSTANTIATE_TEST_SUITE_P(Effects, JournalWriteFailure,
                         ::testing::Values(FaultEffect::kFail, FaultEffect::kFailPartly,
                                           FaultEffect::kFailButPersist));

TEST_F(EngineFailureTest, AFailedFenceMeansOutcomeUnknownUntilMaintenanceRepairs) {
  open_with_one();
  files().add_fault(fault(CallKind::kWrite, ".journal", FaultEffect::kFailButPersist));
  const auto header =
      files().add_fault(fault(std::nullopt, "header.", FaultEffect::kFail, FaultRule::kForever));
  EXPECT_EQ(put(env(), "maybe", "1").error().code(), ErrorCode::outcome_unknown);
  const auto refused = env().begin_write();
  EXPECT_EQ(refused.error().code(), ErrorCode::poisoned);
  expect_contents({{"before", "1"}});  // reads go on
  EXPECT_FALSE(env().maintain().has_value());
  EXPECT_EQ(env().begin_write().error().code(), ErrorCode::poisoned);
  files().remove_fault(header);
  ASSERT_EQ(error_of(env().maintain()), "");
  ASSERT_EQ(error_of(put(env(), "after", "2")), "");
  reopen_after_cut();
  expect_contents({{"before", "1"}, {"after", "2"}});
}

TEST_F(EngineFailureTest, AnUnknownOutcomeIsOneOfTheTwoAfterRestart) {
  open_with_one();
  files().add_fault(fault(CallKind::kWrite, ".journal", FaultEffect::kFailButPersist));
  files().add_fault(fault(std::nullopt, "header.", FaultEffect::kFail, FaultRule::kForever));
  EXPECT_EQ(put(env(), "maybe", "1").error().code(), ErrorCode::outcome_unknown);
  files().clear_faults();
  reopen_after_cut();
  expect_contents({{"before", "1"}, {"maybe", "1"}});  // it was durable after all
  ASSERT_EQ(error_of(put(env(), "after", "2")), "");
  reopen_after_cut();
  expect_contents({{"before", "1"}, {"maybe", "1"}, {"after", "2"}});
}

// Commits `count` transactions while one batch is being written, then fails batch number `failing`.
TEST_F(EngineFailureTest, WhatWasBuiltOnAFailedCommitFailsToo) {
  for (std::uint64_t failing = 0; failing < 4; ++failing) {
    environment_.reset();
    ASSERT_EQ(error_of(os::remove_tree(files(), "db")), "");
    open_with_one();
    FaultRule rule = fault(CallKind::kWrite, ".journal", FaultEffect::kFailButPersist);
    rule.skip = failing;
    files().add_fault(rule);
    std::map<std::uint64_t, ErrorCode> failures;
    std::vector<std::uint64_t> stored;
    std::uint64_t next = 0;
    const auto commit_one = [&] {
      auto txn = env().begin_write();
      ASSERT_EQ(error_of(txn), "");
      auto tree = txn->tree("items");
      // It sees what is in flight.
      EXPECT_EQ(tree->view().entry_count(), next + 1);
      const std::uint64_t number = next++;
      ASSERT_EQ(error_of(tree->put(as_bytes("n" + std::to_string(number)), as_bytes("v"))), "");
      ASSERT_EQ(error_of(txn->commit_async([&, number](const CommitOutcome& outcome) {
                  if (outcome.result) {
                    stored.push_back(number);
                  } else {
                    failures[number] = outcome.result.error().code();
                  }
                })),
                "");
    };
    // Each batch finds the next commit executed already when it is written.
    files().set_observer([&](const testing::SimCall& call, testing::CutPhase phase) {
      if (call.kind == CallKind::kWrite && phase == testing::CutPhase::kBefore &&
          call.path.ends_with(".journal") && next < 4) {
        commit_one();
      }
    });
    commit_one();
    env().write_journal();
    files().set_observer({});
    // Every commit up to the failing batch is stored; that one and the one built on it are not.
    ASSERT_EQ(stored.size(), failing);
    ASSERT_FALSE(failures.empty());
    for (const auto& [number, code] : failures) {
      EXPECT_GE(number, failing);
      EXPECT_EQ(code, ErrorCode::not_stored);
    }
    Model expected{{"before", "1"}};
    for (const std::uint64_t number : stored) {
      expected["n" + std::to_string(number)] = "v";
    }
    expect_contents(expected);
    expect_sound();
    ASSERT_EQ(error_of(put(env(), "after", "2")), "");
    expected["after"] = "2";
    expect_contents(expected);
    reopen_after_cut();
    expect_contents(expected);
  }
}

TEST_F(EngineFailureTest, AWriterOnAFailedBaseCannotCommit) {
  open_with_one();
  auto first = env().begin_write();
  auto tree = first->tree("items");
  ASSERT_EQ(error_of(tree->put(as_bytes("lost"), as_bytes("1"))), "");
  ErrorCode outcome{};
  ASSERT_EQ(error_of(first->commit_async(
                [&](const CommitOutcome& known) { outcome = known.result.error().code(); })),
            "");
  auto second = env().begin_write();
  ASSERT_EQ(error_of(second), "");
  auto on_it = second->tree("items");
  EXPECT_TRUE(on_it->get(as_bytes("lost"))->has_value());
  ASSERT_EQ(error_of(on_it->put(as_bytes("also lost"), as_bytes("1"))), "");
  files().add_fault(fault(CallKind::kWrite, ".journal", FaultEffect::kFail));
  env().write_journal();
  EXPECT_EQ(outcome, ErrorCode::not_stored);
  // What it had read stays readable, but comes to nothing.
  EXPECT_TRUE(on_it->get(as_bytes("lost"))->has_value());
  EXPECT_EQ(second->commit().error().code(), ErrorCode::not_stored);
  expect_contents({{"before", "1"}});
  ASSERT_EQ(error_of(put(env(), "after", "2")), "");
  expect_sound();
}

TEST_F(EngineFailureTest, AFailedDataSyncIsNotBelievedTheSecondTime) {
  open_with_one();
  ASSERT_EQ(error_of(put(env(), "a", std::string(30'000, 'a'))), "");
  files().add_fault(fault(CallKind::kSync, "data.rks", FaultEffect::kFailAndForget));
  ASSERT_EQ(error_of(env().sync_all()), "");
  EXPECT_EQ(env().stats().reloads, 1U);
  files().drop_caches();
  const Model expected{{"before", "1"}, {"a", std::string(30'000, 'a')}};
  expect_contents(expected);
  expect_sound();
  reopen_after_cut();
  EXPECT_EQ(env().stats().batches_replayed, 0U);
  expect_contents(expected);
}

TEST_F(EngineFailureTest, WritesAreRefusedWhileTheDataFileCannotBeSynced) {
  open_with_one();
  const auto rule = files().add_fault(
      fault(CallKind::kSync, "data.rks", FaultEffect::kFailAndForget, FaultRule::kForever));
  EXPECT_FALSE(env().sync_all().has_value());
  EXPECT_EQ(env().begin_write().error().code(), ErrorCode::poisoned);
  expect_contents({{"before", "1"}});
  EXPECT_FALSE(env().sync_all().has_value());
  files().remove_fault(rule);
  ASSERT_EQ(error_of(env().sync_all()), "");
  files().drop_caches();
  ASSERT_EQ(error_of(put(env(), "after", "2")), "");
  expect_contents({{"before", "1"}, {"after", "2"}});
  reopen_after_cut();
  expect_contents({{"before", "1"}, {"after", "2"}});
}

TEST_F(EngineFailureTest, AFailedWriteToTheDataFileIsTriedAgainLater) {
  open_with_one();
  FaultRule rule = fault(CallKind::kWrite, "data.rks", FaultEffect::kFailPartly, 2);
  files().add_fault(rule);
  EXPECT_FALSE(env().sync_all().has_value());
  ASSERT_EQ(error_of(put(env(), "a", "1")), "");
  EXPECT_FALSE(env().sync_all().has_value());
  ASSERT_EQ(error_of(env().sync_all()), "");
  reopen_after_cut();
  expect_contents({{"before", "1"}, {"a", "1"}});
}

TEST_F(EngineFailureTest, ADataFileThatCannotGrowIsNoErrorToWriters) {
  open_with_one();
  const auto rule = files().add_fault(full("data.rks"));
  EXPECT_EQ(env().sync_all().error().code(), ErrorCode::no_space);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(error_of(put(env(), "k" + std::to_string(i), "v")), "");
    ASSERT_EQ(error_of(env().maintain()), "");
  }
  files().remove_fault(rule);
  ASSERT_EQ(error_of(env().sync_all()), "");
  EXPECT_EQ(env().stats().unsynced_pages, 0U);
  expect_sound();
}

TEST_F(EngineFailureTest, WritersAreRefusedWhenScratchIsFullAndResume) {
  EnvironmentOptions options = small_options();
  options.scratch_memory_bytes_max = 1024 * 1024;
  options.scratch_total_bytes_max = 2 * 1024 * 1024;
  open_with_one(options);
  const auto no_growth = files().add_fault(full("data.rks"));
  const auto no_temp = files().add_fault(full("Temp"));
  Result<TxnId> last = TxnId(0);
  int stored = 0;
  for (; stored < 1000; ++stored) {
    last = put(env(), "k" + std::to_string(stored), std::string(9000, 'v'));
    if (!last) {
      break;
    }
  }
  ASSERT_FALSE(last.has_value());
  EXPECT_EQ(last.error().code(), ErrorCode::no_space);
  EXPECT_GT(stored, 10);
  EXPECT_EQ(contents(env())->size(), static_cast<std::size_t>(stored) + 1);
  files().remove_fault(no_growth);
  files().remove_fault(no_temp);
  ASSERT_EQ(error_of(put(env(), "after", "2")), "");
  expect_sound();
}

// I14: whichever allocating call fails, the commit is refused cleanly or goes on, and writing
// resumes by itself.
TEST_F(EngineFailureTest, NoSpaceAtTheNthAllocatingCall) {
  for (std::uint64_t n = 0; n < 24; ++n) {
    environment_.reset();
    ASSERT_EQ(error_of(os::remove_tree(files(), "db")), "");
    open();
    Model model;
    std::vector<std::uint64_t> rules;
    for (const CallKind kind :
         {CallKind::kAllocate, CallKind::kCreate, CallKind::kRename, CallKind::kSyncDirectory}) {
      FaultRule rule = fault(kind, "", FaultEffect::kFail, 2);
      rule.os_errno = ENOSPC;
      rule.skip = n / 4;
      if (static_cast<std::uint64_t>(kind) % 4 == n % 4) {
        rules.push_back(files().add_fault(rule));
      }
    }
    int refused = 0;
    for (int i = 0; i < 25; ++i) {
      const std::string key = "k" + std::to_string(i % 7);
      const std::string value(static_cast<std::size_t>(i) * 900, 'v');
      const auto done = put(env(), key, value);
      if (done) {
        model[key] = value;
      } else {
        ++refused;
        EXPECT_EQ(done.error().code(), ErrorCode::no_space) << done.error().to_string();
      }
      if (i % 5 == 4) {
        static_cast<void>(env().sync_all());
      }
    }
    files().clear_faults();
    EXPECT_LT(refused, 5);
    ASSERT_EQ(error_of(put(env(), "after", "2")), "") << n;
    model["after"] = "2";
    expect_contents(model);
    expect_sound();
    reopen_after_cut();
    expect_contents(model);
  }
}

TEST_F(EngineFailureTest, AFullDiskLetsReadsDeletesShutdownAndStartGoOn) {
  files().set_capacity(12 * 1024 * 1024);
  auto made = SpaceReserve::open(sim_.platform(), "reserve", 1024 * 1024);
  ASSERT_EQ(error_of(made), "");
  reserve_ = std::move(made).value();
  EnvironmentOptions options = small_options();
  options.reserve = reserve_.get();
  open(options);
  Prng prng(test_seed());
  int stored = 0;
  Result<TxnId> last = TxnId(0);
  for (; stored < 5000 && last; ++stored) {
    std::string noise(9000, '\0');
    for (char& c : noise) {
      c = static_cast<char>(prng.next());
    }
    last = put(env(), "k" + std::to_string(stored), noise);
    static_cast<void>(env().maintain());
  }
  ASSERT_FALSE(last.has_value());
  EXPECT_EQ(last.error().code(), ErrorCode::no_space);
  --stored;
  EXPECT_TRUE(reserve_->disk_full());
  EXPECT_EQ(contents(env())->size(), static_cast<std::size_t>(stored));
  // Nothing at all is left.
  files().set_capacity(files().used_bytes());
  // Closing may not be able to flush; nothing is lost.
  static_cast<void>(env().close());
  environment_.reset();
  open(options);
  EXPECT_EQ(contents(env())->size(), static_cast<std::size_t>(stored));
  // What the reserve gave back is for deletes.
  files().set_capacity(files().used_bytes() + 1024 * 1024);
  for (int i = 0; i < stored; ++i) {
    auto txn = env().begin_write();
    ASSERT_EQ(error_of(txn), "");
    txn->allow_reserve();
    auto tree = txn->tree("items");
    ASSERT_EQ(error_of(tree->erase(as_bytes("k" + std::to_string(i)))), "");
    ASSERT_EQ(error_of(txn->commit()), "");
    ASSERT_EQ(error_of(env().maintain()), "");
  }
  expect_contents({});
  // Space returns, and ordinary writing with it.
  files().set_capacity(64 * 1024 * 1024);
  ASSERT_EQ(error_of(env().maintain()), "");
  EXPECT_FALSE(reserve_->disk_full());
  ASSERT_EQ(error_of(put(env(), "after", "2")), "");
  expect_sound();
}

TEST_F(EngineFailureTest, AFaultedMapIsAnErrorUntilItIsReplaced) {
  EnvironmentOptions options = small_options();
  int asked_for_maintenance = 0;
  options.on_maintenance_needed = [&] { ++asked_for_maintenance; };
  open(options);
  ASSERT_EQ(error_of(put(env(), "key", "value")), "");
  ASSERT_EQ(error_of(env().sync_all()), "");
  asked_for_maintenance = 0;
  {
    auto reader = env().begin_read();
    files().fail_maps("db/data.rks");
    const auto read = contents(*reader);
    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().code(), ErrorCode::io);
    EXPECT_FALSE(reader->check_health().has_value());
  }
  // A database that is only read has no other reason to be looked after.
  EXPECT_EQ(asked_for_maintenance, 1);
  files().mend_maps("db/data.rks");
  ASSERT_EQ(error_of(env().maintain()), "");
  expect_contents({{"key", "value"}});
  ASSERT_EQ(error_of(env().close()), "");  // the hook's counter goes now
}

}  // namespace
}  // namespace rookery::store
