// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/value/date.h"

#include "test_store.h"

// Documents that another database gave away, or this one earlier.

namespace rookery::doc {
namespace {

using testing::HasSubstr;

constexpr std::string_view kOther = "BBBBBBBBBBBBBBBBBBBBBA";
constexpr std::string_view kDate = "2020-02-03T04:05:06.1234567Z";

std::string other_vector(std::uint64_t etag) {
  return "B:" + std::to_string(etag) + "-" + std::string(kOther);
}

std::string own_vector(std::uint64_t etag) {
  return "A:" + std::to_string(etag) + "-" + std::string(DatabaseId().text());
}

std::string document(std::string_view name, const std::string& vector,
                     std::string_view collection = "Users") {
  return R"({"Name":")" + std::string(name) + R"(","@metadata":{"@collection":")" +
         std::string(collection) + R"(","@id":"u","@change-vector":")" + vector +
         R"(","@last-modified":")" + std::string(kDate) + R"("}})";
}

TEST(DocumentVersion, IsReadFromTheMetadata) {
  const auto parsed = value::parse_json(document("a", other_vector(7)));
  const auto version = version_of(parsed->root());
  ASSERT_TRUE(version.has_value() && version->has_value());
  EXPECT_EQ((*version)->change_vector.to_string(), other_vector(7));
  EXPECT_EQ((*version)->last_modified, value::parse_date(kDate));
  for (const std::string_view none : {"{}", R"({"@metadata":{}})", R"({"@metadata":null})",
                                      R"({"@metadata":{"@change-vector":""}})"}) {
    const auto absent = version_of(value::parse_json(none)->root());
    EXPECT_TRUE(absent.has_value() && !absent->has_value()) << none;
  }
  EXPECT_EQ(version_of(value::parse_json(document("a", "x"))->root()).error().code(),
            ErrorCode::malformed);
  EXPECT_EQ(version_of(value::parse_json(R"({"@metadata":{"@change-vector":")" + other_vector(1) +
                                         R"(","@last-modified":"then"}})")
                           ->root())
                .error()
                .code(),
            ErrorCode::malformed);
}

TEST(DocumentVersion, IsKeptByADatabaseThatHasNotSeenTheDocument) {
  TestStore store;
  const auto put = store.put_version("u", document("a", other_vector(700)));
  ASSERT_TRUE(put.has_value());
  EXPECT_EQ(put->change_vector, other_vector(700));
  EXPECT_EQ(put->last_modified, value::parse_date(kDate));
  EXPECT_EQ(put->etag, 1U);
  const Snapshot snapshot = store.read();
  // The database has seen it, too; and what it makes of it later has.
  EXPECT_THAT(*snapshot->change_vector(), HasSubstr(other_vector(700)));
  EXPECT_THAT(*snapshot->change_vector(), HasSubstr(own_vector(1)));
  EXPECT_EQ(store.put("u", "{}")->change_vector, other_vector(700) + ", " + own_vector(3));
}

TEST(DocumentVersion, IsLeftAloneIfItIsHereAlready) {
  TestStore store;
  ASSERT_TRUE(store.put_version("u", document("a", other_vector(7))).has_value());
  const auto again = store.put_version("u", document("a", other_vector(7)));
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->unchanged);
  EXPECT_EQ(again->etag, 1U);
  // The same vector with another content is no version that this database can trust.
  const auto odd = store.put_version("u", document("b", other_vector(7)));
  EXPECT_FALSE(odd->unchanged);
  EXPECT_EQ(odd->change_vector, other_vector(7) + ", " + own_vector(2));
}

TEST(DocumentVersion, ReplacesAnOlderOne) {
  TestStore store;
  ASSERT_TRUE(store.put_version("u", document("a", other_vector(7))).has_value());
  EXPECT_EQ(store.put_version("u", document("b", other_vector(9)))->change_vector, other_vector(9));
  EXPECT_THAT(store.json("u"), HasSubstr("\"b\""));
}

TEST(DocumentVersion, BecomesANewOneThatHasSeenWhatItReplaces) {
  TestStore store;
  // Concurrent.
  ASSERT_TRUE(store.put("u", "{}").has_value());
  EXPECT_EQ(store.put_version("u", document("a", other_vector(7), "@empty"))->change_vector,
            own_vector(2) + ", " + other_vector(7));
  // Older than what is here.
  EXPECT_EQ(store.put_version("u", document("b", other_vector(6), "@empty"))->change_vector,
            own_vector(3) + ", " + other_vector(7));
  // Deleted here since.
  ASSERT_TRUE(store.erase("u")->deleted);
  EXPECT_EQ(store.put_version("u", document("c", other_vector(8), "@empty"))->change_vector,
            own_vector(5) + ", " + other_vector(8));
  // Of another collection: it leaves a tombstone that is newer.
  EXPECT_EQ(
      store.put_version("u", document("d", own_vector(5) + ", " + other_vector(9)))->change_vector,
      own_vector(7) + ", " + other_vector(9));
}

TEST(DocumentVersion, OfThisDatabaseUsesUpTheEtagsItNames) {
  TestStore store;
  ASSERT_TRUE(store.put("x", "{}").has_value());
  EXPECT_EQ(store.put_version("u", document("a", own_vector(100)))->change_vector, own_vector(100));
  const auto next = store.put("y", "{}");
  EXPECT_EQ(next->etag, 102U);
  store.reopen();
  EXPECT_EQ(store.put("z", "{}")->etag, 103U);
  // No etag that would use up the others.
  const std::string huge = own_vector(std::uint64_t{1} << 62U);
  EXPECT_EQ(store.put_version("v", document("a", huge)).error().code(), ErrorCode::malformed);
  EXPECT_EQ(store.put("z", "{}")->etag, 104U);
}

}  // namespace
}  // namespace rookery::doc
