// SPDX-License-Identifier: Apache-2.0
#include "rookery/api/service.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_service.h"

// The server and its databases, as clients see them.

namespace rookery::api {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Service, TellsItsVersion) {
  TestService s;
  const Answer answer = s.call("GET", "/build/version");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.root().find_string("FullVersion"), "5.4.113");
  EXPECT_TRUE(answer.root().find_int64("BuildVersion").has_value());
}

TEST(Service, AnswersWhatIsNotBuiltWithAnErrorAndNever404) {
  TestService s;
  s.create("shop");
  for (const auto& [method, target] :
       {std::pair("GET", "/nothing"), std::pair("GET", "/databases/shop/nothing"),
        std::pair("PATCH", "/databases/shop/docs?id=1"),
        std::pair("PUT", "/databases/shop/indexes"),
        std::pair("DELETE", "/databases/shop/queries?queryHash=1"),
        std::pair("GET", "/databases/missing/nothing"), std::pair("POST", "/")}) {
    const Answer answer = s.call(method, target);
    EXPECT_EQ(answer.status, 501) << method << " " << target;
    EXPECT_EQ(answer.type(), "System.NotSupportedException");
    EXPECT_EQ(answer.root().find_string("Url"), target);
    EXPECT_THAT(std::string(answer.root().find_string("Error").value_or("")),
                StartsWith("System.NotSupportedException: "));
  }
}

TEST(Service, ShowsOneNodeThatLeadsItself) {
  TestService s;
  s.create("shop");
  const Answer topology = s.call("GET", "/topology?name=SHOP&first-topology-update");
  ASSERT_EQ(topology.status, 200);
  const auto nodes = topology.root().find("Nodes");
  ASSERT_EQ(nodes->size(), 1U);
  EXPECT_EQ(nodes->at(0).find_string("Url"), "http://here:1");
  EXPECT_EQ(nodes->at(0).find_string("Database"), "shop");
  EXPECT_EQ(nodes->at(0).find_string("ClusterTag"), "A");
  EXPECT_EQ(nodes->at(0).find_string("ServerRole"), "Member");
  const Answer cluster = s.call("GET", "/cluster/topology");
  EXPECT_EQ(cluster.root().find("Topology")->find("Members")->find_string("A"), "http://here:1");
  EXPECT_EQ(cluster.root().find_string("Leader"), "A");
  EXPECT_TRUE(cluster.root().find("Status")->is_object());
  EXPECT_EQ(s.call("GET", "/cluster/node-info").root().find_string("NodeTag"), "A");
  const Answer tcp = s.call("GET", "/info/tcp?tcp=test");
  EXPECT_EQ(tcp.root().find_string("Url"), "tcp://here:2");
  EXPECT_TRUE(tcp.root().find("Certificate")->is_null());
  EXPECT_EQ(s.call("GET", "/health").root().find_string("Status"), "ok");
}

TEST(Service, TellsClientsToRefreshAnOldTopology) {
  TestService s;
  s.create("shop");
  EXPECT_EQ(s.call("GET", "/databases/shop/stats", "", {{"Topology-Etag", "\"0\""}})
                .header("Refresh-Topology"),
            "true");
  EXPECT_EQ(s.call("GET", "/databases/shop/stats", "", {{"Topology-Etag", "\"None\""}})
                .header("Refresh-Topology"),
            "");
  const auto etag = s.call("GET", "/topology?name=shop").root().find_int64("Etag");
  EXPECT_EQ(s.call("GET", "/databases/shop/stats", "",
                   {{"Topology-Etag", "\"" + std::to_string(*etag) + "\""}})
                .header("Refresh-Topology"),
            "");
}

TEST(Service, AnswersLateWhenAskedTo) {
  TestService s;
  EXPECT_EQ(s.call("GET", "/admin/test/delay?value=2").status, 204);
  EXPECT_EQ(s.call("GET", "/admin/test/delay?value=60001").status, 400);
  EXPECT_EQ(s.call("GET", "/admin/test/delay?value=x").status, 400);
}

