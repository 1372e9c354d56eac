// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_service.h"

// Documents over the interface that clients use.

namespace rookery::api {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Documents : public testing::Test {
 protected:
  Documents() { s.create("shop"); }

  Answer get(const std::string& query) { return s.call("GET", "/databases/shop/docs?" + query); }

  Answer put(const std::string& id, std::string_view body,
             const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    return s.call("PUT", "/databases/shop/docs?id=" + id, body, headers);
  }

  Answer bulk(std::string_view commands) {
    return s.call("POST", "/databases/shop/bulk_docs?",
                  "{\"Commands\":" + std::string(commands) + "}");
  }

  static std::string change_vector_of(const Answer& answer) {
    return std::string(answer.root().find_string("ChangeVector").value_or(""));
  }

  TestService s;
};

TEST_F(Documents, AreStoredAndRead) {
  const Answer stored =
      put("users/1", R"({"Name":"Ann","Age":1.10,"@metadata":{"@collection":"Users"}})");
  ASSERT_EQ(stored.status, 201) << stored.body;
  EXPECT_EQ(stored.root().find_string("Id"), "users/1");
  EXPECT_THAT(change_vector_of(stored), StartsWith("A:1-"));
  const Answer read = get("&id=USERS/1");
  ASSERT_EQ(read.status, 200);
  const auto document = read.root().find("Results")->at(0);
  EXPECT_EQ(document.find_string("Name"), "Ann");
  EXPECT_EQ(document.find("Age")->number_text(), "1.10");
  const auto metadata = document.find("@metadata");
  EXPECT_EQ(metadata->find_string("@id"), "users/1");
  EXPECT_EQ(metadata->find_string("@collection"), "Users");
  EXPECT_EQ(metadata->find_string("@change-vector"), change_vector_of(stored));
  EXPECT_TRUE(metadata->find_string("@last-modified").has_value());
  EXPECT_TRUE(read.root().find("Includes")->is_object());
  EXPECT_EQ(read.header("ETag"), "\"" + change_vector_of(stored) + "\"");
}

TEST_F(Documents, ThatAreMissingAre404OrNull) {
  EXPECT_EQ(get("id=none").status, 404);
  EXPECT_EQ(get("id=none").body, "");
  put("a", "{}");
  const Answer both = get("id=none&id=a&id=a");
  ASSERT_EQ(both.status, 200);
  const auto results = both.root().find("Results");
  ASSERT_EQ(results->size(), 3U);
  EXPECT_TRUE(results->at(0).is_null());
  EXPECT_TRUE(results->at(1).is_object());
  EXPECT_TRUE(results->at(2).is_object());
}

TEST_F(Documents, AreNotSentAgainToWhoHasThem) {
  put("a", "{}");
  put("b", "{}");
  for (const std::string query : {"id=a", "id=a&id=b", "startsWith=a"}) {
    const std::string etag = get(query).header("ETag");
    ASSERT_NE(etag, "");
    const auto again =
        s.call("GET", "/databases/shop/docs?" + query, "", {{"If-None-Match", etag}});
    EXPECT_EQ(again.status, 304) << query;
    EXPECT_EQ(again.body, "");
  }
  const std::string both = get("id=a&id=b").header("ETag");
  put("b", R"({"x":1})");
  EXPECT_EQ(s.call("GET", "/databases/shop/docs?id=a&id=b", "", {{"If-None-Match", both}}).status,
            200);
}

TEST_F(Documents, AreHeaded) {
  const std::string vector = change_vector_of(put("a", "{}"));
  const Answer head = s.call("HEAD", "/databases/shop/docs?id=a");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("ETag"), "\"" + vector + "\"");
  EXPECT_EQ(s.call("HEAD", "/databases/shop/docs?id=a", "", {{"If-None-Match", vector}}).status,
            304);
  EXPECT_EQ(s.call("HEAD", "/databases/shop/docs?id=none").status, 404);
}

TEST_F(Documents, AreGuardedByTheirChangeVectors) {
  const std::string first = change_vector_of(put("a", R"({"n":1})"));
  const std::string second =
      change_vector_of(put("a", R"({"n":2})", {{"If-Match", "\"" + first + "\""}}));
  ASSERT_NE(second, "");
  const Answer stale = put("a", R"({"n":3})", {{"If-Match", "\"" + first + "\""}});
  EXPECT_EQ(stale.status, 409);
  EXPECT_THAT(stale.type(), HasSubstr("ConcurrencyException"));
  EXPECT_EQ(
      s.call("DELETE", "/databases/shop/docs?id=a", "", {{"If-Match", "\"" + first + "\""}}).status,
      409);
  EXPECT_EQ(get("id=a").root().find("Results")->at(0).find_int64("n"), 2);
  EXPECT_EQ(put("a", "{}", {{"If-Match", "\"\""}}).status, 409) << "it must not exist";
}

