// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rookery/query/parse.h"

namespace rookery::query {
namespace {

std::string parse_error(std::string_view text, ErrorCode code = ErrorCode::malformed) {
  const auto query = parse(text);
  if (query.has_value()) {
    return "no error";
  }
  EXPECT_EQ(query.error().code(), code) << text;
  return std::string(query.error().message());
}

TEST(ParseError, SaysWhatWasExpectedWhatWasFoundAndWhere) {
  EXPECT_EQ(parse_error(""), "expected 'from', found the end of the query at 1:1");
  EXPECT_EQ(parse_error("select *"), "expected 'from', found 'select' at 1:1");
  EXPECT_EQ(parse_error("from"),
            "expected a collection, @all_docs or an index, found the end of the query at 1:5");
  EXPECT_EQ(parse_error("from where a = 1"),
            "expected a collection, @all_docs or an index, found 'where' at 1:6");
  EXPECT_EQ(parse_error("from a\nwhere b"),
            "expected an operator, found the end of the query at 2:8");
  EXPECT_EQ(parse_error("from a where b ="),
            "expected a field, a value or a method, found the end of the query at 1:17");
  EXPECT_EQ(parse_error("from a where b = 1 c = 2"),
            "expected a clause or the end of the query, found 'c' at 1:20");
  EXPECT_EQ(parse_error("from a where (b = 1"), "expected ')', found the end of the query at 1:20");
  EXPECT_EQ(parse_error("from a where b between 1 or 2"), "expected 'and', found 'or' at 1:26");
  EXPECT_EQ(parse_error("from a where b in 1"), "expected '(', found '1' at 1:19");
  EXPECT_EQ(parse_error("from a where b in (1 2)"), "expected ')', found '2' at 1:22");
  EXPECT_EQ(parse_error("from a where f(1 2)"),
            "expected an operator, ',' or ')', found '2' at 1:18");
  EXPECT_EQ(parse_error("from a where f(b = 1 2)"), "expected ',' or ')', found '2' at 1:22");
  EXPECT_EQ(parse_error("from a where f(b and c = 1)"),
            "expected an operator, ',' or ')', found 'and' at 1:18");
  EXPECT_EQ(parse_error("from a where (b)"), "expected an operator, found ')' at 1:16");
  EXPECT_EQ(parse_error("from a where b[x] = 1"),
            "expected ']' or the number of an element, found 'x' at 1:16");
  EXPECT_EQ(parse_error("from a where b[-1] = 1"),
            "expected ']' or the number of an element, found '-1' at 1:16");
  EXPECT_EQ(parse_error("from a where b[99999999999] = 1"),
            "expected ']' or the number of an element, found '99999999999' at 1:16");
  EXPECT_EQ(parse_error("from a where b. = 1"), "expected the name of a field, found '=' at 1:17");
}

TEST(ParseError, ExplainsWhereNotMayStand) {
  const std::string hint =
      "expected a condition ('not' must follow 'and' or 'or', as in: true and not ...), found "
      "'not' at 1:";
  EXPECT_EQ(parse_error("from a where not b = 1"), hint + "14");
  EXPECT_EQ(parse_error("from a where c = 1 and (not b = 1)"), hint + "25");
  EXPECT_EQ(parse_error("from a where boost(not b = 1, 2)"), hint + "20");
  EXPECT_EQ(parse_error("from a where c = 1 and not not b = 1"),
            "expected a field, a value or a method, found 'not' at 1:28");
}

TEST(ParseError, SaysThatReservedWordsNeedQuotes) {
  EXPECT_EQ(parse_error("from a where order = 1"),
            "expected a field, a value or a method (a field of that name needs quotes), found "
            "'order' at 1:14");
  EXPECT_EQ(parse_error("from a select b, from a where c"),
            "expected a clause or the end of the query, found 'a' at 1:23");
}

TEST(ParseError, RefusesClausesThatAreTwiceOrTooLate) {
  EXPECT_EQ(parse_error("from a where b = 1 where c = 2"),
            "expected one 'where', found another at 1:20");
  EXPECT_EQ(parse_error("from a select b where c = 2"),
            "expected 'where' before 'select', found it behind at 1:17");
  EXPECT_EQ(parse_error("from a limit 1 order by c"),
            "expected 'order' before 'limit', found it behind at 1:16");
  EXPECT_EQ(parse_error("from a select b update { }"),
            "expected 'select' or 'update', found both at 1:17");
  EXPECT_EQ(parse_error("from a limit 1, 2 offset 3"),
            "expected one offset, found another at 1:26");
  EXPECT_EQ(parse_error("from a offset 3 limit 1, 2"),
            "expected one offset, found another at 1:23");
}

TEST(ParseError, ChecksWhatClausesHold) {
  EXPECT_EQ(parse_error("from a order b"), "expected 'by', found 'b' at 1:14");
  EXPECT_EQ(parse_error("from a order by 5"), "expected a field or a method, found '5' at 1:17");
  EXPECT_EQ(parse_error("from a order by b as int"),
            "expected 'string', 'long', 'double' or 'alphaNumeric', found 'int' at 1:22");
  EXPECT_EQ(parse_error("from a order by b nulls"),
            "expected 'first' or 'last', found the end of the query at 1:24");
  EXPECT_EQ(parse_error("from a group by sum(b)"),
            "expected a field or array(field), found 'sum' at 1:17");
  EXPECT_EQ(parse_error("from a load b"), "expected 'as', found the end of the query at 1:14");
  EXPECT_EQ(parse_error("from a load b as c[1]"), "expected ']', found '1' at 1:20");
  EXPECT_EQ(parse_error("from a include 5"), "expected a path or a method, found '5' at 1:16");
  EXPECT_EQ(parse_error("from a update b"), "expected '{', found 'b' at 1:15");
  EXPECT_EQ(parse_error("from a select"),
            "expected a field, a value or a method, found the end of the query at 1:14");
  for (const std::string count : {"-1", "1.5", "1e2", "b", "'1'", "null"}) {
    EXPECT_EQ(parse_error("from a limit " + count),
              "expected a whole number or a parameter, found " +
                  (count.starts_with('\'') ? count : "'" + count + "'") + " at 1:14");
  }
}

TEST(ParseError, ChecksDeclarations) {
  EXPECT_EQ(parse_error("declare f() {} from a"),
            "expected 'function' or 'timeseries', found 'f' at 1:9");
  EXPECT_EQ(parse_error("declare function () {} from a"),
            "expected the name of the function, found '(' at 1:18");
  EXPECT_EQ(parse_error("declare function f {} from a"), "expected '(', found '{' at 1:20");
  EXPECT_EQ(parse_error("declare function f() from a"), "expected '{', found 'from' at 1:22");
  EXPECT_EQ(parse_error("declare function f() { from a"),
            "expected '}' to end the script that begins at 1:22");
  EXPECT_EQ(parse_error("declare timeseries f() { ( from a"),
            "expected '}' to end what begins at 1:24");
  EXPECT_EQ(parse_error("declare function f() {}\ndeclare function f() {} from a"),
            "expected one 'f', found another declared at 2:1");
}

TEST(ParseError, NamesGraphQueries) {
  EXPECT_EQ(parse_error("match (a)", ErrorCode::not_supported),
            "not supported: graph queries ('match' at 1:1)");
  EXPECT_EQ(parse_error("declare function f() {}\n with {from a} as b match (b)",
                        ErrorCode::not_supported),
            "not supported: graph queries ('with' at 2:2)");
}

std::string nested(std::size_t depth) {
  return "from a where " + std::string(depth, '(') + "b = 1" + std::string(depth, ')');
}

TEST(ParseError, BoundsDepth) {
  EXPECT_TRUE(parse(nested(64)).has_value());
  EXPECT_EQ(parse_error(nested(65), ErrorCode::too_large),
            "more than 64 parentheses inside each other at 1:78");
  EXPECT_EQ(parse_error(nested(1'000'000), ErrorCode::too_large),
            "more than 64 parentheses inside each other at 1:78");
  std::string calls;
  for (int i = 0; i < 100'000; ++i) {
    calls += "f(";
  }
  EXPECT_EQ(parse_error("from a where " + calls, ErrorCode::too_large),
            "more than 64 parentheses inside each other at 1:143");
  EXPECT_TRUE(parse(nested(200), {.depth_max = 200}).has_value());
  // Depth is of what is open, not of what was.
  std::string flat = "from a where (b = 1)";
  for (int i = 0; i < 100; ++i) {
    flat += " and (f(1) = 2)";
  }
  EXPECT_TRUE(parse(flat).has_value());
}

TEST(ParseError, BoundsSize) {
  EXPECT_TRUE(parse("from a", {.size_bytes_max = 6}).has_value());
  const auto query = parse("from ab", {.size_bytes_max = 6});
  ASSERT_FALSE(query.has_value());
  EXPECT_EQ(query.error().code(), ErrorCode::too_large);
  EXPECT_EQ(query.error().message(), "the query has 7 bytes, more than the 6 allowed, at 1:1");
}

}  // namespace
}  // namespace rookery::query
