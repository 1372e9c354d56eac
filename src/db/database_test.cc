// SPDX-License-Identifier: Apache-2.0
#include "rookery/db/database.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/os/sync.h"

#include "test_server.h"

namespace rookery::db {
namespace {

class DatabaseTest : public testing::Test {
 protected:
  void SetUp() override { open(); }

  void TearDown() override {
    if (database_ != nullptr) {
      EXPECT_TRUE(database_->close().has_value());
    }
  }

  void open() {
    DatabaseOptions options;
    options.name = "test";
    options.environment.path = "test";
    options.limits = limits_;
    Result<std::unique_ptr<Database>> opened = Database::open(
        memory_.platform(), {foreground_, background_, background_}, std::move(options));
    ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
    database_ = std::move(*opened);
  }

  void reopen() {
    ASSERT_TRUE(database_->close().has_value());
    database_.reset();
    open();
  }

  // Holds the merger in the callback of a batch until the returned event is set, so that what is
  // submitted meanwhile waits in the queue.
  void hold(os::Event& released) {
    os::Event held;
    database_->submit({commands(put("held")), [&](const Result<BatchResult>& result) {
                         EXPECT_TRUE(result.has_value());
                         held.set();
                         released.wait();
                       }});
    held.wait();
  }

  // However slow the machine: what a test expects to merge isn't parted by time.
  MergerLimits limits_{.execution_time_max = std::chrono::hours(1)};
  MemoryPlatform memory_;
  os::Executor foreground_{memory_.platform(), "fore", 2};
  os::Executor background_{memory_.platform(), "back", 1};
  std::unique_ptr<Database> database_;
};

TEST_F(DatabaseTest, AnswersWhenTheWriteCanBeRead) {
  const Result<BatchResult> result =
      database_->execute(commands(put("a", R"({"n":1})"), put("b"), erase("none")));
  ASSERT_TRUE(result.has_value()) << result.error().to_string();
  ASSERT_EQ(result->results.size(), 3U);
  EXPECT_EQ(std::get<doc::PutResult>(result->results[0]).etag, 1U);
  EXPECT_EQ(std::get<doc::PutResult>(result->results[1]).etag, 2U);
  EXPECT_FALSE(std::get<doc::DeleteResult>(result->results[2]).deleted);
  EXPECT_EQ(result->last_etag, 2U);
  EXPECT_NE(result->txn, store::TxnId());
  EXPECT_EQ(stored(*database_, "A"), R"({"n":1})");
}

TEST_F(DatabaseTest, KeepsWhatItAcknowledgedOverARestart) {
  ASSERT_TRUE(database_->execute(commands(put("a", R"({"n":1})"))).has_value());
  const std::string id(database_->id().text());
  reopen();
  EXPECT_EQ(stored(*database_, "a"), R"({"n":1})");
  EXPECT_EQ(database_->id().text(), id);
  EXPECT_EQ(database_->execute(commands(put("b")))->last_etag, 2U);
}

TEST_F(DatabaseTest, ABatchThatFailsLeavesNothing) {
  const Result<BatchResult> result =
      database_->execute(commands(put("a"), put("b"), put("a", "{}", "")));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code(), ErrorCode::concurrency);
  EXPECT_NE(std::string(result.error().message()).find("command 3 of 3"), std::string::npos);
  EXPECT_EQ(stored(*database_, "a"), "");
  EXPECT_EQ(database_->stats()->documents.last_etag, 0U);
}

TEST_F(DatabaseTest, MergesWhatWaitsIntoOneTransaction) {
  os::Event released;
  Outcomes outcomes;
  hold(released);
  const std::uint64_t before = database_->stats()->transactions_committed;
  for (std::size_t i = 0; i < 20; ++i) {
    database_->submit({commands(put("d/" + std::to_string(i))), outcomes.expect(i)});
  }
  EXPECT_EQ(database_->stats()->merger_queue_length, 20U);
  released.set();
  ASSERT_TRUE(database_->execute(commands(put("last"))).has_value());
  for (std::size_t i = 1; i < 20; ++i) {
    EXPECT_EQ(outcomes.of(i)->txn, outcomes.of(0)->txn);
    EXPECT_EQ(outcomes.of(i)->last_etag, outcomes.of(0)->last_etag + i);
  }
  EXPECT_LE(database_->stats()->transactions_committed - before, 3U);
}

TEST_F(DatabaseTest, AFailingBatchDoesNotHarmItsNeighbours) {
  os::Event released;
  Outcomes outcomes;
  hold(released);
  database_->submit({commands(put("a")), outcomes.expect(0)});
  database_->submit({commands(put("b"), put("b", "{}", "")), outcomes.expect(1)});
  database_->submit({commands(put("c"), put("x|")), outcomes.expect(2)});
  released.set();
  ASSERT_TRUE(database_->execute(commands(put("last"))).has_value());
  EXPECT_TRUE(outcomes.of(0).has_value());
  ASSERT_FALSE(outcomes.of(1).has_value());
  EXPECT_EQ(outcomes.of(1).error().code(), ErrorCode::concurrency);
  ASSERT_TRUE(outcomes.of(2).has_value());
  EXPECT_EQ(stored(*database_, "a"), R"({"n":1})");
  EXPECT_EQ(stored(*database_, "b"), "");
  EXPECT_EQ(stored(*database_, "c"), R"({"n":1})");
  // Nothing of the transaction that was rolled back is left: etags and identities follow on.
  EXPECT_EQ(std::get<doc::PutResult>(outcomes.of(0)->results[0]).etag, 2U);
  EXPECT_EQ(std::get<doc::PutResult>(outcomes.of(2)->results[0]).etag, 3U);
  EXPECT_EQ(std::get<doc::PutResult>(outcomes.of(2)->results[1]).id, "x/1");
  EXPECT_EQ(database_->stats()->transactions_split, 1U);
}

TEST_F(DatabaseTest, AConflictAtTheFirstCommandCostsNeighboursNothing) {
  os::Event released;
  Outcomes outcomes;
  hold(released);
  database_->submit({commands(put("a")), outcomes.expect(0)});
  database_->submit({commands(put("a", "{}", "")), outcomes.expect(1)});
  database_->submit({commands(put("c")), outcomes.expect(2)});
  released.set();
  ASSERT_TRUE(database_->execute(commands(put("last"))).has_value());
  EXPECT_EQ(outcomes.of(1).error().code(), ErrorCode::concurrency);
  EXPECT_EQ(outcomes.of(2)->txn, outcomes.of(0)->txn);
  EXPECT_EQ(database_->stats()->transactions_split, 0U);
  EXPECT_EQ(database_->stats()->batches_failed, 1U);
}

TEST_F(DatabaseTest, ExecutesInTheOrderOfSubmission) {
  Outcomes outcomes;
  constexpr std::size_t kBatches = 500;
  for (std::size_t i = 0; i < kBatches; ++i) {
    database_->submit({commands(Command(IdentityNextCommand{"x"})), outcomes.expect(i)});
  }
  ASSERT_TRUE(database_->execute(commands(put("last"))).has_value());
  for (std::size_t i = 0; i < kBatches; ++i) {
    EXPECT_EQ(std::get<IdentityResult>(outcomes.of(i)->results[0]).value,
              static_cast<std::int64_t>(i + 1));
  }
}

TEST_F(DatabaseTest, RefusesMoreThanTheQueueMayHold) {
  limits_.queued_batches_max = 3;
  reopen();
  os::Event released;
  Outcomes outcomes;
  hold(released);
  for (std::size_t i = 0; i < 4; ++i) {
    database_->submit({commands(put("a")), outcomes.expect(i)});
  }
  EXPECT_EQ(outcomes.of(3).error().code(), ErrorCode::too_many);
  released.set();
  ASSERT_TRUE(database_->close().has_value());
  EXPECT_TRUE(outcomes.of(2).has_value());
  database_.reset();
}

TEST_F(DatabaseTest, BoundsTheBytesOfTheQueueButTakesAnySingleBatch) {
  limits_.queued_bytes_max = 10'000;
  reopen();
  os::Event released;
  Outcomes outcomes;
  hold(released);
  const std::string big = R"({"p":")" + std::string(20'000, 'x') + R"("})";
  database_->submit({commands(put("a", big)), outcomes.expect(0)});
  database_->submit({commands(put("b")), outcomes.expect(1)});
  EXPECT_EQ(outcomes.of(1).error().code(), ErrorCode::too_many);
  released.set();
  ASSERT_TRUE(database_->close().has_value());
  EXPECT_TRUE(outcomes.of(0).has_value());
  database_.reset();
}

TEST_F(DatabaseTest, CloseFinishesWhatWasAcceptedAndRefusesTheRest) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 300;
  std::array<std::atomic<int>, kThreads * kEach> answers{};
  std::array<std::atomic<bool>, kThreads * kEach> succeeded{};
  std::atomic<std::size_t> submitted = 0;
  os::Event some_submitted;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t * kEach; i < (t + 1) * kEach; ++i) {
        database_->submit(
            {commands(put("d/" + std::to_string(i))), [&, i](const Result<BatchResult>& result) {
               ++answers.at(i);
               succeeded.at(i) = result.has_value();
               if (!result.has_value()) {
                 EXPECT_EQ(result.error().code(), ErrorCode::shutting_down);
               }
             }});
        if (++submitted == kThreads * kEach / 4) {
          some_submitted.set();
        }
      }
    });
  }
  some_submitted.wait();
  EXPECT_TRUE(database_->close().has_value());
  for (std::thread& thread : threads) {
    thread.join();
  }
  database_.reset();
  open();
  std::size_t stored_count = 0;
  for (std::size_t i = 0; i < kThreads * kEach; ++i) {
    EXPECT_EQ(answers.at(i), 1) << i;
    EXPECT_EQ(!stored(*database_, "d/" + std::to_string(i)).empty(), succeeded.at(i)) << i;
    stored_count += succeeded.at(i) ? 1U : 0U;
  }
  EXPECT_GE(stored_count, 1U);
}

