// SPDX-License-Identifier: Apache-2.0
#include "repeat_memory.h"

#include <string>

#include <gtest/gtest.h>

#include "test_service.h"

namespace rookery::api {
namespace {

TEST(RepeatMemory, KnowsRequestsByTheirIds) {
  const auto key = [](std::string_view method, std::string_view target) {
    return RepeatMemory::key_of(Request::make(method, target));
  };
  EXPECT_EQ(key("PUT", "/a"), "");
  EXPECT_EQ(key("GET", "/a?raft-request-id=1"), "");
  EXPECT_NE(key("PUT", "/a?raft-request-id=1"), "");
  EXPECT_EQ(key("PUT", "/a?x&?raft-request-id=1"), key("PUT", "/a?raft-request-id=1"));
  EXPECT_NE(key("PUT", "/a?raft-request-id=1"), key("PUT", "/b?raft-request-id=1"));
  EXPECT_NE(key("PUT", "/a?raft-request-id=1"), key("POST", "/a?raft-request-id=1"));
}

TEST(RepeatMemory, ForgetsTheOldestAndNeverKeepsFailures) {
  RepeatMemory memory;
  memory.remember("failed", Response::json("{}", 409));
  EXPECT_FALSE(memory.find("failed").has_value());
  memory.remember("large", Response::json(std::string(RepeatMemory::kBodyBytesMax + 1, ' ')));
  EXPECT_FALSE(memory.find("large").has_value());
  for (std::size_t i = 0; i <= RepeatMemory::kCountMax; ++i) {
    memory.remember(std::to_string(i), Response::json(std::to_string(i)));
  }
  EXPECT_FALSE(memory.find("0").has_value());
  EXPECT_EQ(memory.find("1")->body, "1");
}

TEST(Service, DoesNotDoARepeatedRequestTwice) {
  TestService s;
  const std::string target = "/admin/databases?name=shop&raft-request-id=5";
  const Answer first = s.call("PUT", target, "{}");
  ASSERT_EQ(first.status, 201);
  const Answer again = s.call("PUT", target, "{}");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(s.call("PUT", "/admin/databases?name=shop&raft-request-id=6", "{}").status, 409);
  const std::string next = "/databases/shop/identity/next?name=users|&raft-request-id=";
  EXPECT_EQ(s.call("POST", next + "7").root().find_int64("NewIdentityValue"), 1);
  EXPECT_EQ(s.call("POST", next + "7").root().find_int64("NewIdentityValue"), 1);
  EXPECT_EQ(s.call("POST", next + "8").root().find_int64("NewIdentityValue"), 2);
}

}  // namespace
}  // namespace rookery::api
