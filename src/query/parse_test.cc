// SPDX-License-Identifier: Apache-2.0
#include "rookery/query/parse.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rookery/query/print.h"

namespace rookery::query {
namespace {

Query parsed(std::string_view text) {
  auto query = parse(text);
  if (!query.has_value()) {
    ADD_FAILURE() << text << ": " << query.error().message();
    return {};
  }
  return *std::move(query);
}

Expression where(std::string_view condition) {
  Query query = parsed("from Users where " + std::string(condition));
  return query.where.value_or(Expression{});
}

Expression field(std::string name) {
  return {{}, Field{Path{{PathSegment{std::move(name), {}}}}}};
}

Expression number(std::string text) {
  return {{}, Number{std::move(text), true}};
}

Expression equals(std::string name, std::string value) {
  return {{},
          Comparison{field(std::move(name)), CompareOperator::kEqual, number(std::move(value))}};
}

Expression logical(LogicalOperator op, std::vector<Expression> terms) {
  return {{}, Logical{op, std::move(terms)}};
}

constexpr auto kAnd = LogicalOperator::kAnd;
constexpr auto kOr = LogicalOperator::kOr;

TEST(Parse, BindsAndTighterThanOr) {
  EXPECT_EQ(where("a = 1 or b = 2 and c = 3 or d = 4"),
            logical(kOr, {equals("a", "1"), logical(kAnd, {equals("b", "2"), equals("c", "3")}),
                          equals("d", "4")}));
}

TEST(Parse, KeepsTheGroupsOfParentheses) {
  EXPECT_EQ(where("(a = 1 or b = 2) and (c = 3)"),
            logical(kAnd, {logical(kOr, {equals("a", "1"), equals("b", "2")}), equals("c", "3")}));
  EXPECT_EQ(where("(a = 1 and b = 2) and c = 3"),
            logical(kAnd, {logical(kAnd, {equals("a", "1"), equals("b", "2")}), equals("c", "3")}));
}

TEST(Parse, BindsNotToThePredicateBehindIt) {
  const Expression not_b{{}, Not{equals("b", "2")}};
  EXPECT_EQ(where("a = 1 or not b = 2 and c = 3"),
            logical(kOr, {equals("a", "1"), logical(kAnd, {not_b, equals("c", "3")})}));
  EXPECT_EQ(where("true and not b = 2"), logical(kAnd, {Expression{{}, Boolean{true}}, not_b}));
}

TEST(Parse, TakesQuotesForANameLeftOfAnOperatorAndForAValueRightOfIt) {
  const Expression expected{
      {}, Comparison{field("order"), CompareOperator::kEqual, Expression{{}, String{"order"}}}};
  EXPECT_EQ(where("'order' = 'order'"), expected);
  EXPECT_EQ(where("\"order\" == \"order\""), expected);
}

TEST(Parse, TakesQuotesForANameAsFirstArgumentOfMethodsOnFields) {
  const auto search = std::get<Call>(where("search('order', 'x')").node);
  EXPECT_EQ(search.method, Method::kSearch);
  EXPECT_EQ(*search.arguments[0].value, field("order"));
  EXPECT_EQ(*search.arguments[1].value, (Expression{{}, String{"x"}}));
  const auto counter = std::get<Call>(where("counter('order')").node);
  EXPECT_EQ(*counter.arguments[0].value, (Expression{{}, String{"order"}}));
}

TEST(Parse, ReadsPaths) {
  const auto comparison = std::get<Comparison>(where("a.'b c'[][3].@x-y = 1").node);
  const auto& path = std::get<Field>(comparison.left->node).path;
  ASSERT_EQ(path.segments.size(), 3U);
  EXPECT_EQ(path.segments[1],
            (PathSegment{"b c", {Subscript{std::nullopt}, Subscript{std::uint32_t{3}}}}));
  EXPECT_EQ(path.segments[2], (PathSegment{"@x-y", {}}));
  // A dot inside quotes belongs to the name.
  EXPECT_EQ(*std::get<Comparison>(where("'a.b' = 1").node).left, field("a.b"));
}

TEST(Parse, ReadsEveryOperator) {
  const auto op_of = [](std::string_view op) {
    return std::get<Comparison>(where("a " + std::string(op) + " 1").node).op;
  };
  EXPECT_EQ(op_of("="), CompareOperator::kEqual);
  EXPECT_EQ(op_of("=="), CompareOperator::kEqual);
  EXPECT_EQ(op_of("!="), CompareOperator::kNotEqual);
  EXPECT_EQ(op_of("<>"), CompareOperator::kNotEqual);
  EXPECT_EQ(op_of("<"), CompareOperator::kLess);
  EXPECT_EQ(op_of("<="), CompareOperator::kLessOrEqual);
  EXPECT_EQ(op_of(">"), CompareOperator::kGreater);
  EXPECT_EQ(op_of(">="), CompareOperator::kGreaterOrEqual);
}

TEST(Parse, ReadsInAllInAndBetween) {
  EXPECT_EQ(where("a in ()"), (Expression{{}, In{field("a"), InMode::kAny, {}}}));
  EXPECT_EQ(where("a ALL IN (1, $p)"),
            (Expression{
                {}, In{field("a"), InMode::kAll, {number("1"), Expression{{}, Parameter{"p"}}}}}));
  // The `and` of between is not the operator.
  EXPECT_EQ(where("a between 1 and 2 and b = 3"),
            logical(kAnd, {Expression{{}, Between{field("a"), number("1"), number("2")}},
                           equals("b", "3")}));
}

TEST(Parse, KeepsNumbersAsWritten) {
  const auto number_of = [](std::string_view text) {
    const auto comparison = std::get<Comparison>(where("a = " + std::string(text)).node);
    return std::get<Number>(comparison.right->node);
  };
  EXPECT_EQ(number_of("9223372036854775808"), (Number{"9223372036854775808", true}));
  EXPECT_EQ(number_of("-0.10"), (Number{"-0.10", false}));
  EXPECT_EQ(number_of("1e5"), (Number{"1e5", false}));
}

TEST(Parse, ReadsMethodsInAnyCaseAndKeepsTheirSpelling) {
  const auto call = std::get<Call>(where("STARTSWITH(a, 'x')").node);
  EXPECT_EQ(call.method, Method::kStartsWith);
  EXPECT_EQ(call.name, "STARTSWITH");
}

TEST(Parse, ReadsThePathBehindACall) {
  const auto comparison = std::get<Comparison>(where("a = cmpxchg($k).b.c").node);
  const auto& call = std::get<Call>(comparison.right->node);
  EXPECT_EQ(call.method, Method::kCompareExchange);
  EXPECT_EQ(call.rest, (Path{{PathSegment{"b", {}}, PathSegment{"c", {}}}}));
}

TEST(Parse, ReadsAndAndOrAsArguments) {
  const auto call = std::get<Call>(where("search(a, $p, AND)").node);
  EXPECT_EQ(*call.arguments[2].value, (Expression{{}, OperatorWord{kAnd}}));
}

TEST(Parse, PrefersDeclaredFunctionsToMethods) {
  const Query query = parsed("declare function sum(a) {} from Users select sum('a'), count()");
  const auto& items = std::get<std::vector<SelectItem>>(query.select->what);
  const auto& sum = std::get<Call>(items[0].value.node);
  EXPECT_EQ(sum.method, Method::kFunction);
  EXPECT_EQ(*sum.arguments[0].value, (Expression{{}, String{"a"}}));
  EXPECT_EQ(std::get<Call>(items[1].value.node).method, Method::kCount);
}

TEST(Parse, TellsSourcesApart) {
  const auto from = [](std::string_view text) { return parsed("from " + std::string(text)).from; };
  EXPECT_EQ(from("Users"), from("'Users'"));
  EXPECT_EQ(from("Users u"), from("Users AS u"));
  EXPECT_EQ(from("@all_docs").source, From::Source::kAllDocuments);
  EXPECT_EQ(from("'@all_docs'").source, From::Source::kAllDocuments);
  EXPECT_EQ(from("@empty").source, From::Source::kCollection);
  EXPECT_EQ(from("index 'a/b'").source, From::Source::kIndex);
  EXPECT_EQ(from("index 'a/b'").name, "a/b");
  EXPECT_EQ(from("index").name, "index");
  EXPECT_EQ(from("index where a = 1").source, From::Source::kCollection);
  EXPECT_TRUE(from("Users (revisions = TRUE) as u").revisions);
  EXPECT_FALSE(from("Users (revisions = false)").revisions);
}

TEST(Parse, ReadsOrders) {
  const Query query = parsed("from a order by b as long desc nulls last, 'select', score() asc");
  ASSERT_EQ(query.order_by.size(), 3U);
  EXPECT_EQ(query.order_by[0],
            (OrderTerm{field("b"), OrderType::kLong, true, NullsPlacement::kLast}));
  EXPECT_EQ(query.order_by[1], (OrderTerm{field("select"), std::nullopt, false, std::nullopt}));
  EXPECT_EQ(std::get<Call>(query.order_by[2].value.node).method, Method::kScore);
}

TEST(Parse, TellsDistinctFromAFieldOfThatName) {
  EXPECT_TRUE(parsed("from a select distinct b").select->distinct);
  EXPECT_TRUE(parsed("from a select distinct *").select->distinct);
  EXPECT_TRUE(parsed("from a select distinct { b: 1 }").select->distinct);
  EXPECT_FALSE(parsed("from a select distinct").select->distinct);
  EXPECT_FALSE(parsed("from a select distinct, b").select->distinct);
  EXPECT_FALSE(parsed("from a select distinct.b").select->distinct);
  EXPECT_FALSE(parsed("from a select distinct as b").select->distinct);
}

TEST(Parse, KeepsScriptsToTheByte) {
  const Query query = parsed("from a update {{ this.x = '}'; } // }\n }");
  EXPECT_EQ(query.update->text, "{ this.x = '}'; } // }\n ");
  EXPECT_EQ(query.update->at.column, 16U);
  const Query select = parsed("from a as b select {\n c: b.d }include b.e");
  EXPECT_EQ(std::get<Script>(select.select->what).text, "\n c: b.d ");
  EXPECT_EQ(select.include.size(), 1U);
}

TEST(Parse, KeepsTimeSeriesTextToTheByte) {
  const Query query = parsed("from a select timeseries( from b where (c = ')') ) as d");
  const auto& items = std::get<std::vector<SelectItem>>(query.select->what);
  const auto& call = std::get<Call>(items[0].value.node);
  EXPECT_EQ(std::get<TimeSeriesText>(call.arguments[0].value->node).text,
            " from b where (c = ')') ");
  EXPECT_EQ(items[0].alias, "d");
}

TEST(Parse, ReadsPagesInEveryForm) {
  const Query page = parsed("from a limit 10 offset 5");
  EXPECT_EQ(page.limit, number("10"));
  EXPECT_EQ(page.offset, number("5"));
  EXPECT_EQ(parsed("from a limit 5, 10"), page);
  EXPECT_EQ(parsed("from a offset 5 limit 10"), page);
}

TEST(Parse, TakesClausesInTheOrdersThatClientsUse) {
  const Query query = parsed(
      "from a as x where b = 1 group by c order by d load x.e as f filter g = 2 "
      "select h include i limit 3 filter_limit 4");
  EXPECT_EQ(parsed("from a as x group by c where b = 1 load x.e as f order by d "
                   "select h filter g = 2 filter_limit 4 limit 3 include i"),
            query);
}

TEST(Parse, GivesPositionsToNodes) {
  const Query query = parsed("from a\nwhere b = 1 and\n  c = sum(d)");
  const auto& both = std::get<Logical>(query.where->node);
  EXPECT_EQ(to_string(both.terms[1].at), "3:3");
  const auto& comparison = std::get<Comparison>(both.terms[1].node);
  EXPECT_EQ(to_string(comparison.right->at), "3:7");
  EXPECT_EQ(comparison.right->at.offset, 29U);
}

TEST(Parse, ComparesTreesByMeaning) {
  EXPECT_EQ(parsed("from a where b = 1"), parsed("FROM /* x */ 'a'\n WHERE\n\"b\"==1"));
  EXPECT_NE(parsed("from a where b = 1"), parsed("from a where b = 1.0"));
  EXPECT_NE(parsed("from a where b = 1"), parsed("from a where B = 1"));
  EXPECT_NE(parsed("from a"), parsed("from index a"));
  EXPECT_NE(parsed("from a where b = 1 or c = 2"), parsed("from a where b = 1 and c = 2"));
  EXPECT_NE(parsed("from a where f(1)"), parsed("from a where f(2)"));
  EXPECT_NE(parsed("from a where b in (1)"), parsed("from a where b in (2)"));
}

TEST(Parse, CopiesTreesDeeply) {
  const Query query = parsed("from a where b = 1");
  Query copy = query;
  std::get<Comparison>(copy.where->node).left->node = Null{};
  EXPECT_NE(copy, query);
  EXPECT_EQ(query, parsed("from a where b = 1"));
}

TEST(Parse, ReadsLongFlatQueriesWithoutDepth) {
  std::string text = "from a where b in (0";
  for (int i = 1; i < 20'000; ++i) {
    text += ", " + std::to_string(i);
  }
  text += ")";
  for (int i = 0; i < 20'000; ++i) {
    text += i % 2 == 0 ? " and c = 1" : " or not d = 2";
  }
  EXPECT_EQ(std::get<Logical>(parsed(text).where->node).terms.size(), 10'001U);
}

}  // namespace
}  // namespace rookery::query
