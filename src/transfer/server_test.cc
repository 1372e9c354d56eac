// SPDX-License-Identifier: Apache-2.0
#include "server.h"

#include <gtest/gtest.h>

namespace rookery::transfer {
namespace {

TEST(RefusalOf, FindsTheElement) {
  const auto refusal = refusal_of(400, "element 3 of the bulk insert, at byte 77: no: not that");
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->index, 2U);
  EXPECT_EQ(refusal->why, "no: not that");
  EXPECT_TRUE(refusal_of(413, "element 1 of the bulk insert, at byte 1: too large").has_value());
}

TEST(RefusalOf, TakesNothingElseForOne) {
  // What may pass is no fault of the element, and what names no element is none of one.
  EXPECT_FALSE(refusal_of(503, "element 3 of the bulk insert, at byte 77: no memory").has_value());
  EXPECT_FALSE(refusal_of(507, "element 3 of the bulk insert, at byte 77: full").has_value());
  EXPECT_FALSE(refusal_of(400, "the body of the bulk insert: a comma").has_value());
  EXPECT_FALSE(refusal_of(400, "element 0 of the bulk insert, at byte 1: x").has_value());
  EXPECT_FALSE(refusal_of(400, "element x of the bulk insert, at byte 1: x").has_value());
  EXPECT_FALSE(refusal_of(400, "element 3 of something: x").has_value());
  EXPECT_FALSE(
      refusal_of(400, "element 99999999999999999999 of the bulk insert, at byte 1: x").has_value());
  EXPECT_FALSE(refusal_of(400, "").has_value());
}

}  // namespace
}  // namespace rookery::transfer
