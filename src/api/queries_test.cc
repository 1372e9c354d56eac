// SPDX-License-Identifier: Apache-2.0
// Queries and indexes over HTTP, without a socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_service.h"

namespace rookery::api {
namespace {

using testing::HasSubstr;

class Queries : public testing::Test {
 protected:
  Queries() {
    s.create("shop");
    put("users/1", R"({"name":"Ann","age":30,"@metadata":{"@collection":"Users"}})");
    put("users/2", R"({"name":"Bob","@metadata":{"@collection":"Users"}})");
  }

  void put(const std::string& id, const std::string& json) {
    EXPECT_EQ(s.call("PUT", "/databases/shop/docs?id=" + id, json).status, 201);
  }

  // Waits for the index.
  Answer ask(const std::string& query, const std::string& target = "/databases/shop/queries",
             const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    return s.call("POST", target,
                  R"({"Query":")" + query +
                      R"(","QueryParameters":{"p":"ann"},"WaitForNonStaleResults":true,)"
                      R"("WaitForNonStaleResultsTimeout":"00:00:30"})",
                  headers);
  }

  TestService s;
};

TEST_F(Queries, AnswerWithWhatClientsRead) {
  const Answer answer = ask("from Users where name = $p");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.root().find("Results")->size(), 1U);
  EXPECT_EQ(answer.root().find_int64("TotalResults"), 1);
  EXPECT_EQ(answer.root().find_string("IndexName"), "Auto/Users/Byname");
  EXPECT_EQ(answer.root().find_bool("IsStale"), false);
  for (const std::string_view key :
       {"Includes", "IncludedPaths", "IndexTimestamp", "LastQueryTime", "LongTotalResults",
        "SkippedResults", "ScannedResults", "DurationInMs", "ResultEtag", "NodeTag"}) {
    EXPECT_TRUE(answer.root().find(key).has_value()) << key;
  }
}

TEST_F(Queries, AreNotSentTwice) {
  const Answer first = ask("from Users where name = $p");
  const std::string etag = first.header("ETag");
  ASSERT_FALSE(etag.empty());
  EXPECT_EQ(ask("from Users where name = $p", "/databases/shop/queries", {{"If-None-Match", etag}})
                .status,
            304);
  put("users/3", R"({"name":"Ann","@metadata":{"@collection":"Users"}})");
  const Answer again =
      ask("from Users where name = $p", "/databases/shop/queries", {{"If-None-Match", etag}});
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.root().find_int64("TotalResults"), 2);
}

TEST_F(Queries, OfADatabaseMadeAnewAreSentAgain) {
  const std::string etag = ask("from Users").header("ETag");
  ASSERT_FALSE(etag.empty());
  ASSERT_EQ(ask("from Users", "/databases/shop/queries", {{"If-None-Match", etag}}).status, 304);
  ASSERT_EQ(s.call("DELETE", "/admin/databases", R"({"DatabaseNames":["shop"],"HardDelete":true})")
                .status,
            200);
  s.create("shop");
  // As many writes as before, so the etags are the same.
  put("users/1", R"({"name":"Eve","@metadata":{"@collection":"Users"}})");
  put("users/2", R"({"name":"Fay","@metadata":{"@collection":"Users"}})");
  const Answer again = ask("from Users", "/databases/shop/queries", {{"If-None-Match", etag}});
  ASSERT_EQ(again.status, 200);
  EXPECT_THAT(again.body, HasSubstr("Eve"));
}

TEST_F(Queries, AreUtf8) {
  const Answer answer = s.call("GET", "/databases/shop/queries?query=%ff%fe");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("The query is not UTF-8."));
}

TEST_F(Queries, PagesAreWholeNumbers) {
  for (const std::string page : {R"("PageSize":"1")", R"("PageSize":1.5)", R"("Start":"1")",
                                 R"("Start":-1)", R"("PageSize":{})"}) {
    const Answer wrong =
        s.call("POST", "/databases/shop/queries", R"({"Query":"from Users",)" + page + "}");
    EXPECT_EQ(wrong.status, 400) << page;
  }
  const Answer null = s.call("POST", "/databases/shop/queries",
                             R"({"Query":"from Users","Start":null,"PageSize":null})");
  EXPECT_EQ(null.status, 200) << null.body;
  EXPECT_EQ(null.root().find("Results")->size(), 2U);
}

