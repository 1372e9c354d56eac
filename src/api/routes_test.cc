// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "call.h"

namespace rookery::api {
namespace {

RouteMatch find(std::string_view method, std::string_view target) {
  return find_route(Request::make(method, target));
}

TEST(Routes, AreFoundByMethodAndPath) {
  const RouteMatch docs = find("GET", "/databases/My%20Shop/docs?id=1");
  ASSERT_NE(docs.route, nullptr);
  EXPECT_EQ(docs.database_name, "My Shop");
  EXPECT_EQ(docs.route->scope, Scope::kDatabase);
  EXPECT_NE(find("PUT", "/databases/x/docs").route, docs.route);
  EXPECT_NE(find("GET", "/build/version").route, nullptr);
  EXPECT_NE(find("GET", "/databases").route, nullptr);
  EXPECT_NE(find("GET", "/databases/").route, nullptr);
  EXPECT_NE(find("GET", "/Databases/x/Docs/").route, nullptr);
  EXPECT_NE(find("GET", "/databases/x/stats?tag").route, nullptr);
}

TEST(Routes, OfOneScopeAreNotFoundInAnother) {
  EXPECT_EQ(find("GET", "/docs").route, nullptr);
  EXPECT_EQ(find("GET", "/databases/x/build/version").route, nullptr);
  EXPECT_EQ(find("GET", "/databases//docs").route, nullptr);
  const RouteMatch server = find("GET", "/configuration/client");
  const RouteMatch database = find("GET", "/databases/x/configuration/client");
  ASSERT_NE(server.route, nullptr);
  ASSERT_NE(database.route, nullptr);
  EXPECT_NE(server.route, database.route);
}

TEST(Routes, SayWhetherOnlyTheMethodIsUnknown) {
  const RouteMatch method = find("PATCH", "/databases/x/docs");
  EXPECT_EQ(method.route, nullptr);
  EXPECT_TRUE(method.path_is_known);
  const RouteMatch path = find("GET", "/databases/x/nothing");
  EXPECT_EQ(path.route, nullptr);
  EXPECT_FALSE(path.path_is_known);
  EXPECT_EQ(find("get", "/build/version").route, nullptr);
}

TEST(Routes, AnswerHeadWhereTheServerTellsOfItself) {
  for (const std::string_view target : {"/", "/page/page.js", "/health", "/build/version"}) {
    EXPECT_NE(find("GET", target).route, nullptr) << target;
    EXPECT_EQ(find("HEAD", target).route, find("GET", target).route) << target;
  }
  EXPECT_NE(find("HEAD", "/databases/x/docs").route, find("GET", "/databases/x/docs").route);
  // What a GET changes, or waits for, is not asked for by HEAD.
  for (const std::string_view target : {"/databases/x/hilo/next", "/admin/test/delay"}) {
    EXPECT_EQ(find("HEAD", target).route, nullptr) << target;
  }
}

}  // namespace
}  // namespace rookery::api
