// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_service.h"

namespace rookery::api {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

class DocumentStreams : public testing::Test {
 protected:
  DocumentStreams() { s.create("shop"); }

  void put(const std::string& id, const std::string& body = "{}") {
    RK_CHECK(s.call("PUT", "/databases/shop/docs?id=" + id, body).status == 201);
  }

  static std::vector<std::string> ids_of(const Answer& answer) {
    std::vector<std::string> ids;
    const auto results = answer.root().find("Results");
    for (std::size_t i = 0; i < results->size(); ++i) {
      ids.emplace_back(*results->at(i).find("@metadata")->find_string("@id"));
    }
    return ids;
  }

  std::vector<std::string> ids(const std::string& parameters) {
    const Answer answer = s.call("GET", "/databases/shop/streams/docs?" + parameters);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return ids_of(answer);
  }

  // The answer with its stream still to be read.
  std::shared_ptr<BodyStream> begin(const std::string& parameters) {
    std::shared_ptr<BodyStream> stream;
    s.service->handle(Request::make("GET", "/databases/shop/streams/docs?" + parameters),
                      [&](Response response) { stream = std::move(response.stream); });
    return stream;
  }

  TestService s;
};

TEST_F(DocumentStreams, GiveDocumentsAsTheyAreLoaded) {
  EXPECT_EQ(s.call("GET", "/databases/shop/streams/docs?").body, "{\"Results\":[]}");
  put("b", R"({"Name":"x","@metadata":{"@collection":"Users"}})");
  put("a");
  const Answer loaded = s.call("GET", "/databases/shop/docs?id=b");
  const Answer streamed = s.call("GET", "/databases/shop/streams/docs?format=json&");
  EXPECT_EQ(value::to_json(streamed.root().find("Results")->at(0)),
            value::to_json(loaded.root().find("Results")->at(0)));
  const Answer lines = s.call("GET", "/databases/shop/streams/docs?format=jsonl");
  EXPECT_THAT(lines.body, StartsWith(value::to_json(loaded.root().find("Results")->at(0)) + "\n{"));
  EXPECT_EQ(lines.body.back(), '\n');
  EXPECT_EQ(s.call("GET", "/databases/shop/streams/docs?format=xml").status, 400);
}

TEST_F(DocumentStreams, SelectAndPage) {
  for (const std::string id : {"users/2", "users/1", "orders/1", "users/3", "users/10"}) {
    put(id);
  }
  EXPECT_THAT(ids(""), ElementsAre("users/2", "users/1", "orders/1", "users/3", "users/10"));
  EXPECT_THAT(ids("start=1&pageSize=2"), ElementsAre("users/1", "orders/1"));
  EXPECT_THAT(ids("pageSize=0"), ElementsAre());
  EXPECT_THAT(ids("start=9"), ElementsAre());
  EXPECT_THAT(ids("startsWith=Users/"), ElementsAre("users/1", "users/10", "users/2", "users/3"));
  EXPECT_THAT(ids("startsWith=users/&start=1&pageSize=2"), ElementsAre("users/10", "users/2"));
  EXPECT_THAT(ids("startsWith=users/&matches=1*"), ElementsAre("users/1", "users/10"));
  EXPECT_THAT(ids("startsWith=users/&exclude=1*"), ElementsAre("users/2", "users/3"));
  EXPECT_THAT(ids("startsWith=users/&startAfter=users/10"), ElementsAre("users/2", "users/3"));
}

TEST_F(DocumentStreams, AreOfOneMomentHoweverManyPartsTheyHave) {
  constexpr int kCount = 300;
  for (int i = 0; i < kCount; ++i) {
    put("d/" + std::to_string(i), "{\"t\":\"" + std::string(2000, 't') + "\"}");
  }
  for (const std::string parameters : {"format=jsonl", "startsWith=d&format=jsonl"}) {
    const auto stream = begin(parameters);
    std::string all;
    int parts = 0;
    for (bool more = true; more; ++parts) {
      stream->read([&](Result<std::string> part) {
        ASSERT_TRUE(part.has_value());
        all += *part;
        more = !part->empty();
      });
      // None of this is in it.
      put("d/new" + std::to_string(parts));
      put("d/" + std::to_string(kCount - 1), "{\"changed\":true}");
      s.call("DELETE", "/databases/shop/docs?id=d/" + std::to_string(kCount - 2));
      put("d/" + std::to_string(kCount - 2), "{\"t\":\"" + std::string(2000, 't') + "\"}");
    }
    EXPECT_GT(parts, 5);
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), kCount);
    EXPECT_EQ(all.find("changed"), std::string::npos);
    EXPECT_EQ(all.find("new"), std::string::npos);
    for (int i = 0; i < parts; ++i) {
      s.call("DELETE", "/databases/shop/docs?id=d/new" + std::to_string(i));
    }
    put("d/" + std::to_string(kCount - 1), "{\"t\":\"" + std::string(2000, 't') + "\"}");
  }
}

TEST_F(DocumentStreams, CannotBePartOfAMultiGet) {
  const Answer answer = s.call("POST", "/databases/shop/multi_get",
                               R"({"Requests":[{"Url":"/databases/shop/streams/docs"}]})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.root().find("Results")->at(0).find_int64("StatusCode"), 501);
}

TEST_F(DocumentStreams, DoNotKeepADatabaseFromBeingDropped) {
  for (int i = 0; i < 100; ++i) {
    put("d/" + std::to_string(i), "{\"t\":\"" + std::string(2000, 't') + "\"}");
  }
  const auto stream = begin("");
  stream->read([](Result<std::string> part) { EXPECT_TRUE(part.has_value()); });
  EXPECT_EQ(s.call("DELETE", "/admin/databases", R"({"DatabaseNames":["shop"],"HardDelete":true})")
                .status,
            200);
  stream->read([](Result<std::string> part) { EXPECT_FALSE(part.has_value()); });
}

}  // namespace
}  // namespace rookery::api
