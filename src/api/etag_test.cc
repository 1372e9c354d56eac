// SPDX-License-Identifier: Apache-2.0
#include "etag.h"

#include <gtest/gtest.h>

namespace rookery::api {
namespace {

Request with(std::string_view name, std::string_view value) {
  Request request = Request::make("GET", "/");
  request.headers.add(name, value);
  return request;
}

TEST(Etag, IsComparedWithAndWithoutQuotes) {
  EXPECT_TRUE(client_has(with("If-None-Match", "\"A:1-x\""), "A:1-x"));
  EXPECT_TRUE(client_has(with("if-none-match", "A:1-x"), "A:1-x"));
  EXPECT_FALSE(client_has(with("If-None-Match", "A:2-x"), "A:1-x"));
  EXPECT_FALSE(client_has(with("If-None-Match", "404 Response"), "A:1-x"));
  EXPECT_FALSE(client_has(Request::make("GET", "/"), "A:1-x"));
}

TEST(Etag, OfIfMatchSaysWhatIsExpected) {
  EXPECT_EQ(expected_change_vector(with("If-Match", "\"A:1-x\"")), "A:1-x");
  EXPECT_EQ(expected_change_vector(with("If-Match", "\"\"")), "");
  EXPECT_EQ(expected_change_vector(with("If-Match", "null")), std::nullopt);
  EXPECT_EQ(expected_change_vector(Request::make("PUT", "/")), std::nullopt);
}

TEST(EtagBuilder, TellsAnswersApart) {
  EtagBuilder a;
  a.add("users/1", "A:1");
  EtagBuilder b;
  b.add("users/1", "A:2");
  EtagBuilder c;
  c.add("users/1A:", "1");
  EtagBuilder d;
  d.add("users/1", "A:1");
  d.add_missing();
  EtagBuilder same;
  same.add("users/1", "A:1");
  EXPECT_EQ(a.finish(), same.finish());
  EXPECT_NE(a.finish(), b.finish());
  EXPECT_NE(a.finish(), c.finish());
  EXPECT_NE(a.finish(), d.finish());
}

}  // namespace
}  // namespace rookery::api
