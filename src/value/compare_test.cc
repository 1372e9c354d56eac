// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/value/document.h"
#include "rookery/value/json.h"

namespace rookery::value {
namespace {

enum class Same { kNot, kByValue, kByText };

void check(std::string_view a, std::string_view b, Same same) {
  const Document x = parse_json(a).value();
  const Document y = parse_json(b).value();
  EXPECT_EQ(equal(x.root(), y.root()), same != Same::kNot) << a << " " << b;
  EXPECT_EQ(equal(y.root(), x.root()), same != Same::kNot) << a << " " << b;
  EXPECT_EQ(identical(x.root(), y.root()), same == Same::kByText) << a << " " << b;
  EXPECT_EQ(identical(y.root(), x.root()), same == Same::kByText) << a << " " << b;
}

TEST(Compare, ScalarsByTypeAndValue) {
  const std::vector<std::string_view> distinct = {
      "null", "true", "false", "0",      "1",     "1.5",         "\"\"",         "\"a\"",
      "[]",   "[[]]", "{}",    "[null]", "\"0\"", "{\"\":null}", "{\"a\":null}", "-1"};
  for (const std::string_view a : distinct) {
    for (const std::string_view b : distinct) {
      check(a, b, a == b ? Same::kByText : Same::kNot);
    }
  }
  check("\"\\u0041\"", "\"A\"", Same::kByText);
}

TEST(Compare, NumbersExactlyByValue) {
  check("1.10", "1.1", Same::kByValue);
  check("1.10", "11e-1", Same::kByValue);
  check("1", "1.0", Same::kByValue);
  check("0", "-0.0", Same::kByValue);
  check("0", "0e99999999999999999999", Same::kByValue);
  check("100", "1e2", Same::kByValue);
  check("1E2", "1e+002", Same::kByValue);
  check("0.001", "1e-3", Same::kByValue);
  check("10.50", "105e-1", Same::kByValue);
  check("1e400", "10e399", Same::kByValue);
  check("1e99999999999999999999", "1e99999999999999999999", Same::kByText);
  check("1e99999999999999999999", "1e99999999999999999998", Same::kNot);
  check("1e400", "1e401", Same::kNot);
  check("1", "-1.0", Same::kNot);
  // A double could not tell these apart.
  check("9007199254740993", "9007199254740992.0", Same::kNot);
  check("0.1", "0.1000000000000000055511151231257827", Same::kNot);
  check("12345678901234567890123", "12345678901234567890124", Same::kNot);
  check("101", "1001", Same::kNot);
  check("1.01", "10.1", Same::kNot);
}

TEST(Compare, MembersInAnyOrder) {
  check(R"({"a":1,"b":2})", R"({"b":2,"a":1})", Same::kByValue);
  check(R"({"a":1,"b":2})", R"({"a":1,"b":2})", Same::kByText);
  check(R"({"a":1,"b":2})", R"({"a":2,"b":1})", Same::kNot);
  check(R"({"a":1})", R"({"a":1,"b":2})", Same::kNot);
  check(R"({"a":1,"c":2})", R"({"a":1,"b":2})", Same::kNot);
  check(R"([1,2])", R"([2,1])", Same::kNot);
  check(R"([{"x":[1,{"y":1.0}]}])", R"([{"x":[1,{"y":1}]}])", Same::kByValue);
  // The key tables differ, the objects do not.
  const Document one = parse_json(R"([{"z":0},{"a":1,"b":2}])").value();
  const Document two = parse_json(R"({"a":1,"b":2})").value();
  EXPECT_TRUE(identical(one.root().at(1), two.root()));
}

}  // namespace
}  // namespace rookery::value
