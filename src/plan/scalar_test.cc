// SPDX-License-Identifier: Apache-2.0
#include "rookery/plan/scalar.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "plan_test_support.h"

namespace rookery::plan {
namespace {

Scalar scalar(std::string_view text) {
  const value::Document document = json(text);
  return to_scalar(document.root()).value();
}

TEST(Scalar, TakesEachKindOfJson) {
  EXPECT_EQ(scalar("null"), Scalar(nullptr));
  EXPECT_EQ(scalar("true"), Scalar(true));
  EXPECT_EQ(scalar("-7"), Scalar(std::int64_t{-7}));
  EXPECT_EQ(scalar("1.50"), Scalar(1.5));
  EXPECT_EQ(scalar("1e2"), Scalar(100.0));
  EXPECT_EQ(scalar("\"x\""), Scalar(std::string("x")));
  // Beyond int64, the nearest double.
  EXPECT_EQ(scalar("9223372036854775808"), Scalar(9223372036854775808.0));
}

TEST(Scalar, IsNoArrayNoObjectAndNoNumberBeyondDoubles) {
  for (const std::string_view text : {"[]", "[1]", "{}", "1e999", "-1e999"}) {
    const value::Document document = json(text);
    EXPECT_FALSE(to_scalar(document.root()).has_value()) << text;
  }
}

TEST(Scalar, OrdersAcrossKinds) {
  const std::vector<std::string> ascending = {
      "null",         "false",  "true",        "-1e300",      "-5",
      "-4.5",         "0",      "1e-300",      "0.5",         "1",
      "1e300",        "\"\"",   "\"1\"",       "\"A\"",       "\"a\"",
      "\"a\\u0000\"", "\"aa\"", "\"\\u00e9\"", "\"\\uffff\"", "\"\\ud83d\\ude00\""};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(compare(scalar(ascending[i]), scalar(ascending[j])), i <=> j)
          << ascending[i] << " and " << ascending[j];
    }
  }
}

TEST(Scalar, ComparesIntegersAndDoublesWithoutLoss) {
  const auto order = [](std::string_view a, std::string_view b) {
    return compare(scalar(a), scalar(b));
  };
  EXPECT_EQ(order("1", "1.0"), std::strong_ordering::equal);
  EXPECT_EQ(order("0", "-0.0"), std::strong_ordering::equal);
  EXPECT_EQ(order("9007199254740993", "9007199254740992.0"), std::strong_ordering::greater);
  EXPECT_EQ(order("9007199254740991", "9007199254740992.0"), std::strong_ordering::less);
  EXPECT_EQ(order("9223372036854775807", "9223372036854775808"), std::strong_ordering::less);
  EXPECT_EQ(order("-9223372036854775808", "-9223372036854775808.0"), std::strong_ordering::equal);
  EXPECT_EQ(order("-9223372036854775808", "-9223372036854777856.0"), std::strong_ordering::greater);
  EXPECT_EQ(order("2", "1.5"), std::strong_ordering::greater);
  EXPECT_EQ(order("-2", "-1.5"), std::strong_ordering::less);
  EXPECT_EQ(order("-1", "-1.5"), std::strong_ordering::greater);
  EXPECT_EQ(order("0", "5e-324"), std::strong_ordering::less);
}

TEST(Scalar, PutsNaNBeforeNumbers) {
  const Scalar nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(compare(nan, nan), std::strong_ordering::equal);
  EXPECT_EQ(compare(nan, Scalar(std::int64_t{-1})), std::strong_ordering::less);
  EXPECT_EQ(compare(Scalar(std::int64_t{-1}), nan), std::strong_ordering::greater);
  EXPECT_EQ(compare(nan, Scalar(-std::numeric_limits<double>::infinity())),
            std::strong_ordering::less);
  EXPECT_EQ(compare(nan, Scalar(true)), std::strong_ordering::greater);
}

TEST(Scalar, FoldsStringsOnly) {
  EXPECT_EQ(folded(scalar("\"STRA\\u00dfE \\u00c9\"")), scalar("\"stra\\u00dfe \\u00e9\""));
  EXPECT_EQ(folded(scalar("5")), scalar("5"));
}

TEST(Scalar, KnowsDates) {
  EXPECT_TRUE(date_of(scalar("\"2020-01-01\"")).has_value());
  EXPECT_EQ(date_of(scalar("\"2020-01-01T01:00:00+01:00\"")), date_of(scalar("\"2020-01-01\"")));
  EXPECT_FALSE(date_of(scalar("\"2020\"")).has_value());
  EXPECT_FALSE(date_of(scalar("2020")).has_value());
  // Folding spells T and Z small: look for dates first.
  EXPECT_FALSE(date_of(folded(scalar("\"2020-01-01T00:00:00Z\""))).has_value());
}

}  // namespace
}  // namespace rookery::plan
