// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/memory_budget.h"

#include "engine_test_fixture.h"

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

TEST_F(EngineTest, ASnapshotThatOutlivesItsBudgetIsRefused) {
  EnvironmentOptions options = small_options();
  options.snapshot_age_max = std::chrono::seconds(5);
  open(options);
  ASSERT_EQ(error_of(put(env(), "a", "1")), "");
  auto old = env().begin_read();
  sim_.clock().sleep_for(std::chrono::seconds(4));
  EXPECT_EQ(error_of(contents(*old)), "");
  sim_.clock().sleep_for(std::chrono::seconds(2));
  EXPECT_EQ(contents(*old).error().code(), ErrorCode::snapshot_too_old);
  EXPECT_EQ(contents(env())->size(), 1U);
}

TEST_F(EngineTest, MaintenanceSaysWhenToComeAgain) {
  EnvironmentOptions options = small_options();
  options.sync_interval = std::chrono::seconds(5);
  open(options);
  ASSERT_EQ(error_of(env().sync_all()), "");
  EXPECT_EQ(env().maintenance_due_in(), std::nullopt);
  auto reader = env().begin_read();
  ASSERT_EQ(error_of(put(env(), "a", "1")), "");
  EXPECT_EQ(env().maintenance_due_in(), os::Duration(std::chrono::seconds(5)));
  sim_.clock().sleep_for(std::chrono::seconds(6));
  EXPECT_EQ(env().maintenance_due_in(), os::Duration(0));
  // The reader keeps the flush from it: asking again at once would only burn a core.
  EXPECT_EQ(env().maintain().value(), false);
  const auto again = env().maintenance_due_in();
  ASSERT_TRUE(again.has_value());
  EXPECT_GT(*again, os::Duration(0));
  EXPECT_LE(*again, os::Duration(std::chrono::seconds(1)));
  { const auto gone = std::move(*reader); }
  sim_.clock().sleep_for(*again);
  while (env().maintain().value()) {
  }
  EXPECT_EQ(env().maintenance_due_in(), std::nullopt);
}

TEST_F(EngineTest, ScratchSpillsEarlierWhereTheProcessHasNoMemoryLeft) {
  MemoryBudget budget(1024 * 1024);
  EnvironmentOptions options = small_options();
  options.sync_interval = std::chrono::hours(1);
  options.memory_budget = &budget;
  open(options);
  const std::string value(90'000, 'v');
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(error_of(put(env(), "k" + std::to_string(i), value)), "");
    EXPECT_LE(budget.used(), budget.bytes_max());
  }
  EXPECT_GT(budget.used(), 0U);
  EXPECT_FALSE(files().list("db/Temp")->empty());
  EXPECT_EQ(contents(env())->size(), 20U);
  // All of it is given back once nothing waits for a sync.
  ASSERT_EQ(error_of(env().sync_all()), "");
  EXPECT_EQ(budget.used(), 0U);
  EXPECT_EQ(env().stats().scratch_bytes, 0U);
  EXPECT_TRUE(files().list("db/Temp")->empty());
  ASSERT_EQ(error_of(env().close()), "");
}