TEST_F(Documents, AreDeleted) {
  put("a", "{}");
  const Answer deleted = s.call("DELETE", "/databases/shop/docs?id=a");
  EXPECT_EQ(deleted.status, 204);
  EXPECT_EQ(deleted.body, "");
  EXPECT_EQ(get("id=a").status, 404);
  EXPECT_EQ(s.call("DELETE", "/databases/shop/docs?id=a").status, 204);
}

TEST_F(Documents, AreListedByPrefix) {
  for (const std::string id : {"users/1", "users/2", "users/3", "orders/1"}) {
    put(id, "{}");
  }
  const auto ids = [&](const std::string& query) {
    std::string out;
    const Answer answer = get(query);
    const auto results = answer.root().find("Results");
    for (std::size_t i = 0; i < results->size(); ++i) {
      out += std::string(*results->at(i).find("@metadata")->find_string("@id")) + " ";
    }
    return out;
  };
  EXPECT_EQ(ids("startsWith=users/"), "users/1 users/2 users/3 ");
  EXPECT_EQ(ids("startsWith=users/&start=1&pageSize=1"), "users/2 ");
  EXPECT_EQ(ids("startsWith=users/&startAfter=users/1"), "users/2 users/3 ");
  EXPECT_EQ(ids("startsWith=users/&matches=1|3"), "users/1 users/3 ");
  EXPECT_EQ(ids("startsWith=users/&exclude=1|3"), "users/2 ");
  EXPECT_EQ(ids("start=0&pageSize=2"), "orders/1 users/3 ") << "without a prefix: newest first";
  EXPECT_EQ(get("startsWith=users/&pageSize=-1").status, 400);
  EXPECT_EQ(get("startsWith=users/&start=x").status, 400);
  const Answer metadata = get("startsWith=orders/&metadataOnly=true");
  EXPECT_EQ(metadata.root().find("Results")->at(0).size(), 1U);
}

TEST_F(Documents, BringWhatTheyReferTo) {
  put("companies/1", R"({"Name":"C"})");
  put("products/1", R"({"Name":"P1"})");
  put("orders/1",
      R"({"Company":"companies/1","Self":"orders/1","Gone":"none",
          "Lines":[{"Product":"products/1"},{"Product":"PRODUCTS/1"}]})");
  const Answer answer = get(
      "id=orders/1&include=Company&include=Lines[].Product&include=Self&include=Gone&include=x");
  ASSERT_EQ(answer.status, 200);
  const auto includes = answer.root().find("Includes");
  EXPECT_EQ(includes->size(), 2U) << answer.body;
  EXPECT_EQ(includes->find("companies/1")->find_string("Name"), "C");
  EXPECT_EQ(includes->find("products/1")->find_string("Name"), "P1");
  // What is included is part of the ETag.
  const std::string etag = answer.header("ETag");
  put("companies/1", R"({"Name":"D"})");
  EXPECT_NE(get("id=orders/1&include=Company&include=Lines[].Product").header("ETag"), etag);
}

TEST_F(Documents, AreReadByManyIdsInTheBody) {
  put("a", "{}");
  const Answer answer =
      s.call("POST", "/databases/shop/docs?loadHash=1", R"({"Ids":["a",null,"none"]})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.root().find("Results")->size(), 3U);
  EXPECT_EQ(s.call("POST", "/databases/shop/docs", "{}").status, 400);
}

TEST_F(Documents, AreNotLoadedWithWhatIsNotBuilt) {
  put("a", "{}");
  for (const std::string query :
       {"counter=x", "timeseries=x", "revisions=x", "cmpxchg=x", "txMode=ClusterWide"}) {
    EXPECT_EQ(get("id=a&" + query).status, 501) << query;
  }
}

TEST_F(Documents, ThatAreBadAreRefused) {
  EXPECT_EQ(put("a", "{").status, 400);
  EXPECT_EQ(put("a", "[]").status, 400);
  EXPECT_EQ(put("a", "").status, 400);
  EXPECT_EQ(put("a", R"({"x":1,"x":2})").status, 400);
  EXPECT_EQ(put(std::string(513, 'x'), "{}").status, 413);
  EXPECT_THAT(put("a", "{").body, HasSubstr("\"Type\""));
  EXPECT_EQ(get("id=a").status, 404);
}

TEST_F(Documents, GetIdsOfFourForms) {
  EXPECT_EQ(put("users%2F", "{}").root().find_string("Id"), "users/0000000000000000001-A");
  EXPECT_EQ(put("users%7C", "{}").root().find_string("Id"), "users/1");
  EXPECT_EQ(put("", "{}").root().find_string("Id")->size(), 36U);
  EXPECT_EQ(put("Users%2F9", "{}").root().find_string("Id"), "Users/9");
}

TEST_F(Documents, AreChangedInBatches) {
  put("old", "{}");
  const Answer answer = bulk(
      R"([{"Id":"users/1","ChangeVector":null,"Type":"PUT","Document":{"n":1,
            "@metadata":{"@collection":"Users","Raven-Node-Type":"User"}}},
          {"Id":"old","ChangeVector":null,"Type":"DELETE"},
          {"Id":"none","Type":"DELETE"}])");
  ASSERT_EQ(answer.status, 201) << answer.body;
  const auto results = answer.root().find("Results");
  ASSERT_EQ(results->size(), 3U);
  EXPECT_EQ(results->at(0).find_string("Type"), "PUT");
  EXPECT_EQ(results->at(0).find_string("@id"), "users/1");
  EXPECT_EQ(results->at(0).find_string("@collection"), "Users");
  EXPECT_TRUE(results->at(0).find_string("@change-vector").has_value());
  EXPECT_TRUE(results->at(0).find_string("@last-modified").has_value());
  EXPECT_EQ(results->at(0).size(), 5U) << "clients copy every key into their metadata";
  EXPECT_EQ(results->at(1).find_string("Type"), "DELETE");
  EXPECT_EQ(results->at(1).find_string("Id"), "old");
  EXPECT_EQ(results->at(1).find_bool("Deleted"), true);
  EXPECT_EQ(results->at(2).find_bool("Deleted"), false);
  EXPECT_EQ(bulk("[]").status, 201);
}

