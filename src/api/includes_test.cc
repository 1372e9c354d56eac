// SPDX-License-Identifier: Apache-2.0
#include "includes.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/value/json.h"

namespace rookery::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> found_in(std::string_view json, std::string_view path) {
  const auto document = value::parse_json(json);
  EXPECT_TRUE(document.has_value());
  std::vector<std::string> out;
  find_includes(document->root(), path, [&](std::string_view id) { out.emplace_back(id); });
  return out;
}

TEST(Includes, FollowPaths) {
  EXPECT_THAT(found_in(R"({"c":"x/1"})", "c"), ElementsAre("x/1"));
  EXPECT_THAT(found_in(R"({"a":{"b":{"c":"x/1"}}})", "a.b.c"), ElementsAre("x/1"));
  EXPECT_THAT(found_in(R"({"c":["x/1","x/2",null,"x/1"]})", "c"), ElementsAre("x/1", "x/2", "x/1"));
  EXPECT_THAT(found_in(R"({"a.b":"x/1","a":{"b":"x/2"}})", "a.b"), ElementsAre("x/1"));
}

TEST(Includes, WalkListsWithAndWithoutBrackets) {
  constexpr std::string_view kLines = R"({"lines":[{"p":"x/1"},{"q":0},{"p":"x/2"}]})";
  EXPECT_THAT(found_in(kLines, "lines[].p"), ElementsAre("x/1", "x/2"));
  EXPECT_THAT(found_in(kLines, "lines.p"), ElementsAre("x/1", "x/2"));
  EXPECT_THAT(found_in(R"({"a":[[{"p":"x/1"}],[]]})", "a[].p"), ElementsAre("x/1"));
  EXPECT_THAT(found_in(R"({"a":["x/1"]})", "a[]"), ElementsAre("x/1"));
}

TEST(Includes, PutPrefixesBeforeWhatTheyFind) {
  EXPECT_THAT(found_in(R"({"c":5,"d":"7"})", "c(companies/)"), ElementsAre("companies/5"));
  EXPECT_THAT(found_in(R"({"c":5,"d":"7"})", "d(companies/)"), ElementsAre("companies/7"));
}

TEST(Includes, FindNothingInWhatNamesNothing) {
  EXPECT_THAT(found_in(R"({"c":{"d":1},"e":null,"f":true,"g":1.5,"h":""})", "c"), IsEmpty());
  for (const std::string_view path : {"e", "f", "g", "h", "x", "x.y", "c.d.e", "", ".", "c..d"}) {
    EXPECT_THAT(found_in(R"({"c":{"d":1},"e":null,"f":true,"g":1.5,"h":""})", path), IsEmpty())
        << path;
  }
  EXPECT_THAT(found_in("[]", "a"), IsEmpty());
}

}  // namespace
}  // namespace rookery::api
