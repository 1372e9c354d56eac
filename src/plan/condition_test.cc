// SPDX-License-Identifier: Apache-2.0
#include "rookery/plan/condition.h"

#include <gtest/gtest.h>

#include "plan_test_support.h"

namespace rookery::plan {
namespace {

std::string error_of(std::string_view where, std::string_view parameters = "{}") {
  return TestQuery("from Users as u where " + std::string(where), parameters).where_error();
}

TEST(Condition, NamesWhatItWantsAndWhere) {
  EXPECT_EQ(error_of("name = $p"), "the query has no parameter `p` at 1:30");
  EXPECT_EQ(error_of("name = Ann"),
            "expected a value, found the field `Ann` (texts stand in quotes) at 1:30");
  EXPECT_EQ(error_of("5 = name"), "expected a field, found 5 at 1:23");
  EXPECT_EQ(error_of("u = 5"), "expected a field, found the document `u` at 1:23");
  EXPECT_EQ(error_of("name = $p", R"({"p":[1]})"),
            "expected one value, found the parameter `p`, which holds an array (use `in`) at 1:30");
  EXPECT_EQ(error_of("name = $p", R"({"p":{}})"),
            "expected one value, found the parameter `p`, which holds an object at 1:30");
  EXPECT_EQ(error_of("n = $p", R"({"p":1e999})"),
            "the parameter `p` is a number that is too large at 1:27");
  EXPECT_EQ(error_of("n = 1e999"), "the number 1e999 is too large at 1:27");
  EXPECT_EQ(error_of("n between 1 and 'x'"),
            "expected two bounds of one kind, found a number and a string at 1:33");
  EXPECT_EQ(error_of("startsWith(name, 5)"), "expected a string, found a number at 1:40");
  EXPECT_EQ(error_of("startsWith(name)"), "expected 2 arguments of startsWith(), found 1 at 1:23");
  EXPECT_EQ(error_of("regex(name, '(')").substr(0, 35), "the regular expression is not valid");
  EXPECT_EQ(error_of("boost(a = 1, -1)"), "expected a factor that is not negative at 1:36");
  EXPECT_EQ(error_of("exact(search(a, 'x'))"),
            "search() looks for words, which exact() has none of at 1:29");
  EXPECT_EQ(error_of("a = 1 and nope(a)"),
            "expected a condition, found nope(), which is no method at 1:33");
  EXPECT_EQ(error_of("id()"), "expected a condition, found id() at 1:23");
  EXPECT_EQ(error_of("a = startsWith(b, 'x')"), "expected a value, found startsWith() at 1:27");
  EXPECT_EQ(error_of("when(name = 5, a = 1)"),
            "when() asks about parameters and values, found the field `name` at 1:28");
  EXPECT_EQ(error_of("when($p, a = 1)", R"({"p":5})"),
            "when() expects a condition, found a number at 1:28");
  EXPECT_EQ(error_of("fuzzy(a > 'x', 0.5)"),
            "expected `field = value` as first argument of fuzzy() at 1:29");
  EXPECT_EQ(error_of("fuzzy(a = 'x', 1.5)"), "expected a similarity from 0 to 1 at 1:38");
}

TEST(Condition, RefusesWhatNobodyEvaluatesYet) {
  EXPECT_EQ(error_of("lucene(name, 'a*')"), "not supported yet: lucene() at 1:23");
  EXPECT_EQ(error_of("a = 1 and spatial.within(l, spatial.circle(1, 2, 3))"),
            "not supported yet: spatial.within() at 1:33");
  EXPECT_EQ(error_of("name = cmpxchg('x')"), "not supported yet: cmpxchg() at 1:30");
  EXPECT_EQ(error_of("count() > 5"), "not supported yet: count() at 1:23");
  EXPECT_EQ(error_of("intersect(a = 1, b = 2)"), "not supported yet: intersect() at 1:23");
  EXPECT_EQ(error_of("d > today('x')"), "not supported yet: arguments of today() at 1:27");
  const TestQuery lucene("from Users where lucene(name, 'a*')");
  EXPECT_EQ(lucene.where().error().code(), ErrorCode::not_supported);
  const TestQuery missing("from Users where name = $p");
  EXPECT_EQ(missing.where().error().code(), ErrorCode::invalid_query);
}

// The official clients' tests look for these texts.
TEST(Condition, ProximityWantsSeveralPlainWords) {
  EXPECT_EQ(error_of("proximity(search(a, 'fluent'), 1)"),
            "Proximity search works only on multiple search terms at 1:33");
  EXPECT_EQ(error_of("proximity(search(a, ' fluent '), 1)"),
            "Proximity search works only on multiple search terms at 1:33");
  EXPECT_EQ(error_of("proximity(search(a, ''), 1)"),
            "Proximity search works only on multiple search terms at 1:33");
  EXPECT_EQ(error_of("proximity(search(a, '*luent frenc*'), 1)"),
            "Proximity search works only on simple string terms, not wildcard at 1:33");
  EXPECT_EQ(error_of("proximity(a = 1, 1)"),
            "expected search() as first argument of proximity() at 1:33");
  EXPECT_EQ(error_of("proximity(search(a, 'x y'), -1)"),
            "expected an integer that is not negative at 1:51");
}

TEST(Condition, CompilesSearchFuzzyAndProximity) {
  const TestQuery search("from Users where search(u.title, $t, and)", R"({"t":"A b*"})");
  const auto found = search.where();
  ASSERT_TRUE(found.has_value());
  const auto& words = std::get<Search>(found->what);
  EXPECT_EQ(words.field.name(), "u.title");
  EXPECT_EQ(words.terms, "A b*");
  EXPECT_EQ(words.op, query::LogicalOperator::kAnd);
  EXPECT_FALSE(words.proximity.has_value());

  const auto near = TestQuery("from Users where proximity(search(a, 'x y'), 3)").where();
  ASSERT_TRUE(near.has_value());
  EXPECT_EQ(std::get<Search>(near->what).proximity, 3U);

  const auto fuzzy = TestQuery("from Users where boost(fuzzy(a = 'x', 0.25), 2)").where();
  ASSERT_TRUE(fuzzy.has_value());
  const auto& boost = std::get<Boost>(fuzzy->what);
  EXPECT_EQ(boost.factor, 2.0);
  const auto& like = std::get<TextMatch>(boost.term->what);
  EXPECT_EQ(like.kind, TextMatch::Kind::kFuzzy);
  EXPECT_EQ(like.similarity, 0.25);

  const value::Document document = json("{}");
  EXPECT_EQ(matches(*found, facts(document)).error().code(), ErrorCode::not_supported);
  EXPECT_EQ(matches(*fuzzy, facts(document)).error().code(), ErrorCode::not_supported);
}

TEST(Condition, CountsAreIntegersThatAreNotNegative) {
  const TestQuery query("from Users limit $a", R"({"a":5,"b":-1,"c":"5"})");
  const Scope scope = query.scope();
  const auto count = [&](std::string_view name) {
    return compile_count({.at = {}, .node = query::Parameter{std::string(name)}}, scope);
  };
  EXPECT_EQ(count("a").value(), 5U);
  EXPECT_FALSE(count("b").has_value());
  EXPECT_FALSE(count("c").has_value());
  EXPECT_FALSE(count("d").has_value());
}

std::string order_error(std::string_view term) {
  const TestQuery query("from Users order by " + std::string(term));
  const auto key = compile_order(query.query().order_by.at(0), query.scope());
  return key.has_value() ? "none" : std::string(key.error().message());
}

TEST(Condition, CompilesOrders) {
  const TestQuery query(
      "from Users as u order by u.age as long desc, score(), random('s'), id() , random(7)");
  std::vector<OrderKey> keys;
  for (const query::OrderTerm& term : query.query().order_by) {
    auto key = compile_order(term, query.scope());
    ASSERT_TRUE(key.has_value());
    keys.push_back(std::move(*key));
  }
  EXPECT_EQ(keys[0].field.name(), "age");
  EXPECT_TRUE(keys[0].descending);
  EXPECT_EQ(keys[0].type, query::OrderType::kLong);
  EXPECT_EQ(keys[1].field.kind, Field::Kind::kScore);
  EXPECT_EQ(keys[2].field.kind, Field::Kind::kRandom);
  EXPECT_EQ(keys[2].seed, "s");
  EXPECT_EQ(keys[3].field.kind, Field::Kind::kId);
  EXPECT_EQ(keys[4].seed, "7");
  EXPECT_EQ(order_error("custom(a, 'S')"), "not supported yet: custom() at 1:21");
  EXPECT_EQ(order_error("spatial.distance(a, spatial.point(1, 2))"),
            "not supported yet: spatial.distance() at 1:21");
  EXPECT_EQ(order_error("score() as long"),
            "score() has one order only, without `as` and `nulls` at 1:21");
  EXPECT_EQ(order_error("random(true)"), "expected a text or an integer as seed at 1:28");
}

std::string refused(std::string_view text) {
  const TestQuery query(text);
  const auto checked = check_supported(query.query());
  return checked.has_value() ? "none" : std::string(checked.error().message());
}

TEST(Condition, ClausesThatNobodyExecutesYetAreRefused) {
  EXPECT_EQ(refused("from Users where lucene(a, 'x') include company, timings()"), "none");
  EXPECT_EQ(refused("from Users group by name select key()"),
            "not supported yet: group by at 1:21");
  EXPECT_EQ(refused("from Users as u load u.c as c"), "not supported yet: load at 1:22");
  EXPECT_EQ(refused("from Users filter a = 1"), "not supported yet: filter at 1:19");
  EXPECT_EQ(refused("from Users select { a: 1 }"), "not supported yet: select { ... } at 1:19");
  EXPECT_EQ(refused("from Users update { this.a = 1 }"), "not supported yet: update at 1:20");
  EXPECT_EQ(refused("declare function f(a) { return a; } from Users"),
            "not supported yet: declare function at 1:1");
  EXPECT_EQ(refused("from Users include counters('x')"), "not supported yet: counters() at 1:20");
}

}  // namespace
}  // namespace rookery::plan