TEST_F(Documents, AreChangedAllOrNot) {
  put("a", "{}");
  const Answer refused = bulk(
      R"([{"Id":"b","Document":{},"Type":"PUT"},
          {"Id":"a","ChangeVector":"","Document":{},"Type":"PUT"}])");
  EXPECT_EQ(refused.status, 409) << refused.body;
  EXPECT_EQ(get("id=b").status, 404);
  const Answer unknown =
      bulk(R"([{"Id":"b","Document":{},"Type":"PUT"},{"Id":"a","Type":"AttachmentPUT"}])");
  EXPECT_EQ(unknown.status, 501);
  EXPECT_THAT(unknown.body, HasSubstr("AttachmentPUT"));
  EXPECT_EQ(get("id=b").status, 404);
  for (const std::string_view bad : {R"({})", R"([{}])", R"([{"Id":5,"Document":{},"Type":"PUT"}])",
                                     R"([{"Type":"PUT"}])", R"([{"Type":"DELETE"}])", "null"}) {
    EXPECT_EQ(bulk(bad).status, 400) << bad;
  }
  EXPECT_EQ(s.call("POST", "/databases/shop/bulk_docs",
                   R"({"Commands":[],"TransactionMode":"ClusterWide"})")
                .status,
            501);
}

TEST_F(Documents, AreAskedForManyAtOnce) {
  put("a", R"({"n":1})");
  const std::string etag = get("id=a").header("ETag");
  const Answer answer = s.call("POST", "/databases/shop/multi_get",
                               R"({"Requests":[
        {"Url":"/databases/shop/docs","Query":"?&id=a","Method":"GET","Headers":{},"Content":null},
        {"Url":"/databases/shop/docs","Query":"?id=none"},
        {"Url":"/databases/shop/docs","Query":"?id=a","Headers":{"If-None-Match":")" +
                                   etag.substr(1, etag.size() - 2) + R"("}},
        {"Url":"/databases/shop/queries","Query":"?x","Method":"POST","Content":{"Query":"from X"}},
        {"Url":"/databases/other/docs","Query":"?id=a"},
        {"Url":"/databases/shop/docs","Query":"?id=b","Method":"PUT","Content":"{}"},
        {"Url":"/databases/shop/docs","Query":"","Method":"POST","Content":"{\"Ids\":[\"a\"]}"},
        {"Url":"/databases/shop/docs","Query":"","Method":"POST","Content":{"Ids":["a"]}}]})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const auto results = answer.root().find("Results");
  ASSERT_EQ(results->size(), 8U);
  EXPECT_EQ(results->at(0).find_int64("StatusCode"), 200);
  EXPECT_EQ(results->at(0).find("Headers")->find_string("ETag"), etag);
  EXPECT_EQ(results->at(0).find("Result")->find("Results")->at(0).find_int64("n"), 1);
  EXPECT_EQ(results->at(1).find_int64("StatusCode"), 404);
  EXPECT_TRUE(results->at(1).find("Result")->is_null());
  EXPECT_EQ(results->at(2).find_int64("StatusCode"), 304);
  EXPECT_TRUE(results->at(2).find("Result")->is_null());
  EXPECT_EQ(results->at(3).find_int64("StatusCode"), 200);
  EXPECT_EQ(results->at(4).find_int64("StatusCode"), 400);
  EXPECT_EQ(results->at(5).find_int64("StatusCode"), 501) << "reads only";
  EXPECT_EQ(results->at(6).find_int64("StatusCode"), 200);
  EXPECT_EQ(results->at(7).find_int64("StatusCode"), 200);
  EXPECT_EQ(get("id=b").status, 404);
  EXPECT_EQ(s.call("POST", "/databases/shop/multi_get", "{}").status, 400);
}