// Many threads, batches that succeed, conflict at once, and fail half way: each is answered once,
// and the documents that are there are those whose batch succeeded.
TEST_F(DatabaseTest, AnswersEveryBatchOnceUnderLoad) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 250;
  std::array<std::atomic<int>, kThreads * kEach> answers{};
  std::array<std::atomic<bool>, kThreads * kEach> succeeded{};
  ASSERT_TRUE(database_->execute(commands(put("taken"))).has_value());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Prng random(test_seed() + t);
      for (std::size_t i = t * kEach; i < (t + 1) * kEach; ++i) {
        const std::string id = "d/" + std::to_string(i);
        std::vector<Command> batch;
        const std::uint64_t kind = random.below(10);
        if (kind == 0) {
          batch = commands(put("taken", "{}", ""), put(id));
        } else if (kind == 1) {
          batch = commands(put(id), put("taken", "{}", ""));
        } else {
          batch = commands(put(id), Command(IdentityNextCommand{"x"}));
        }
        database_->submit({std::move(batch), [&, i, kind](const Result<BatchResult>& result) {
                             ++answers.at(i);
                             succeeded.at(i) = result.has_value();
                             EXPECT_EQ(result.has_value(), kind > 1);
                           }});
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  reopen();
  std::size_t count = 1;
  for (std::size_t i = 0; i < kThreads * kEach; ++i) {
    EXPECT_EQ(answers.at(i), 1) << i;
    EXPECT_EQ(!stored(*database_, "d/" + std::to_string(i)).empty(), succeeded.at(i)) << i;
    count += succeeded.at(i) ? 1U : 0U;
  }
  const DatabaseStats stats = *database_->stats();
  EXPECT_EQ(stats.documents.document_count, count);
  EXPECT_EQ(stats.documents.last_etag, count);
  Result<doc::Snapshot> snapshot = database_->snapshot();
  EXPECT_EQ((*snapshot)->identities(0, 10)->front().value, static_cast<std::int64_t>(count - 1));
}

TEST_F(DatabaseTest, VerifiesItself) {
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(database_
                    ->execute(commands(put("d/" + std::to_string(i % 20)),
                                       erase("d/" + std::to_string(i % 7))))
                    .has_value());
  }
  const Result<store::VerifyReport> report = database_->verify();
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->problems, std::vector<std::string>{});
  EXPECT_GT(report->pages_reachable, 0U);
}

}  // namespace
}  // namespace rookery::db