TEST_F(Queries, CanBeAskedByUrlAndExplained) {
  const Answer get = s.call("GET", "/databases/shop/queries?query=from%20Users&pageSize=1");
  ASSERT_EQ(get.status, 200) << get.body;
  EXPECT_EQ(get.root().find("Results")->size(), 1U);
  EXPECT_EQ(get.root().find_int64("TotalResults"), 2);
  const Answer explained = ask("from Users where age > 1", "/databases/shop/queries?debug=explain");
  ASSERT_EQ(explained.root().find("Results")->size(), 1U) << explained.body;
  EXPECT_EQ(explained.root().find("Results")->at(0).find_string("Index"), "Auto/Users/Byage");
  const Answer plan = ask("from Users where age > 1", "/databases/shop/queries?debug=plan");
  EXPECT_TRUE(plan.root().find("Plan")->find_string("Step").has_value()) << plan.body;
}

TEST_F(Queries, ThatAreWrongSayWhere) {
  const Answer wrong = ask("from Users where");
  EXPECT_EQ(wrong.status, 400);
  const Answer missing = ask("from Users where name = $q");
  EXPECT_EQ(missing.status, 400);
  EXPECT_THAT(missing.type(), HasSubstr("InvalidQueryException"));
  const Answer later = ask("from Users group by name select count()");
  EXPECT_EQ(later.status, 501);
  EXPECT_THAT(std::string(later.root().find_string("Message").value_or("")), HasSubstr("1:"));
  const Answer index = ask("from index 'nothing'");
  EXPECT_EQ(index.status, 404);
  EXPECT_THAT(index.type(), HasSubstr("IndexDoesNotExistException"));
  EXPECT_EQ(s.call("POST", "/databases/shop/queries", "{}").status, 400);
}

TEST_F(Queries, GoTogetherInOneRequest) {
  const Answer answer = s.call("POST", "/databases/shop/multi_get",
                               R"({"Requests":[{"Url":"/databases/shop/docs","Query":"?id=users/1"},
          {"Url":"/databases/shop/queries","Query":"?queryHash=1","Method":"POST",
           "Content":{"Query":"from Users where name = 'bob'"}},
          {"Url":"/databases/shop/queries","Method":"POST",
           "Content":"{\"Query\":\"from index 'nothing'\"}"}]})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const value::View results = *answer.root().find("Results");
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results.at(0).find_int64("StatusCode"), 200);
  EXPECT_EQ(results.at(1).find_int64("StatusCode"), 200);
  EXPECT_EQ(results.at(1).find("Result")->find_int64("TotalResults"), 1);
  EXPECT_TRUE(results.at(1).find("Headers")->find("ETag").has_value());
  EXPECT_EQ(results.at(2).find_int64("StatusCode"), 404);
  EXPECT_TRUE(results.at(2).find("Result")->is_null());
}

