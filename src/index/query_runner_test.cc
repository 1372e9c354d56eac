// SPDX-License-Identifier: Apache-2.0
// Queries from their text to their answers.
#include "rookery/index/query_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_indexes.h"

namespace rookery::index {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Four people, in the order of their ids.
class QueryRunnerTest : public testing::Test {
 protected:
  QueryRunnerTest() {
    test.put("users/1", R"({"name":"Ann","age":30,"tags":["a","b"],"boss":"users/3"})");
    test.put("users/2", R"({"name":"bob","age":4.5,"born":"2001-05-01"})");
    test.put("users/3", R"({"name":"Cid","age":null,"address":{"city":"Oslo"}})");
    test.put("users/4", R"({"name":"ann","born":"2001-05-01T12:00:00+02:00"})");
    test.put("dogs/1", R"({"name":"Rex","boss":"users/1"})", "Dogs");
  }

  std::string error(std::string_view text, std::string_view parameters = "{}") {
    const Result<Answer> answer = test.ask(text, parameters);
    EXPECT_FALSE(answer.has_value()) << text;
    return answer.has_value() ? "" : answer.error().to_string();
  }

  TestIndexes test;
};

TEST_F(QueryRunnerTest, WholeCollectionsNeedNoIndex) {
  const Answer users = test.expect("from users");
  EXPECT_THAT(users.ids(), ElementsAre("users/1", "users/2", "users/3", "users/4"));
  EXPECT_EQ(users.total(), 4);
  EXPECT_EQ(users.index_name(), "collection/users");
  EXPECT_FALSE(users.is_stale());
  EXPECT_EQ(test.expect("from @all_docs").total(), 5);
  EXPECT_EQ(test.expect("from @all_docs").index_name(), "AllDocs");
  EXPECT_EQ(test.expect("from nothing").total(), 0);
  EXPECT_THAT(test.indexes().names(), IsEmpty());
}

TEST_F(QueryRunnerTest, IdsNeedNoIndex) {
  EXPECT_THAT(test.ids("from users where id() = 'USERS/2'"), ElementsAre("users/2"));
  EXPECT_THAT(test.ids("from users where id() in ('users/3', 'users/1', 'users/3', 'x', 'dogs/1')"),
              ElementsAre("users/3", "users/1"));
  EXPECT_THAT(test.ids("from users where startsWith(id(), 'USERS/')"),
              ElementsAre("users/1", "users/2", "users/3", "users/4"));
  EXPECT_EQ(test.expect("from users where id() in ()").total(), 0);
  EXPECT_THAT(test.indexes().names(), IsEmpty());
}

TEST_F(QueryRunnerTest, ConditionsGoToAnIndex) {
  EXPECT_THAT(test.ids("from users where name = 'ANN'"), ElementsAre("users/1", "users/4"));
  EXPECT_THAT(test.ids("from users where exact(name = 'ann')"), ElementsAre("users/4"));
  EXPECT_THAT(test.ids("from users where age > 4"), ElementsAre("users/1", "users/2"));
  EXPECT_THAT(test.ids("from users where age = null"), ElementsAre("users/3"));
  EXPECT_THAT(test.ids("from users where age != 30"), ElementsAre("users/2", "users/3", "users/4"));
  EXPECT_THAT(test.ids("from users where exists(age)"),
              ElementsAre("users/1", "users/2", "users/3"));
  EXPECT_THAT(test.ids("from users where tags = 'b'"), ElementsAre("users/1"));
  EXPECT_THAT(test.ids("from users where tags all in ('a', 'b')"), ElementsAre("users/1"));
  EXPECT_THAT(test.ids("from users where tags all in ('a', 'c')"), IsEmpty());
  EXPECT_THAT(test.ids("from users where address.city = 'oslo'"), ElementsAre("users/3"));
  EXPECT_THAT(test.ids("from users where startsWith(name, 'AN') and id() != 'users/1'"),
              ElementsAre("users/4"));
  EXPECT_THAT(test.ids("from users where endsWith(name, 'B') or regex(name, '^c.d')"),
              ElementsAre("users/2", "users/3"));
  EXPECT_THAT(test.ids("from users where age in ($ages)", R"({"ages":[30, null]})"),
              ElementsAre("users/1", "users/3"));
  EXPECT_THAT(test.ids("from users where id() > 'users/2' and exists(name)"),
              ElementsAre("users/3", "users/4"));
}

TEST_F(QueryRunnerTest, RangesOfDatesGoByTime) {
  // 12:00 in a zone two hours ahead is 10:00.
  EXPECT_THAT(test.ids("from users where born < '2001-05-01T11:00:00Z'"),
              ElementsAre("users/2", "users/4"));
  EXPECT_THAT(test.ids("from users where born > '2001-05-01T09:00:00Z'"), ElementsAre("users/4"));
  EXPECT_THAT(test.ids("from users where born between '2001-05-01T09:59:00' and "
                       "'2001-05-01T10:01:00'"),
              ElementsAre("users/4"));
}

TEST_F(QueryRunnerTest, SearchFindsWordsAndTheBestComeFirst) {
  test.put("users/5", R"({"bio":"a quick brown fox"})");
  test.put("users/6", R"({"bio":"the fox is not quick at all, it sleeps"})");
  EXPECT_THAT(test.expect("from users where search(bio, 'Brown sleeps')").sorted_ids(),
              ElementsAre("users/5", "users/6"));
  EXPECT_THAT(test.ids("from users where search(bio, 'quick brown', and)"), ElementsAre("users/5"));
  EXPECT_THAT(test.ids("from users where search(bio, 'slee*')"), ElementsAre("users/6"));
  EXPECT_THAT(test.ids("from users where proximity(search(bio, 'quick fox'), 1)"),
              ElementsAre("users/5"));
  EXPECT_THAT(error("from users where proximity(search(bio, 'fox'), 1)"),
              HasSubstr("Proximity search works only on multiple search terms"));
  EXPECT_THAT(error("from users where proximity(search(bio, 'fo* x'), 1)"),
              HasSubstr("Proximity search works only on simple string terms, not wildcard"));
  const Answer best = test.expect("from users where boost(name = 'cid', 5) or name = 'ann'");
  EXPECT_EQ(best.ids().front(), "users/3");
  EXPECT_TRUE(best.results().at(0).find("@metadata")->find("@index-score").has_value());
}

TEST_F(QueryRunnerTest, FuzzyAllowsEditsByTheLengthOfTheWord) {
  EXPECT_THAT(test.ids("from users where fuzzy(name = 'bbo', 0.5)"), ElementsAre("users/2"));
  EXPECT_THAT(test.ids("from users where fuzzy(name = 'bbo', 0.99)"), IsEmpty());
}

TEST_F(QueryRunnerTest, OrdersPutMissingAndNullFirst) {
  EXPECT_THAT(test.ids("from users order by age"),
              ElementsAre("users/4", "users/3", "users/2", "users/1"));
  EXPECT_THAT(test.ids("from users order by age desc"),
              ElementsAre("users/1", "users/2", "users/3", "users/4"));
  EXPECT_THAT(test.ids("from users order by name, age desc"),
              ElementsAre("users/1", "users/4", "users/2", "users/3"));
  EXPECT_THAT(test.ids("from users where exists(age) order by id() desc"),
              ElementsAre("users/3", "users/2", "users/1"));
  EXPECT_EQ(test.expect("from users order by random()").total(), 4);
}

TEST_F(QueryRunnerTest, PagesHaveExactTotals) {
  const Answer page = test.expect("from users order by id() limit 1, 2");
  EXPECT_THAT(page.ids(), ElementsAre("users/2", "users/3"));
  EXPECT_EQ(page.total(), 4);
  EXPECT_EQ(page.root().find_int64("CappedMaxResults"), 2);
  const Result<Answer> both =
      test.ask("from users limit 1, 2", "{}", std::nullopt, [](QueryRequest& request) {
        request.start = 1;
        request.page_size = 10;
      });
  EXPECT_THAT(both->ids(), ElementsAre("users/2", "users/3"));
  EXPECT_EQ(test.expect("from users limit $s, $n", R"({"s":null,"n":3})").ids().size(), 3U);
  const Answer none = test.expect("from users where name = 'ann' limit 0");
  EXPECT_THAT(none.ids(), IsEmpty());
  EXPECT_EQ(none.total(), 2);
}

TEST_F(QueryRunnerTest, ProjectionsShowWhatTheySelect) {
  const Answer answer =
      test.expect("from users where name = 'cid' select address.city as town, id()");
  ASSERT_EQ(answer.results().size(), 1U);
  const value::View row = answer.results().at(0);
  EXPECT_EQ(row.find_string("town"), "Oslo");
  EXPECT_EQ(row.find("@metadata")->find_bool("@projection"), true);
  EXPECT_EQ(row.find("@metadata")->find_string("@id"), "users/3");
  EXPECT_FALSE(row.find("name").has_value());
}

TEST_F(QueryRunnerTest, DistinctRowsCountWhatTheySkip) {
  test.put("users/5", R"({"name":"Ann"})");
  const Answer answer = test.expect("from users order by name select distinct name");
  ASSERT_EQ(answer.results().size(), 4U);  // Ann, ann, bob, Cid
  EXPECT_EQ(answer.total(), 5);
  EXPECT_EQ(answer.root().find_int64("SkippedResults"), 1);
}

TEST_F(QueryRunnerTest, IncludesComeWithTheAnswer) {
  const Answer answer = test.expect("from dogs include boss");
  const auto includes = answer.root().find("Includes");
  ASSERT_TRUE(includes.has_value());
  ASSERT_EQ(includes->size(), 1U);
  EXPECT_EQ(includes->key_at(0), "users/1");
}

TEST_F(QueryRunnerTest, AnEtagStandsForItsAnswer) {
  const auto ask = [&](std::string_view text, const std::string& known) {
    Result<Answer> answer = test.ask(text, "{}", std::chrono::seconds(30),
                                     [&known](QueryRequest& r) { r.known_etag = known; });
    EXPECT_TRUE(answer.has_value());
    return std::move(*answer);
  };
  for (const std::string_view text : {"from users", "from users where name = 'ann'"}) {
    const Answer first = ask(text, "");
    EXPECT_TRUE(ask(text, first.etag).not_modified) << text;
    EXPECT_FALSE(ask("from users where name = 'bob'", first.etag).not_modified);
    test.put("users/1", R"({"name":"Ann","age":31})");
    EXPECT_FALSE(ask(text, first.etag).not_modified) << text;
  }
  const Answer volatile_one = ask("from users where born < now()", "");
  EXPECT_FALSE(ask("from users where born < now()", volatile_one.etag).not_modified);
  // An answer that was stale is not the one that is not.
  static_cast<void>(ask("from users where name = 'ann'", ""));
  ASSERT_TRUE(test.indexes().set_paused("", true));
  test.erase("users/4");
  const Result<Answer> stale = test.ask("from users where name = 'ann'", "{}", std::nullopt);
  ASSERT_TRUE(stale->is_stale());
  ASSERT_TRUE(test.indexes().set_paused("", false));
  EXPECT_FALSE(ask("from users where name = 'ann'", stale->etag).not_modified);
}

TEST_F(QueryRunnerTest, MetadataAloneIfAskedFor) {
  const Result<Answer> answer =
      test.ask("from users where name = 'bob'", "{}", std::chrono::seconds(30),
               [](QueryRequest& request) { request.metadata_only = true; });
  ASSERT_EQ(answer->results().size(), 1U);
  EXPECT_EQ(answer->results().at(0).size(), 1U);
}

TEST_F(QueryRunnerTest, TimingsHaveCounters) {
  const Answer answer = test.expect("from users where name = 'bob' include timings()");
  EXPECT_TRUE(answer.root().find("Timings").has_value());
  const auto counters = answer.root().find("Counters");
  ASSERT_TRUE(counters.has_value());
  EXPECT_GE(counters->find_int64("Postings").value_or(0), 1);
  EXPECT_EQ(counters->find_int64("Documents"), 1);
}

TEST_F(QueryRunnerTest, NamedIndexesMustExistAndHaveTheFields) {
  EXPECT_THAT(test.ids("from users where name = 'bob'"), ElementsAre("users/2"));
  EXPECT_THAT(test.ids("from index 'Auto/users/Byname' where name = 'bob'"),
              ElementsAre("users/2"));
  EXPECT_EQ(test.expect("from index 'auto/Users/byName'").total(), 4);
  EXPECT_THAT(error("from index 'Auto/users/Byname' where age = 1"),
              HasSubstr("The field 'age' is not indexed"));
  const Result<Answer> missing = test.ask("from index 'nothing'");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code(), ErrorCode::not_found);
}

