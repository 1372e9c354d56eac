// SPDX-License-Identifier: Apache-2.0
#include "rookery/api/http.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rookery::api {
namespace {

using testing::ElementsAre;

TEST(PercentDecode, DecodesAndLeavesBrokenEscapesAlone) {
  EXPECT_EQ(percent_decode("a%20b%2Fc", true), "a b/c");
  EXPECT_EQ(percent_decode("a+b", true), "a b");
  EXPECT_EQ(percent_decode("a+b", false), "a+b");
  EXPECT_EQ(percent_decode("%C3%BC", true), "\xC3\xBC");
  EXPECT_EQ(percent_decode("%", true), "%");
  EXPECT_EQ(percent_decode("%4", true), "%4");
  EXPECT_EQ(percent_decode("%4x%41", true), "%4xA");
  EXPECT_EQ(percent_decode("%00", true), std::string(1, '\0'));
}

TEST(QueryParameters, KeepsOrderAndRepetition) {
  const auto q = QueryParameters::parse("?id=users%2F1&include=a&ID=users/2&id=");
  EXPECT_THAT(q.all("id"), ElementsAre("users/1", "users/2", ""));
  EXPECT_EQ(q.find("include"), "a");
  EXPECT_EQ(q.find("missing"), std::nullopt);
}

TEST(QueryParameters, TakesValuelessOnes) {
  const auto q = QueryParameters::parse("name=x&first-topology-update&wait=");
  EXPECT_TRUE(q.has("first-topology-update"));
  EXPECT_EQ(q.find("first-topology-update"), "");
  EXPECT_EQ(q.find("wait"), "");
  EXPECT_EQ(q.size(), 3U);
}

TEST(QueryParameters, TakesTheBrokenOnesThatClientsSend) {
  const auto q = QueryParameters::parse("?&id=a&?raft-request-id=b&&");
  EXPECT_EQ(q.find("id"), "a");
  EXPECT_EQ(q.find("raft-request-id"), "b");
  EXPECT_EQ(q.size(), 2U);
  EXPECT_EQ(QueryParameters::parse("").size(), 0U);
  EXPECT_EQ(QueryParameters::parse("?").size(), 0U);
  EXPECT_EQ(QueryParameters::parse("a=b=c").find("a"), "b=c");
}

TEST(Request, SplitsItsTarget) {
  const Request r = Request::make("GET", "/databases/a%20b/docs?&id=1");
  EXPECT_EQ(r.path, "/databases/a b/docs");
  EXPECT_EQ(r.query.find("id"), "1");
  EXPECT_EQ(r.target, "/databases/a%20b/docs?&id=1");
  EXPECT_EQ(Request::make("GET", "/a+b").path, "/a+b");
}

TEST(Request, TakesTheAbsoluteFormOfATarget) {
  const Request r = Request::make("GET", "http://host:80/topology?name=x");
  EXPECT_EQ(r.path, "/topology");
  EXPECT_EQ(r.query.find("name"), "x");
  EXPECT_EQ(Request::make("GET", "http://host").path, "/");
  // A "://" in the query does not make it one.
  EXPECT_EQ(Request::make("GET", "/a?u=http://x/y").path, "/a");
}

TEST(HeaderList, ComparesNamesWithoutCase) {
  HeaderList headers;
  headers.add("If-Match", "1");
  headers.add("if-match", "2");
  EXPECT_EQ(headers.find("IF-MATCH"), "1");
  headers.set("If-Match", "3");
  EXPECT_EQ(headers.size(), 1U);
  EXPECT_EQ(headers.find("if-match"), "3");
}

}  // namespace
}  // namespace rookery::api
