// SPDX-License-Identifier: Apache-2.0
// A batch whose pages do not fit into the index's scratch fails, whatever is flushed before it: the
// next has to be smaller, or the index would never catch up.
#include <chrono>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "rookery/store/memory_budget.h"

#include "test_indexes.h"

namespace rookery::index {
namespace {

constexpr int kDocuments = 8000;

void put_documents(os::Platform& platform, store::Environment& documents) {
  auto txn = documents.begin_write();
  ASSERT_TRUE(txn.has_value());
  auto writer = doc::DocumentWriter::open(*txn, {.database = doc::DatabaseId(),
                                                 .node_tag = "A",
                                                 .separator = '/',
                                                 .clock = platform.clock,
                                                 .random = platform.random});
  ASSERT_TRUE(writer.has_value());
  for (int i = 0; i < kDocuments; ++i) {
    // Terms of 200 bytes, in no order.
    const std::string name = std::to_string(i * 7919 % kDocuments) + std::string(196, 'x');
    TestIndexes::put_in(*writer, "users/" + std::to_string(i), R"({"name":")" + name + R"("})");
  }
  ASSERT_TRUE(writer->finish().has_value());
  ASSERT_TRUE(txn->commit().has_value());
}

// All documents are indexed in the end, whatever `options` leave.
void expect_all_indexed(const store::EnvironmentOptions& for_index) {
  os::MemoryFileSystem files;
  os::Platform platform{files, os::real_platform().clock, os::real_platform().random,
                        os::real_platform().threads};
  os::Executor executor(platform, "rk.index", 1);
  store::EnvironmentOptions options;
  options.path = "db";
  auto documents = store::Environment::open(platform, options);
  ASSERT_TRUE(documents.has_value());
  put_documents(platform, **documents);
  IndexesOptions of_indexes;
  of_indexes.path = "db/Indexes";
  of_indexes.environment = for_index;
  of_indexes.settings.batch_time_max = std::chrono::minutes(1);
  of_indexes.settings.retry_delay = std::chrono::milliseconds(10);
  auto indexes = Indexes::open(platform, executor, **documents, std::move(of_indexes));
  ASSERT_TRUE(indexes.has_value()) << indexes.error().to_string();
  QueryRunner runner(platform, **indexes, **documents,
                     QueryRunner::Options{.node_tag = "A", .find_includes = nullptr});
  QueryRequest request;
  request.text = "from Users where name >= '' limit 0";
  request.wait_for_non_stale = true;
  request.wait_timeout = std::chrono::minutes(4);
  auto query = runner.prepare(std::move(request));
  ASSERT_TRUE(query.has_value()) << query.error().to_string();
  ASSERT_TRUE(runner.must_wait(**query));
  os::Event done;
  Readiness readiness = Readiness::kTimedOut;
  runner.when_ready(**query, [&](Readiness outcome) {
    readiness = outcome;
    done.set();
  });
  done.wait();
  EXPECT_EQ(readiness, Readiness::kReady);
  const auto answer = runner.run(**query);
  ASSERT_TRUE(answer.has_value()) << answer.error().to_string();
  EXPECT_NE(answer->body.find(R"("TotalResults":8000)"), std::string::npos) << answer->body;
  query->reset();
  EXPECT_TRUE((*indexes)->close().has_value());
  EXPECT_TRUE((*documents)->close().has_value());
}

TEST(IndexScratch, ABatchThatDoesNotFitIsMadeSmaller) {
  store::EnvironmentOptions options;
  options.scratch_memory_bytes_max = 2ULL << 20U;
  options.scratch_total_bytes_max = 4ULL << 20U;
  expect_all_indexed(options);
}

TEST(IndexScratch, WithAllMemoryTakenBatchesAreSmallAndGiveBackWhatTheyTake) {
  store::MemoryBudget budget(4ULL << 20U);
  budget.take(budget.bytes_max());
  store::EnvironmentOptions options;
  options.memory_budget = &budget;
  expect_all_indexed(options);
  EXPECT_EQ(budget.used(), budget.bytes_max());
}

}  // namespace
}  // namespace rookery::index