TEST_F(QueryRunnerTest, WhatIsNotBuiltSaysWhere) {
  EXPECT_THAT(error("from users group by name select count()"), HasSubstr("at 1:"));
  EXPECT_THAT(error("from users where lucene(name, 'x')"), HasSubstr("not supported yet"));
  EXPECT_THAT(error("from users select { n: this.name }"), HasSubstr("at 1:"));
  EXPECT_THAT(error("from users where name = $p"), HasSubstr("at 1:"));
  EXPECT_THAT(error("from users where"), HasSubstr("1:"));
  EXPECT_THAT(error("from users include explanations()"), HasSubstr("not supported yet"));
  EXPECT_THAT(error("from users where regex(name, '(')"), HasSubstr("invalid_query"));
  EXPECT_THAT(test.indexes().names(), IsEmpty());
}

TEST_F(QueryRunnerTest, FieldsOfOneQueryAreCounted) {
  const auto fields = [](int count, std::string_view text, std::string_view joint) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      all += (i == 0 ? "" : std::string(joint)) + "f" + std::to_string(i) + std::string(text);
    }
    return all;
  };
  EXPECT_THAT(error("from users where " + fields(1500, " = 1", " and ")), HasSubstr("1000 fields"));
  EXPECT_THAT(error("from users order by " + fields(1500, "", ", ")), HasSubstr("1000 fields"));
  EXPECT_THAT(test.indexes().names(), IsEmpty());
  // However often one is named.
  std::string again = "from users where age = 0";
  for (int i = 1; i < 1500; ++i) {
    again += " or age = " + std::to_string(i);
  }
  EXPECT_TRUE(test.ask(again).has_value());
}

TEST_F(QueryRunnerTest, ThePlanIsShownWithWhatCame) {
  Result<Answer> answer =
      test.ask("from users where name = 'ann' and age > 3", "{}", std::chrono::seconds(30),
               [](QueryRequest& request) { request.show_plan = true; });
  ASSERT_TRUE(answer.has_value()) << answer.error().to_string();
  const auto plan = answer->root().find("Plan");
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(plan->find_int64("Estimated").has_value());
}

}  // namespace
}  // namespace rookery::index