TEST(Databases, AreCreatedListedAndDropped) {
  TestService s;
  const Answer created =
      s.call("PUT", "/admin/databases?name=shop&replicationFactor=1&raft-request-id=1",
             R"({"DatabaseName":"shop","Settings":{"A":"b"}})", {{"ETag", "\"undefined\""}});
  ASSERT_EQ(created.status, 201) << created.body;
  EXPECT_EQ(created.root().find_string("Name"), "shop");
  EXPECT_GT(created.root().find_int64("RaftCommandIndex").value_or(0), 0);
  EXPECT_EQ(created.root().find("Topology")->find("Members")->at(0).as_string(), "A");
  const Answer names = s.call("GET", "/databases?start=0&pageSize=10&namesOnly=true");
  ASSERT_EQ(names.root().find("Databases")->size(), 1U);
  EXPECT_EQ(names.root().find("Databases")->at(0).as_string(), "shop");
  EXPECT_EQ(s.call("GET", "/databases?start=1&pageSize=10&namesOnly=true")
                .root()
                .find("Databases")
                ->size(),
            0U);
  const Answer dropped =
      s.call("DELETE", "/admin/databases", R"({"DatabaseNames":["shop"],"HardDelete":true})");
  ASSERT_EQ(dropped.status, 200) << dropped.body;
  EXPECT_GT(dropped.root().find_int64("RaftCommandIndex").value_or(0), 0);
  EXPECT_EQ(s.call("GET", "/admin/databases?name=shop").status, 404);
  EXPECT_EQ(s.call("GET", "/databases/shop/stats").status, 503);
}

TEST(Databases, AreNotCreatedTwice) {
  TestService s;
  s.create("shop");
  const Answer again = s.call("PUT", "/admin/databases?name=SHOP", R"({"DatabaseName":"SHOP"})");
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.type(), "Raven.Client.Exceptions.ConcurrencyException");
  const Answer record = s.call("GET", "/admin/databases?name=shop");
  const auto etag = record.root().find_int64("Etag");
  const Answer changed =
      s.call("PUT", "/admin/databases?name=shop", R"({"DatabaseName":"shop","Settings":{"X":"y"}})",
             {{"ETag", "\"" + std::to_string(*etag) + "\""}});
  EXPECT_EQ(changed.status, 201) << changed.body;
  EXPECT_EQ(s.call("GET", "/databases/shop/admin/record").root().find("Settings")->find_string("X"),
            "y");
}

TEST(Databases, HaveRecordsWithWhatClientsIndexBlindly) {
  TestService s;
  s.create("shop");
  const Answer record = s.call("GET", "/admin/databases?name=shop");
  ASSERT_EQ(record.status, 200);
  EXPECT_EQ(record.root().find_string("DatabaseName"), "shop");
  EXPECT_EQ(record.root().find_string("DatabaseState"), "Normal");
  EXPECT_EQ(record.root().find_string("LockMode"), "Unlock");
  EXPECT_EQ(record.root().find_bool("Disabled"), false);
  EXPECT_TRUE(record.root().find("AutoIndexes")->is_object());
  EXPECT_TRUE(record.root().find("PeriodicBackups")->is_array());
  EXPECT_EQ(record.root().find("Topology")->find("Members")->size(), 1U);
}

TEST(Databases, ThatDoNotExistAreNamed) {
  TestService s;
  for (const auto& [method, target, body] :
       {std::tuple("GET", "/databases/none/docs?id=1", ""),
        std::tuple("GET", "/databases/none/admin/record", ""),
        std::tuple("PUT", "/databases/none/admin/configuration/settings", "{}"),
        std::tuple("GET", "/topology?name=none", ""),
        std::tuple("DELETE", "/admin/databases", R"({"DatabaseNames":["none"]})"),
        std::tuple("POST", "/databases/none/bulk_docs", R"({"Commands":[]})")}) {
    const Answer answer = s.call(method, target, body);
    EXPECT_EQ(answer.status, 503) << method << " " << target;
    EXPECT_EQ(answer.header("Database-Missing"), "none") << method << " " << target;
    EXPECT_THAT(answer.type(), HasSubstr("DatabaseDoesNotExistException"));
  }
}

