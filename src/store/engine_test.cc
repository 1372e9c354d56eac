// SPDX-License-Identifier: Apache-2.0
#include "engine_fixture.h"

namespace rookery::store {
namespace {

using testing::CallKind;
using testing::FaultEffect;
using testing::Survival;

TEST_F(EngineTest, CreatesAnEmptyEnvironmentAndOpensItAgain) {
  open();
  expect_contents({});
  expect_sound();
  ASSERT_EQ(error_of(env().close()), "");
  environment_.reset();
  open();
  expect_contents({});
}

TEST_F(EngineTest, ReadsWhatItCommitted) {
  open();
  ASSERT_EQ(error_of(put(env(), "a", "1")), "");
  ASSERT_EQ(error_of(put(env(), "b", std::string(100'000, 'x'))), "");
  expect_contents({{"a", "1"}, {"b", std::string(100'000, 'x')}});
  expect_sound();
}

TEST_F(EngineTest, KeepsCommitsOverACleanClose) {
  open();
  ASSERT_EQ(error_of(put(env(), "a", "1")), "");
  ASSERT_EQ(error_of(env().close()), "");
  environment_.reset();
  EXPECT_TRUE(files().list("db/Journals")->empty());
  open();
  EXPECT_EQ(env().stats().batches_replayed, 0U);
  expect_contents({{"a", "1"}});
  ASSERT_EQ(error_of(put(env(), "b", "2")), "");
  expect_contents({{"a", "1"}, {"b", "2"}});
  expect_sound();
}

TEST_F(EngineTest, ReplaysAfterAPowerCut) {
  open();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(error_of(put(env(), "k" + std::to_string(i), "v")), "");
  }
  cut_power();
  open();
  EXPECT_EQ(env().stats().batches_replayed, 20U);
  EXPECT_EQ(contents(env())->size(), 20U);
  expect_sound();
}

TEST_F(EngineTest, RollsBackWhatIsNotCommitted) {
  open();
  ASSERT_EQ(error_of(put(env(), "a", "1")), "");
  {
    auto txn = env().begin_write();
    ASSERT_EQ(error_of(txn), "");
    auto tree = txn->tree("items");
    ASSERT_EQ(error_of(tree->put(as_bytes("b"), as_bytes(std::string(50'000, 'y')))), "");
    txn->rollback();
  }
  expect_contents({{"a", "1"}});
  ASSERT_EQ(error_of(put(env(), "c", "3")), "");
  expect_contents({{"a", "1"}, {"c", "3"}});
  expect_sound();
}

TEST_F(EngineTest, SyncMovesTheRecoveryStart) {
  open();
  ASSERT_EQ(error_of(put(env(), "a", "1")), "");
  ASSERT_EQ(error_of(env().sync_all()), "");
  EXPECT_EQ(env().stats().unsynced_pages, 0U);
  ASSERT_EQ(error_of(put(env(), "b", "2")), "");
  cut_power();
  open();
  EXPECT_EQ(env().stats().batches_replayed, 1U);
  expect_contents({{"a", "1"}, {"b", "2"}});
  expect_sound();
}

TEST_F(EngineTest, ASnapshotSeesItsOwnTimeWhileOthersWriteAndSync) {
  open();
  ASSERT_EQ(error_of(put(env(), "a", "1")), "");
  ASSERT_EQ(error_of(env().sync_all()), "");
  auto old = env().begin_read();
  ASSERT_EQ(error_of(old), "");
  ASSERT_EQ(error_of(put(env(), "a", "2")), "");
  EXPECT_EQ(env().sync_all().error().code(), ErrorCode::busy);
  EXPECT_EQ(contents(*old)->at("a"), "1");
  expect_contents({{"a", "2"}});
  old = env().begin_read();
  ASSERT_EQ(error_of(env().sync_all()), "");
  EXPECT_EQ(contents(*old)->at("a"), "2");
}

TEST_F(EngineTest, EmptyTransactionDoesNoInputOrOutput) {
  open();
  ASSERT_EQ(error_of(put(env(), "a", "1")), "");
  const std::uint64_t before = files().mutations();
  auto txn = env().begin_write();
  ASSERT_EQ(error_of(txn->commit()), "");
  EXPECT_EQ(files().mutations(), before);
}

TEST_F(EngineTest, ARecordOfManyMegabytesIsOneTransaction) {
  EnvironmentOptions options = small_options();
  options.scratch_total_bytes_max = 64 * 1024 * 1024;
  open(options);
  Prng prng(test_seed());
  std::string big(9'000'000, '\0');
  for (char& c : big) {
    c = static_cast<char>(prng.next());  // does not compress
  }
  ASSERT_EQ(error_of(put(env(), "big", big)), "");
  ASSERT_EQ(error_of(put(env(), "small", "1")), "");
  cut_power();
  open(options);
  expect_contents({{"big", big}, {"small", "1"}});
  expect_sound();
}

TEST_F(EngineTest, ASecondOpenIsRefused) {
  open();
  EXPECT_EQ(try_open().error().code(), ErrorCode::busy);
}

TEST_F(EngineTest, RecoveryWritesNothingIntoTheDataFile) {
  open();
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(error_of(put(env(), "k" + std::to_string(i), std::string(500, 'v'))), "");
  }
  cut_power();
  testing::FaultRule any_change;
  any_change.path_contains = "data.rks";
  any_change.mutating_only = true;
  any_change.times = testing::FaultRule::kForever;
  const auto rule = files().add_fault(any_change);
  open();
  EXPECT_EQ(contents(env())->size(), 50U);
  expect_sound();
  EXPECT_EQ(files().fault_hits(rule), 0U);
}

TEST_F(EngineTest, RandomWorkSurvivesCutsAndCloses) {
  Prng prng(test_seed());
  Model model;
  open();
  for (int round = 0; round < 300; ++round) {
    auto txn = env().begin_write();
    ASSERT_EQ(error_of(txn), "");
    Model changed = model;
    ASSERT_EQ(error_of(random_changes(*txn, changed, prng)), "");
    if (prng.chance(6)) {
      txn->rollback();
    } else {
      ASSERT_EQ(error_of(txn->commit()), "");
      model = std::move(changed);
    }
    if (prng.chance(10)) {
      ASSERT_EQ(error_of(env().sync_all()), "");
    }
    if (prng.chance(25)) {
      cut_power(prng.chance(2) ? Survival::kNothing : Survival::kSubset);
      open();
      expect_contents(model);
      expect_sound();
    } else if (prng.chance(40)) {
      ASSERT_EQ(error_of(env().close()), "");
      environment_.reset();
      open();
    }
    if (HasFatalFailure()) {
      FAIL() << "round " << round;
    }
  }
  expect_contents(model);
  expect_sound();
}

}  // namespace
}  // namespace rookery::store