TEST_F(Queries, MakeIndexesThatAdministratorsSee) {
  ASSERT_EQ(ask("from Users where name = $p").status, 200);
  const std::string name = "Auto/Users/Byname";
  const Answer one = s.call("GET", "/databases/shop/indexes?name=" + name);
  EXPECT_EQ(one.root().find("Results")->at(0).find_string("Name"), name);
  const Answer names = s.call("GET", "/databases/shop/indexes?namesOnly=true");
  EXPECT_EQ(names.root().find("Results")->at(0).as_string(), name);
  const Answer stats = s.call("GET", "/databases/shop/indexes/stats");
  EXPECT_EQ(stats.root().find("Results")->at(0).find_int64("EntriesCount"), 2);
  EXPECT_EQ(s.call("GET", "/databases/shop/stats").root().find_int64("CountOfIndexes"), 1);
  const Answer record = s.call("GET", "/databases/shop/admin/record");
  EXPECT_TRUE(record.root().find("AutoIndexes")->find(name).has_value());
  const Answer terms = s.call("GET", "/databases/shop/indexes/terms?field=name&name=" + name);
  EXPECT_EQ(terms.root().find("Terms")->size(), 2U);
  EXPECT_EQ(s.call("POST", "/databases/shop/admin/indexes/stop?name=" + name).status, 204);
  const Answer status = s.call("GET", "/databases/shop/indexes/status");
  EXPECT_EQ(status.root().find("Indexes")->at(0).find_string("Status"), "Paused");
  EXPECT_EQ(s.call("POST", "/databases/shop/admin/indexes/start").status, 204);
  EXPECT_EQ(s.call("POST", "/databases/shop/admin/indexes/disable?name=" + name).status, 204);
  EXPECT_EQ(s.call("POST", "/databases/shop/admin/indexes/enable?name=" + name).status, 204);
  EXPECT_EQ(s.call("POST", "/databases/shop/indexes/set-priority",
                   R"({"IndexNames":[")" + name + R"("],"Priority":"High"})")
                .status,
            204);
  EXPECT_EQ(s.call("RESET", "/databases/shop/indexes?name=" + name).status, 204);
  EXPECT_EQ(ask("from Users where name = $p").root().find_int64("TotalResults"), 1);
  EXPECT_EQ(s.call("GET", "/databases/shop/indexes/errors?name=" + name)
                .root()
                .find("Results")
                ->at(0)
                .find("Errors")
                ->size(),
            0U);
  EXPECT_EQ(s.call("DELETE", "/databases/shop/indexes?name=" + name).status, 204);
  EXPECT_EQ(s.call("GET", "/databases/shop/indexes").root().find("Results")->size(), 0U);
}

TEST_F(Queries, ASaveCanWaitForThem) {
  ASSERT_EQ(ask("from Users where name = $p").status, 200);
  const std::string batch =
      R"({"Commands":[{"Type":"PUT","Id":"users/9","Document":
          {"name":"Ann","@metadata":{"@collection":"Users"}}}]})";
  EXPECT_EQ(
      s.call("POST", "/databases/shop/bulk_docs?waitForIndexesTimeout=00:00:30", batch).status,
      201);
  const Answer now =
      s.call("POST", "/databases/shop/queries", R"({"Query":"from Users where name = 'ann'"})");
  EXPECT_EQ(now.root().find_bool("IsStale"), false);
  EXPECT_EQ(now.root().find_int64("TotalResults"), 2);
  EXPECT_EQ(s.call("POST", "/databases/shop/admin/indexes/stop").status, 204);
  const Answer late = s.call("POST",
                             "/databases/shop/bulk_docs?waitForIndexesTimeout=00:00:00.01&"
                             "waitForIndexThrow=true",
                             batch);
  EXPECT_EQ(late.status, 500);
  EXPECT_THAT(late.type(), HasSubstr("RavenTimeoutException"));
  EXPECT_THAT(std::string(late.root().find_string("Message").value_or("")),
              HasSubstr("could not verify that"));
  EXPECT_EQ(s.call("POST",
                   "/databases/shop/bulk_docs?waitForIndexesTimeout=00:00:00.01&"
                   "waitForIndexThrow=false",
                   batch)
                .status,
            201);
}

TEST_F(Queries, ThatWaitInVainAreTold) {
  ASSERT_EQ(ask("from Users where name = $p").status, 200);
  EXPECT_EQ(s.call("POST", "/databases/shop/admin/indexes/stop").status, 204);
  put("users/3", R"({"name":"Ann","@metadata":{"@collection":"Users"}})");
  const Answer late = s.call("POST", "/databases/shop/queries",
                             R"({"Query":"from Users where name = 'ann'",
                                 "WaitForNonStaleResults":true,
                                 "WaitForNonStaleResultsTimeout":5})");
  EXPECT_EQ(late.status, 500) << late.body;
  EXPECT_THAT(late.type(), HasSubstr("Timeout"));
  const Answer stale =
      s.call("POST", "/databases/shop/queries", R"({"Query":"from Users where name = 'ann'"})");
  EXPECT_EQ(stale.root().find_bool("IsStale"), true);
}

}  // namespace
}  // namespace rookery::api