// An administrator's mistake, not a database that another node may have.
TEST(Databases, ThatDoNotExistCannotBeLocked) {
  TestService s;
  s.create("shop");
  const Answer answer = s.call("POST", "/admin/databases/set-lock",
                               R"({"DatabaseNames":["shop","none"],"Mode":"PreventDeletesError"})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.header("Database-Missing"), "");
  EXPECT_THAT(answer.type(), HasSubstr("DatabaseDoesNotExistException"));
  EXPECT_EQ(s.call("GET", "/admin/databases?name=shop").root().find_bool("Disabled"), false);
  EXPECT_EQ(s.call("DELETE", "/admin/databases", R"({"DatabaseNames":["shop"]})").status, 200);
}

TEST(Databases, AreToggledByTheNameThatThePythonClientUses) {
  TestService s;
  s.create("shop");
  ASSERT_EQ(s.call("POST", "/admin/databases/disable", R"({"DatabasesNames":["shop"]})").status,
            200);
  EXPECT_EQ(s.call("GET", "/admin/databases?name=shop").root().find_bool("Disabled"), true);
}

TEST(Databases, AreDisabledAndEnabled) {
  TestService s;
  s.create("shop");
  ASSERT_EQ(s.call("PUT", "/databases/shop/docs?id=a", "{}").status, 201);
  const Answer off = s.call("POST", "/admin/databases/disable", R"({"DatabaseNames":["shop"]})");
  ASSERT_EQ(off.status, 200) << off.body;
  EXPECT_EQ(off.root().find("Status")->at(0).find_bool("Success"), true);
  EXPECT_EQ(off.root().find("Status")->at(0).find_bool("Disabled"), true);
  const Answer refused = s.call("GET", "/databases/shop/docs?id=a");
  EXPECT_THAT(refused.type(), HasSubstr("DatabaseDisabledException"));
  EXPECT_EQ(refused.header("Database-Missing"), "");
  EXPECT_EQ(s.call("GET", "/admin/databases?name=shop").root().find_bool("Disabled"), true);
  const Answer on = s.call("POST", "/admin/databases/enable", R"({"DatabaseNames":["shop"]})");
  EXPECT_EQ(on.root().find("Status")->at(0).find_bool("Disabled"), false);
  EXPECT_EQ(s.call("GET", "/databases/shop/docs?id=a").status, 200);
}

TEST(Databases, AreNotDroppedWhileLocked) {
  TestService s;
  s.create("shop");
  constexpr std::string_view kDrop = R"({"DatabaseNames":["shop"],"HardDelete":true})";
  EXPECT_EQ(s.call("POST", "/admin/databases/set-lock",
                   R"({"DatabaseNames":["shop"],"Mode":"PreventDeletesError"})")
                .status,
            204);
  const Answer refused = s.call("DELETE", "/admin/databases", kDrop);
  EXPECT_EQ(refused.status, 500);
  EXPECT_THAT(refused.body, HasSubstr("cannot be deleted because of the set lock mode"));
  EXPECT_EQ(s.call("POST", "/admin/databases/set-lock",
                   R"({"DatabaseNames":["shop"],"Mode":"PreventDeletesIgnore"})")
                .status,
            204);
  EXPECT_EQ(s.call("DELETE", "/admin/databases", kDrop).root().find_int64("RaftCommandIndex"), -1);
  EXPECT_EQ(s.call("GET", "/admin/databases?name=shop").root().find_string("LockMode"),
            "PreventDeletesIgnore");
  EXPECT_EQ(s.call("POST", "/admin/databases/set-lock",
                   R"({"DatabaseNames":["shop"],"Mode":"Sometimes"})")
                .status,
            400);
}

TEST(Databases, LiveOnTheOneNode) {
  TestService s;
  s.create("shop");
  const Answer added = s.call("PUT", "/admin/databases/node?name=shop");
  EXPECT_EQ(added.status, 500);
  EXPECT_THAT(added.body, HasSubstr("already exists on all the nodes of the cluster"));
  EXPECT_EQ(s.call("POST", "/admin/databases/promote?name=shop&node=A").status, 200);
  EXPECT_EQ(s.call("POST", "/admin/databases/promote?name=shop&node=B").status, 400);
  EXPECT_EQ(
      s.call("POST", "/admin/databases/reorder?name=shop", R"({"MembersOrder":["A"]})").status,
      204);
  EXPECT_EQ(
      s.call("POST", "/admin/databases/reorder?name=shop", R"({"MembersOrder":["B"]})").status,
      400);
  EXPECT_EQ(s.call("PUT", "/admin/databases?name=two&replicationFactor=2", "{}").status, 400);
}

TEST(Databases, AreNotGivenWhatIsNotBuilt) {
  TestService s;
  for (const std::string_view record :
       {R"({"Encrypted":true})", R"({"Indexes":{"a":{}}})", R"({"Settings":{"DataDir":"/x"}})",
        R"({"Revisions":{"Default":{}}})", R"({"Expiration":{"Disabled":false}})"}) {
    const Answer answer = s.call("PUT", "/admin/databases?name=shop", record);
    EXPECT_EQ(answer.status, 501) << record;
  }
  EXPECT_EQ(s.call("PUT", "/admin/databases?name=shop",
                   R"({"Encrypted":false,"Indexes":{},"Revisions":null,"RavenEtls":[]})")
                .status,
            201);
  for (const std::string_view name : {"a/b", "..", "a.creating", ""}) {
    EXPECT_EQ(s.call("PUT", "/admin/databases?name=" + std::string(name), "{}").status, 400)
        << name;
  }
  EXPECT_EQ(s.call("PUT", "/admin/databases?name=x", "[]").status, 400);
  EXPECT_EQ(s.call("PUT", "/admin/databases?name=x", "{").status, 400);
}

// It only saves space: a client that asks for it loses nothing by not getting it.
TEST(Databases, KeepACompressionThatIsNotActedUpon) {
  TestService s;
  EXPECT_EQ(s.call("PUT", "/admin/databases?name=shop",
                   R"({"DocumentsCompression":{"Collections":["Users"],"CompressRevisions":true}})")
                .status,
            201);
  const Answer record = s.call("GET", "/admin/databases?name=shop");
  EXPECT_THAT(
      record.body,
      HasSubstr(R"("DocumentsCompression":{"Collections":["Users"],"CompressRevisions":true})"));
}

TEST(Databases, KeepTheirSettings) {
  TestService s;
  s.create("shop");
  EXPECT_EQ(s.call("PUT", "/databases/shop/admin/configuration/settings",
                   R"({"Storage.PrefetchResetThresholdInGb":"10"})")
                .status,
            204);
  EXPECT_EQ(s.call("GET", "/databases/shop/admin/record")
                .root()
                .find("Settings")
                ->find_string("Storage.PrefetchResetThresholdInGb"),
            "10");
}

TEST(Logs, AreConfiguredUntilTheNextStart) {
  TestService s;
  const Answer before = s.call("GET", "/admin/logs/configuration");
  EXPECT_EQ(before.root().find_string("CurrentMode"), "None");
  EXPECT_EQ(s.call("POST", "/admin/logs/configuration",
                   R"({"Mode":"Operations","RetentionTime":"1000.00:00:00","Compress":false})")
                .status,
            204);
  const Answer after = s.call("GET", "/admin/logs/configuration");
  EXPECT_EQ(after.root().find_string("CurrentMode"), "Operations");
  EXPECT_EQ(after.root().find_string("Mode"), "None");
  EXPECT_EQ(after.root().find_string("RetentionTime"), "1000.00:00:00");
  EXPECT_EQ(s.call("POST", "/admin/logs/configuration", R"({"Mode":"Loud"})").status, 400);
  EXPECT_EQ(
      s.call("POST", "/admin/logs/configuration", R"({"Mode":"None","Compress":true})").status,
      501);
}

TEST(Indexes, ThatAreNoneAreMissed) {
  TestService s;
  s.create("shop");
  EXPECT_EQ(s.call("GET", "/databases/shop/indexes").root().find("Results")->size(), 0U);
  EXPECT_EQ(s.call("GET", "/databases/shop/indexes?name=x").status, 404);
  EXPECT_EQ(s.call("GET", "/databases/shop/indexes/stats").root().find("Results")->size(), 0U);
  EXPECT_EQ(s.call("POST", "/databases/shop/admin/indexes/stop").status, 204);
  EXPECT_EQ(s.call("POST", "/databases/shop/admin/indexes/start").status, 204);
  const Answer errors = s.call("DELETE", "/databases/shop/indexes/errors?name=x");
  EXPECT_NE(errors.status, 404);
  EXPECT_THAT(errors.type(), HasSubstr("IndexDoesNotExistException"));
  EXPECT_EQ(s.call("PUT", "/databases/shop/admin/indexes", R"({"Indexes":[]})").status, 501);
}

}  // namespace
}  // namespace rookery::api