TEST_F(EngineTest, ScratchSpillsIntoTemp) {
  EnvironmentOptions options = small_options();
  options.scratch_memory_bytes_max = 1024 * 1024;
  options.scratch_total_bytes_max = 64 * 1024 * 1024;
  options.sync_interval = std::chrono::hours(1);
  open(options);
  Model model;
  for (int i = 0; i < 40; ++i) {
    const std::string value(90'000, static_cast<char>('a' + i % 20));
    ASSERT_EQ(error_of(put(env(), "k" + std::to_string(i), value)), "");
    model["k" + std::to_string(i)] = value;
  }
  EXPECT_FALSE(files().list("db/Temp")->empty());
  expect_contents(model);
  ASSERT_EQ(error_of(env().sync_all()), "");
  EXPECT_TRUE(files().list("db/Temp")->empty());
  expect_contents(model);
  expect_sound();
}

TEST_F(EngineTest, AJournalThatSomebodyElseLinksIsNotUsedAgain) {
  open();
  ASSERT_EQ(error_of(put(env(), "a", "1")), "");
  const std::string journal = "db/Journals/" + files().list("db/Journals")->front();
  ASSERT_EQ(error_of(files().link(journal, "kept")), "");
  const auto read_kept = [&] {
    auto file = std::move(files().open("kept", {.access = os::Access::kReadOnly})).value();
    std::vector<std::byte> bytes(8192);
    EXPECT_EQ(error_of(file->read_at(0, bytes)), "");
    return bytes;
  };
  const auto before = read_kept();
  for (int i = 0; i < 600; ++i) {
    ASSERT_EQ(error_of(put(env(), "k" + std::to_string(i), std::string(3000, 'v'))), "");
    if (i % 50 == 0) {
      ASSERT_EQ(error_of(env().sync_all()), "");
    }
  }
  EXPECT_FALSE(files().info(journal)->has_value());
  EXPECT_TRUE(read_kept() == before);
  expect_sound();
}

TEST_F(EngineTest, JournalsAreUsedAgainAndStayFew) {
  open();
  for (int i = 0; i < 1500; ++i) {
    ASSERT_EQ(error_of(put(env(), "k" + std::to_string(i % 50), std::string(3000, 'v'))), "");
    if (i % 50 == 0) {
      ASSERT_EQ(error_of(env().sync_all()), "");
    }
  }
  EXPECT_LE(files().list("db/Journals")->size(), 4U);
  // Rewriting the same keys needs no more pages than the versions of one sync interval.
  EXPECT_LT(env().stats().page_count, 200U);
  cut_power();
  open();
  EXPECT_EQ(contents(env())->size(), 50U);
  expect_sound();
}

TEST_F(EngineTest, WorksWhereDirectInputOutputIsRefused) {
  testing::SimPlatformOptions options;
  options.files.refuse_direct = true;
  testing::SimPlatform machine(test_seed(), options);
  for (int round = 0; round < 3; ++round) {
    auto opened = Environment::open(machine.platform(), small_options());
    ASSERT_EQ(error_of(opened), "");
    EXPECT_EQ(contents(**opened)->size(), static_cast<std::size_t>(round));
    ASSERT_EQ(error_of(put(**opened, "k" + std::to_string(round), "v")), "");
    machine.files().power_cut(Survival::kNothing);
    opened->reset();
    machine.files().reopen();
  }
}

// docs/format/page.md, catalog.md.
TEST_F(EngineTest, TheFirstTransactionLooksAsDocumented) {
  open();
  ASSERT_EQ(error_of(put(env(), "a", "1")), "");
  ASSERT_EQ(error_of(env().close()), "");
  environment_.reset();
  auto file = std::move(files().open("db/data.rks", {.access = os::Access::kReadOnly})).value();
  const auto header_of = [&](std::uint64_t page) {
    std::vector<std::byte> bytes(kPageHeaderSize);
    EXPECT_EQ(error_of(file->read_at(page * kPageSize, bytes)), "");
    return load<PageHeader>(bytes.data());
  };
  EXPECT_EQ(header_of(0).type, PageType::kFreeMap);
  EXPECT_EQ(header_of(0).owner, 0U);
  const PageHeader leaf = header_of(1);
  EXPECT_EQ(leaf.page_no, 1U);
  EXPECT_EQ(leaf.txn, 1U);
  EXPECT_EQ(leaf.owner, 2U);
  EXPECT_EQ(leaf.type, PageType::kTreeLeaf);
  EXPECT_EQ(leaf.page_count, 1U);
  EXPECT_EQ(header_of(2).type, PageType::kTreeLeaf);
  EXPECT_EQ(header_of(2).owner, 1U);
}

// The header lists the incarnations that replay may meet, and has room for 64.
TEST_F(EngineTest, OpensManyTimesWithoutASync) {
  open();
  Model model;
  for (int i = 0; i < 70; ++i) {
    ASSERT_EQ(error_of(put(env(), "k" + std::to_string(i), "v")), "") << i;
    model["k" + std::to_string(i)] = "v";
    cut_power();
    open();
  }
  expect_contents(model);
  expect_sound();
}

TEST_F(EngineTest, AReadOnlyOpenReplaysWithoutWritingAByte) {
  open();
  Model model;
  for (int i = 0; i < 40; ++i) {
    const std::string value(20'000, 'v');
    ASSERT_EQ(error_of(put(env(), "k" + std::to_string(i), value)), "");
    model["k" + std::to_string(i)] = value;
  }
  cut_power();
  EnvironmentOptions options = small_options();
  options.read_only = true;
  options.scratch_memory_bytes_max = 64 * 1024;
  const std::uint64_t before = files().mutations();
  open(options);
  expect_contents(model);
  EXPECT_EQ(env().begin_write().error().code(), ErrorCode::invalid_argument);
  ASSERT_EQ(error_of(env().close()), "");
  EXPECT_EQ(files().mutations(), before);
}

TEST_F(EngineTest, RandomWorkSurvivesCutsAndCloses) {
  Prng prng(test_seed());
  Model model;
  open();
  for (int round = 0; round < 200; ++round) {
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
