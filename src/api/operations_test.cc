// SPDX-License-Identifier: Apache-2.0
#include "operations.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_service.h"

namespace rookery::api {
namespace {

using testing::HasSubstr;

constexpr os::MonotonicTime kNow{std::chrono::hours(100)};

TEST(Operation, TellsItsState) {
  Operation operation(7);
  EXPECT_EQ(operation.state_json(), R"({"Status":"InProgress","Progress":null,"Result":null})");
  operation.set_progress(R"({"Total":1})");
  EXPECT_EQ(operation.state_json(),
            R"({"Status":"InProgress","Progress":{"Total":1},"Result":null})");
  EXPECT_FALSE(operation.ended_at().has_value());
  operation.complete(R"({"Total":2})", kNow);
  operation.set_progress(R"({"Total":3})");
  operation.fail(Fault::kInternal, "too late", kNow);
  EXPECT_EQ(operation.state_json(),
            R"({"Status":"Completed","Progress":{"Total":1},"Result":{"Total":2}})");
  EXPECT_EQ(operation.ended_at(), kNow);
}

TEST(Operation, TellsWhyItFailed) {
  Operation operation(7);
  operation.fail(Fault::kNotBuilt, "no \"such\" thing", kNow);
  EXPECT_EQ(
      operation.state_json(),
      R"({"Status":"Faulted","Progress":null,"Result":{"Type":"System.NotSupportedException",)"
      R"("Message":"no \"such\" thing",)"
      R"("Error":"System.NotSupportedException: no \"such\" thing","StatusCode":501}})");
}

TEST(Operation, IsKilledOnlyWhileItRuns) {
  Operation operation(7);
  int stops = 0;
  operation.kill();
  operation.on_kill([&] {
    ++stops;
    operation.cancel(kNow);
  });
  operation.kill();
  operation.kill();
  EXPECT_EQ(stops, 1);
  EXPECT_THAT(operation.state_json(), HasSubstr("\"Canceled\""));
}

TEST(Operations, AreKnownToTheirDatabaseAlone) {
  Operations operations;
  const std::int64_t id = operations.next_id();
  ASSERT_TRUE(operations.begin("Shop", id, kNow).has_value());
  EXPECT_NE(operations.find("sHOP", id), nullptr);
  EXPECT_EQ(operations.find("other", id), nullptr);
  EXPECT_EQ(operations.find("shop", id + 1), nullptr);
  EXPECT_EQ(operations.begin("shop", id, kNow).error().code(), ErrorCode::already_exists);
  EXPECT_EQ(operations.begin("shop", id + 1, kNow).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(operations.begin("shop", 0, kNow).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(operations.begin("shop", std::nullopt, kNow).value()->id(), id + 1);
  int stops = 0;
  operations.find("shop", id)->on_kill([&] { ++stops; });
  operations.kill_all("other");
  EXPECT_EQ(stops, 0);
  operations.kill_all("SHOP");
  EXPECT_EQ(stops, 1);
}

TEST(Operations, AreForgottenWhenTheyEndedLongAgoOrAreMany) {
  Operations operations;
  const auto begin = [&](const std::string& database, os::MonotonicTime now) {
    return operations.begin(database, std::nullopt, now).value();
  };
  const auto running = begin("shop", kNow);
  const auto old = begin("shop", kNow);
  old->complete("", kNow);
  const auto other = begin("other", kNow);
  other->complete("", kNow + std::chrono::minutes(30));
  const auto recent = begin("shop", kNow + Operations::kEndedTimeMax);
  recent->complete("", kNow + Operations::kEndedTimeMax);
  EXPECT_NE(operations.find("shop", old->id()), nullptr);
  const os::MonotonicTime later = kNow + Operations::kEndedTimeMax + std::chrono::nanoseconds(1);
  begin("third", later);
  EXPECT_EQ(operations.find("shop", old->id()), nullptr);
  EXPECT_NE(operations.find("shop", running->id()), nullptr);
  EXPECT_NE(operations.find("shop", recent->id()), nullptr);
  EXPECT_NE(operations.find("other", other->id()), nullptr);
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < Operations::kEndedCountMax + 10; ++i) {
    const auto one = begin("shop", later);
    one->complete("", later);
    ids.push_back(one->id());
  }
  begin("shop", later);
  EXPECT_EQ(operations.find("shop", ids[9]), nullptr);
  EXPECT_NE(operations.find("shop", ids[10]), nullptr);
  EXPECT_NE(operations.find("shop", running->id()), nullptr);
  EXPECT_NE(operations.find("other", other->id()), nullptr);
}

TEST(Operations, OfNoDatabaseOrNumberAreNotFound) {
  TestService s;
  s.create("shop");
  EXPECT_EQ(s.call("GET", "/databases/shop/operations/state?id=1").status, 404);
  EXPECT_EQ(s.call("POST", "/databases/shop/operations/kill?id=1").status, 404);
  EXPECT_EQ(s.call("GET", "/databases/shop/operations/state").status, 400);
  const Answer next = s.call("GET", "/databases/shop/operations/next-operation-id");
  EXPECT_EQ(next.root().find_int64("Id"), 1);
  EXPECT_EQ(next.root().find_string("NodeTag"), "A");
  // Given out, and not begun.
  EXPECT_EQ(s.call("GET", "/databases/shop/operations/state?id=1").status, 404);
}

}  // namespace
}  // namespace rookery::api
