// SPDX-License-Identifier: Apache-2.0
#include "response_writer.h"

#include <string>

#include <gtest/gtest.h>

namespace rookery::edge {
namespace {

std::string head_of(const api::Response& response, const HeadOptions& options = {}) {
  std::string out;
  append_head(out, response, options);
  return out;
}

TEST(ResponseWriter, WritesOneHead) {
  api::Response response = api::Response::json("{}", 201);
  response.headers.add("ETag", "\"x\"");
  EXPECT_EQ(head_of(response, {.date = "now"}),
            "HTTP/1.1 201 Created\r\nRaven-Server-Version: 5.4.113\r\nDate: now\r\nETag: \"x\"\r\n"
            "Content-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n\r\n");
}

TEST(ResponseWriter, SaysThatAnEmptyBodyIsEmpty) {
  EXPECT_EQ(head_of(api::Response::empty(200)),
            "HTTP/1.1 200 OK\r\nRaven-Server-Version: 5.4.113\r\nContent-Length: 0\r\n\r\n");
}

TEST(ResponseWriter, LeavesNoWayToAddHeadersThroughAValue) {
  api::Response response = api::Response::empty(204);
  response.headers.add("Database-Missing", "a\r\nSet-Cookie: b");
  EXPECT_EQ(head_of(response),
            "HTTP/1.1 204 No Content\r\nRaven-Server-Version: 5.4.113\r\n"
            "Database-Missing: aSet-Cookie: b\r\n\r\n");
}

TEST(ResponseWriter, TellsWhatBecomesOfTheConnection) {
  const api::Response response = api::Response::empty(304);
  EXPECT_NE(head_of(response, {.keep_alive = false}).find("\r\nConnection: close\r\n"),
            std::string::npos);
  EXPECT_NE(head_of(response, {.http_1_0 = true}).find("\r\nConnection: keep-alive\r\n"),
            std::string::npos);
  EXPECT_EQ(head_of(response).find("Connection"), std::string::npos);
}

}  // namespace
}  // namespace rookery::edge