TEST_F(Documents, GetRangesOfIds) {
  const Answer first =
      s.call("GET",
             "/databases/shop/hilo/"
             "next?tag=users&lastBatchSize=0&lastRangeAt=&identityPartsSeparator=/&lastMax=0");
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(first.root().find_string("Prefix"), "users/");
  EXPECT_EQ(first.root().find_int64("Low"), 1);
  EXPECT_EQ(first.root().find_int64("High"), 32);
  EXPECT_EQ(first.root().find_string("ServerTag"), "A");
  EXPECT_EQ(first.root().find_int64("LastSize"), 32);
  EXPECT_TRUE(first.root().find_string("LastRangeAt").has_value());
  const Answer returned = s.call("PUT", "/databases/shop/hilo/return?tag=users&end=32&last=5");
  EXPECT_EQ(returned.status, 204);
  EXPECT_EQ(s.call("GET", "/databases/shop/hilo/next?tag=users").root().find_int64("Low"), 6);
  EXPECT_EQ(s.call("GET", "/databases/shop/hilo/next").status, 400);
}

TEST_F(Documents, GetIdentities) {
  EXPECT_EQ(s.call("POST", "/databases/shop/identity/next?name=users|")
                .root()
                .find_int64("NewIdentityValue"),
            1);
  EXPECT_EQ(s.call("POST", "/databases/shop/identity/seed?name=users&value=100")
                .root()
                .find_int64("NewSeedValue"),
            100);
  EXPECT_EQ(s.call("POST", "/databases/shop/identity/next?name=Users")
                .root()
                .find_int64("NewIdentityValue"),
            101);
  const Answer all = s.call("GET", "/databases/shop/debug/identities");
  EXPECT_EQ(all.root().find_int64("users|"), 101) << all.body;
  EXPECT_EQ(s.call("POST", "/databases/shop/identity/seed?name=users").status, 400);
  EXPECT_EQ(s.call("POST", "/databases/shop/identity/seed?name=users&value=x").status, 400);
}

TEST_F(Documents, AreCounted) {
  put("users/1", R"({"@metadata":{"@collection":"Users"}})");
  put("users/2", R"({"@metadata":{"@collection":"Users"}})");
  put("x", "{}");
  s.call("DELETE", "/databases/shop/docs?id=x");
  const Answer stats = s.call("GET", "/databases/shop/stats");
  EXPECT_EQ(stats.root().find_int64("CountOfDocuments"), 2);
  EXPECT_EQ(stats.root().find_int64("CountOfTombstones"), 1);
  EXPECT_EQ(stats.root().find_int64("LastDocEtag"), 2);
  EXPECT_EQ(stats.root().find_string("DatabaseId")->size(), 22U);
  EXPECT_EQ(stats.root().find("Indexes")->size(), 0U);
  EXPECT_GT(stats.root().find("SizeOnDisk")->find_int64("SizeInBytes").value_or(0), 0);
  EXPECT_TRUE(s.call("GET", "/databases/shop/stats/detailed")
                  .root()
                  .find_int64("CountOfIdentities")
                  .has_value());
  const Answer collections = s.call("GET", "/databases/shop/collections/stats");
  EXPECT_EQ(collections.root().find_int64("CountOfDocuments"), 2);
  EXPECT_EQ(collections.root().find("Collections")->find_int64("Users"), 2);
  const Answer detailed = s.call("GET", "/databases/shop/collections/stats/detailed");
  EXPECT_GT(detailed.root()
                .find("Collections")
                ->find("Users")
                ->find("DocumentsSize")
                ->find_int64("SizeInBytes")
                .value_or(0),
            0);
  EXPECT_EQ(s.call("GET", "/databases/shop/healthcheck").status, 204);
  EXPECT_EQ(s.call("GET", "/databases/shop/configuration/client").status, 200);
  const Answer operation = s.call("GET", "/databases/shop/operations/next-operation-id");
  EXPECT_EQ(operation.root().find_string("NodeTag"), "A");
}

TEST_F(Documents, OfOneDatabaseAreNotInAnother) {
  s.create("other");
  put("a", "{}");
  EXPECT_EQ(s.call("GET", "/databases/other/docs?id=a").status, 404);
  EXPECT_EQ(s.call("GET", "/databases/SHOP/docs?id=a").status, 200);
}

}  // namespace
}  // namespace rookery::api
