// SPDX-License-Identifier: Apache-2.0
// Cases by hand of what docs/rql.md says under "How values compare".
#include <string>

#include <gtest/gtest.h>

#include "plan_test_support.h"

namespace rookery::plan {
namespace {

bool met(std::string_view condition, std::string_view body, std::string_view parameters = "{}") {
  const TestQuery query("from Users as u where " + std::string(condition), parameters);
  const auto compiled = query.where();
  EXPECT_TRUE(compiled.has_value()) << condition << ": " << query.where_error();
  const value::Document document = json(body);
  const auto answer = matches(*compiled, facts(document));
  EXPECT_TRUE(answer.has_value()) << condition;
  return *answer;
}

TEST(Matches, EqualityGoesByValueAndKind) {
  EXPECT_TRUE(met("a = 5", R"({"a":5})"));
  EXPECT_TRUE(met("a = 5", R"({"a":5.0})"));
  EXPECT_FALSE(met("a = 5", R"({"a":"5"})"));
  EXPECT_FALSE(met("a = '5'", R"({"a":5})"));
  EXPECT_FALSE(met("a = 9007199254740992", R"({"a":9007199254740993})"));
  EXPECT_TRUE(met("a = true", R"({"a":true})"));
  EXPECT_FALSE(met("a = 1", R"({"a":true})"));
  EXPECT_FALSE(met("a = 'x'", R"({"a":{"x":"x"}})"));
}

TEST(Matches, StringsFoldTheirCaseUnlessExact) {
  EXPECT_TRUE(met("a = 'ANN'", R"({"a":"ann"})"));
  EXPECT_TRUE(met("a = '\\u00c9T\\u00c9'", R"({"a":"\u00e9t\u00e9"})"));
  EXPECT_FALSE(met("exact(a = 'ANN')", R"({"a":"ann"})"));
  EXPECT_TRUE(met("exact(a = 'Ann')", R"({"a":"Ann"})"));
  EXPECT_TRUE(met("exact(a = 1 and b = 'X') or false", R"({"a":1,"b":"X"})"));
  EXPECT_FALSE(met("exact(a = 1 and b = 'x')", R"({"a":1,"b":"X"})"));
  EXPECT_FALSE(met("a = 'ann '", R"({"a":"ann"})"));
}

TEST(Matches, NullIsNotMissing) {
  EXPECT_TRUE(met("a = null", R"({"a":null})"));
  EXPECT_FALSE(met("a = null", "{}"));
  EXPECT_FALSE(met("a = null", R"({"a":[]})"));
  EXPECT_TRUE(met("a = null", R"({"a":[1,null]})"));
  EXPECT_TRUE(met("exists(a)", R"({"a":null})"));
  EXPECT_TRUE(met("exists(a)", R"({"a":[]})"));
  EXPECT_TRUE(met("exists(a)", R"({"a":{}})"));
  EXPECT_FALSE(met("exists(a)", "{}"));
  EXPECT_FALSE(met("exists(a.b)", R"({"a":[]})"));
  EXPECT_TRUE(met("exists(id())", "{}"));
}

TEST(Matches, UnequalIsTheComplementOfEqual) {
  EXPECT_TRUE(met("a != 5", "{}"));
  EXPECT_TRUE(met("a != 5", R"({"a":null})"));
  EXPECT_TRUE(met("a != 5", R"({"a":[]})"));
  EXPECT_FALSE(met("a != 5", R"({"a":[4,5]})"));
  EXPECT_TRUE(met("a != null", "{}"));
  EXPECT_FALSE(met("exists(a) and a != null", "{}"));
}

TEST(Matches, RangesStayWithinTheKindOfTheirBound) {
  EXPECT_TRUE(met("a > 4", R"({"a":4.5})"));
  EXPECT_FALSE(met("a > 4", R"({"a":4})"));
  EXPECT_FALSE(met("a > 4", R"({"a":"5"})"));
  EXPECT_FALSE(met("a < 4", R"({"a":true})"));
  EXPECT_FALSE(met("a < 4", R"({"a":null})"));
  EXPECT_FALSE(met("a < 4", "{}"));
  EXPECT_TRUE(met("a < 'b'", R"({"a":"A"})"));
  EXPECT_FALSE(met("exact(a < 'A')", R"({"a":"a"})"));
  EXPECT_TRUE(met("a > false", R"({"a":true})"));
  EXPECT_TRUE(met("a <= null", R"({"a":null})"));
  EXPECT_FALSE(met("a < null", R"({"a":null})"));
  // Each comparison finds an element of its own.
  EXPECT_TRUE(met("a > 4 and a < 2", R"({"a":[1,5]})"));
  EXPECT_FALSE(met("a between 2 and 4", R"({"a":[1,5]})"));
}

TEST(Matches, BetweenIncludesBothEnds) {
  EXPECT_TRUE(met("a between 2 and 4", R"({"a":2})"));
  EXPECT_TRUE(met("a between 2 and 4", R"({"a":4.0})"));
  EXPECT_FALSE(met("a between 2 and 4", R"({"a":4.01})"));
  EXPECT_FALSE(met("a between 4 and 2", R"({"a":3})"));
  EXPECT_TRUE(met("a between 'a' and 'c'", R"({"a":"B"})"));
}

TEST(Matches, DatesGoByTimeWhereBothSidesAreDates) {
  // Other precision, other zone.
  EXPECT_TRUE(met("d < '2020-06-01T10:00:00+02:00'", R"({"d":"2020-06-01T07:59:59Z"})"));
  EXPECT_FALSE(met("d < '2020-06-01T10:00:00+02:00'", R"({"d":"2020-06-01T08:00:00.0000000Z"})"));
  EXPECT_TRUE(met("d <= '2020-06-01T10:00:00+02:00'", R"({"d":"2020-06-01T08:00:00.0000000Z"})"));
  EXPECT_TRUE(met("d >= '2020-06-01'", R"({"d":"2020-06-01T00:00:00"})"));
  EXPECT_TRUE(met("d between '2020-06-01' and '2020-06-02'", R"({"d":"2020-06-02T00:00:00Z"})"));
  // Not dates that we can read: by text, which does well for the ends of .NET's time.
  EXPECT_TRUE(met("d > '2020-06-01'", R"({"d":"9999-12-31T23:59:59.9999999"})"));
  EXPECT_TRUE(met("d > '2020-06-01'", R"({"d":"zeta"})"));
  EXPECT_TRUE(met("d > '2020'", R"({"d":"2020-01-01"})"));
  // A field that holds any date is compared by its dates alone.
  EXPECT_FALSE(met("d > '2020-06-01'", R"({"d":["zeta","2019-01-01"]})"));
  // Equality, exact() and id() know texts only.
  EXPECT_FALSE(met("d = '2020-06-01'", R"({"d":"2020-06-01T00:00:00Z"})"));
  EXPECT_FALSE(met("exact(d <= '2020-06-01')", R"({"d":"2020-06-01T00:00:00"})"));
  EXPECT_TRUE(met("d < now() and d >= today()", R"({"d":"2026-11-30T12:34:55Z"})"));
  EXPECT_FALSE(met("d < today()", R"({"d":"2026-11-30T00:00:00Z"})"));
}

TEST(Matches, InTakesAnyOrAll) {
  EXPECT_TRUE(met("a in (1, 'X', null)", R"({"a":"x"})"));
  EXPECT_TRUE(met("a in (1, 'X', null)", R"({"a":null})"));
  EXPECT_FALSE(met("a in (1, 'X', null)", "{}"));
  EXPECT_FALSE(met("a in ()", R"({"a":1})"));
  EXPECT_TRUE(met("a all in (1, 2)", R"({"a":[3,2,1]})"));
  EXPECT_FALSE(met("a all in (1, 2)", R"({"a":[1]})"));
  EXPECT_TRUE(met("a all in (1)", R"({"a":1})"));
  EXPECT_TRUE(met("a all in ()", "{}"));
  EXPECT_TRUE(met("a in ($list, 9)", R"({"a":2})", R"({"list":[1,2]})"));
  EXPECT_FALSE(met("a in ($list)", R"({"a":2})", R"({"list":[]})"));
}

TEST(Matches, TextsBeginEndAndLookLike) {
  EXPECT_TRUE(met("startsWith(a, 'AN')", R"({"a":"Ann"})"));
  EXPECT_FALSE(met("exact(startsWith(a, 'AN'))", R"({"a":"Ann"})"));
  EXPECT_TRUE(met("startsWith(a, '')", R"({"a":"Ann"})"));
  EXPECT_FALSE(met("startsWith(a, '')", R"({"a":5})"));
  EXPECT_TRUE(met("endsWith(a, 'N')", R"({"a":["x","Ann"]})"));
  EXPECT_FALSE(met("endsWith(a, '5')", R"({"a":5})"));
  EXPECT_TRUE(met("regex(a, 'n{2}$')", R"({"a":"ANN"})"));
  EXPECT_FALSE(met("exact(regex(a, 'n{2}$'))", R"({"a":"ANN"})"));
  EXPECT_FALSE(met("regex(a, '^n')", R"({"a":"ann"})"));
}

TEST(Matches, IdsFoldTheirCaseEvenInExact) {
  EXPECT_TRUE(met("id() = 'users/1-a'", "{}"));
  EXPECT_TRUE(met("exact(id(u) = 'USERS/1-a')", "{}"));
  EXPECT_TRUE(met("startsWith(id(), 'users/')", "{}"));
  EXPECT_TRUE(met("id() in ('x', 'users/1-A')", "{}"));
  EXPECT_TRUE(met("id() > 'USERS/'", "{}"));
  EXPECT_FALSE(met("id() = 1", "{}"));
}

TEST(Matches, LogicCombines) {
  EXPECT_TRUE(met("true and not a = 1", "{}"));
  EXPECT_FALSE(met("exists(a) and not a = 1", "{}"));
  EXPECT_TRUE(met("a = 1 or b = 2 and c = 3", R"({"a":1})"));
  EXPECT_FALSE(met("(a = 1 or b = 2) and c = 3", R"({"a":1})"));
  EXPECT_FALSE(met("false or a = 1 and not b = 2", R"({"a":1,"b":2})"));
  EXPECT_TRUE(met("boost(a = 1, 3)", R"({"a":1})"));
}

TEST(Matches, MetadataIsAField) {
  EXPECT_TRUE(met("@metadata.@collection = 'users'", "{}"));
  EXPECT_TRUE(met("@metadata.@last-modified >= '2026-11-30'", "{}"));
  EXPECT_TRUE(met("@metadata.tag = 'a'", R"({"@metadata":{"tag":["a"]}})"));
}

TEST(Matches, WhenAnsweredNoIsAsIfNotWritten) {
  const std::string_view both = "a = 1 and when($b != null, b = $b)";
  EXPECT_TRUE(met(both, R"({"a":1})"));
  EXPECT_FALSE(met(both, R"({"a":1})", R"({"b":2})"));
  EXPECT_TRUE(met(both, R"({"a":1,"b":2})", R"({"b":2})"));
  EXPECT_FALSE(met("a = 1 or when($b = true, b = 2)", R"({"b":2})"));
  EXPECT_TRUE(met("when($b, b = 2)", "{}"));
  EXPECT_FALSE(met("when($b, b = 2)", "{}", R"({"b":true})"));
  EXPECT_TRUE(met("true and not when($b, b = 2)", R"({"b":2})"));
  EXPECT_FALSE(
      met("when($l in ('x', 'Y') and $n between 1 and 3, false)", "{}", R"({"l":["y"],"n":2})"));
  EXPECT_TRUE(met("when($n > 3 or $n < 1, false)", "{}", R"({"n":2})"));
}

TEST(Matches, BoundsThatClientsLeaveOutAreOpen) {
  EXPECT_TRUE(met("a between $from and $to", R"({"a":3})", R"({"from":"*","to":5})"));
  EXPECT_FALSE(met("a between $from and $to", R"({"a":6})", R"({"from":"*","to":5})"));
  EXPECT_TRUE(met("a between $from and $to", R"({"a":6})", R"({"from":5,"to":"NULL"})"));
  EXPECT_TRUE(met("a between $from and $to", R"({"a":6})", R"({"from":"*","to":"NULL"})"));
  EXPECT_TRUE(met("a >= $from", R"({"a":-1})", R"({"from":"*"})"));
  EXPECT_FALSE(met("a >= $from", "{}", R"({"from":"*"})"));
  EXPECT_TRUE(met("a < $to", R"({"a":-1})", R"({"to":"NULL"})"));
  // Only as parameters.
  EXPECT_FALSE(met("a > '*'", R"({"a":-1})"));
}

}  // namespace
}  // namespace rookery::plan
