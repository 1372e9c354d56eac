// SPDX-License-Identifier: Apache-2.0
// A query ends when its time is up, wherever it is just then. Time is a clock that each look moves
// on.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_indexes.h"

namespace rookery::index {
namespace {

using testing::HasSubstr;

// Each look takes a millisecond.
class SteppingClock final : public os::Clock {
 public:
  os::MonotonicTime monotonic() override {
    ++looks;
    return now_ += std::chrono::milliseconds(1);
  }

  os::WallTime wall() override { return os::WallTime(std::chrono::seconds(1'764'504'896)); }

  void sleep_for(os::Duration duration) override { now_ += duration; }

  int looks = 0;

 private:
  os::MonotonicTime now_;
};

constexpr int kDocuments = 300;
constexpr int kLooksMax = 100;
constexpr os::Duration kTimeMax = std::chrono::milliseconds(kLooksMax);

class QueryLimitsTest : public testing::Test {
 protected:
  QueryLimitsTest() {
    test.write([](doc::DocumentWriter& writer) {
      for (int i = 0; i < kDocuments; ++i) {
        const std::string number = std::to_string(i);
        TestIndexes::put_in(
            writer, "users/" + number,
            R"({"name":"n)" + number + R"(","same":1,"boss":"dogs/)" + number + "\"}");
        TestIndexes::put_in(writer, "dogs/" + number, "{}", "Dogs");
      }
    });
    std::string list;
    for (int i = 0; i < kDocuments; ++i) {
      list += (i == 0 ? "'users/" : ", 'users/") + std::to_string(i) + "'";
    }
    long_queries = {
        "from Users",
        "from @all_docs",
        "from Users select name",
        "from Users select distinct same",
        "from Users limit 1 offset 299",
        "from Users where startsWith(id(), 'users/')",
        "from Users where id() in (" + list + ")",
        "from Nobody where startsWith(id(), 'users/')",
        "from Nobody where id() in (" + list + ")",
        "from Users where same = 1",
        "from Users where same = 1 select distinct same",
        "from Users where same = 1 order by name desc",
        "from Users where endsWith(name, '1') or same = 1",
    };
    // The indexes are made and have caught up before time is short.
    for (const std::string& text : long_queries) {
      test.expect(text);
    }
  }

  // What it is told, or its answer. Its indexes have caught up, so it need not wait.
  Result<QueryAnswer> ask(std::string_view text, os::Duration time_max, bool show_plan = false) {
    clock.looks = 0;
    os::Platform platform{test.platform().files, clock, test.platform().random,
                          test.platform().threads};
    const QueryRunner runner(
        platform, test.indexes(), test.documents(),
        {.node_tag = "A",
         .find_includes =
             [](value::View document, std::string_view path, const auto& found) {
               if (const auto id = document.find_string(path)) {
                 found(*id);
               }
             },
         .time_max = time_max});
    QueryRequest request;
    request.text = text;
    request.show_plan = show_plan;
    RK_TRY_ASSIGN(const PreparedQueryPtr query, runner.prepare(std::move(request)));
    EXPECT_FALSE(runner.must_wait(*query)) << text;
    return runner.run(*query);
  }

  TestIndexes test;
  SteppingClock clock;
  std::vector<std::string> long_queries;
};

TEST_F(QueryLimitsTest, WhatTakesLongerThanItMayEndsWithAnError) {
  for (const std::string& text : long_queries) {
    const Result<QueryAnswer> answer = ask(text, kTimeMax);
    ASSERT_FALSE(answer.has_value()) << text;
    EXPECT_EQ(answer.error().code(), ErrorCode::timed_out) << text;
    EXPECT_THAT(answer.error().to_string(), HasSubstr("longer than the 100 ms")) << text;
    EXPECT_LT(clock.looks, kLooksMax + 20) << text;
    EXPECT_TRUE(ask(text, std::chrono::hours(1)).has_value()) << text;
  }
  // A page is quick.
  EXPECT_TRUE(ask("from Users limit 10", kTimeMax).has_value());
  EXPECT_TRUE(ask("from Users where same = 1 limit 10", kTimeMax).has_value());
}

TEST_F(QueryLimitsTest, IncludesCountAsWell) {
  const Result<QueryAnswer> answer = ask("from Users limit 60 include boss", kTimeMax);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code(), ErrorCode::timed_out);
  EXPECT_TRUE(ask("from Users limit 30 include boss", kTimeMax).has_value());
}

TEST_F(QueryLimitsTest, APlanIsLimitedToo) {
  const std::string text = "from Users where same = 1 order by name";
  const Result<QueryAnswer> answer = ask(text, os::Duration::zero(), true);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code(), ErrorCode::timed_out);
  EXPECT_TRUE(ask(text, kTimeMax, true).has_value());
}

}  // namespace
}  // namespace rookery::index
