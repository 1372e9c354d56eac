// SPDX-License-Identifier: Apache-2.0
#include "digest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rookery::transfer {
namespace {

std::string document(const std::string& id, int n, const std::string& vector = "A:1-x") {
  return R"({"n":)" + std::to_string(n) + R"(,"@metadata":{"@collection":"C","own":1,"@id":")" +
         id + R"(","@change-vector":")" + vector + R"("}})";
}

Digest digest(const std::vector<std::string>& documents) {
  Digester digester;
  for (const std::string& one : documents) {
    EXPECT_TRUE(digester.add(one).has_value()) << one;
  }
  return digester.digest();
}

TEST(Digest, DoesNotDependOnTheOrder) {
  const std::string a = document("a", 1);
  const std::string b = document("b", 2);
  EXPECT_EQ(digest({a, b}), digest({b, a}));
  EXPECT_NE(digest({a, b}), digest({a, a}));
  EXPECT_NE(digest({a, a}).content, digest({}).content);
  EXPECT_NE(digest({a}).content, digest({document("b", 1)}).content);
  EXPECT_NE(digest({a}).content, digest({document("a", 2)}).content);
}

TEST(Digest, KeepsVersionsApart) {
  const Digest one = digest({document("a", 1, "A:1-x")});
  const Digest other = digest({document("a", 1, "A:2-x")});
  EXPECT_EQ(one.content, other.content);
  EXPECT_NE(one.versions, other.versions);
  EXPECT_FALSE(Digester().add(R"({"n":1})").has_value());
}

TEST(ContentText, LeavesOutWhatAServerAdds) {
  const auto parsed = value::parse_json(document("a", 1));
  EXPECT_EQ(content_text(parsed->root()), R"({"n":1,"@metadata":{"@collection":"C","own":1}})");
  const auto bare = value::parse_json(R"({"n":1})");
  const auto served = value::parse_json(
      R"({"n":1,"@metadata":{"@collection":"@empty","@id":"x","@last-modified":"y"}})");
  EXPECT_EQ(content_text(bare->root()), content_text(served->root()));
}

TEST(LineSplitter, FindsLinesWhereverTheTextIsCut) {
  const std::string text = "one\n\ntwo\nthree\n";
  for (std::size_t i = 0; i <= text.size(); ++i) {
    LineSplitter lines;
    std::vector<std::string> found;
    const auto take = [&](std::string_view line) -> Result<void> {
      found.emplace_back(line);
      return {};
    };
    EXPECT_TRUE(lines.feed(text.substr(0, i), take).has_value());
    EXPECT_TRUE(lines.feed(text.substr(i), take).has_value());
    EXPECT_EQ(found, (std::vector<std::string>{"one", "", "two", "three"})) << i;
    EXPECT_TRUE(lines.at_line_start());
    EXPECT_TRUE(lines.feed("x", take).has_value());
    EXPECT_FALSE(lines.at_line_start());
  }
}

}  // namespace
}  // namespace rookery::transfer
