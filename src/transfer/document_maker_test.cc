// SPDX-License-Identifier: Apache-2.0
#include "document_maker.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rookery::transfer {
namespace {

using testing::HasSubstr;

std::string make(const DocumentRules& rules, std::string_view json, std::uint64_t number = 7) {
  DocumentMaker maker(rules);
  const auto made = maker.make(json, number);
  return made.has_value() ? made->id + " " + made->json
                          : "error: " + std::string(made.error().message());
}

constexpr std::string_view kExported =
    R"({"n":1.50,"@metadata":{"@collection":"Users","x":1,"@id":"users/1",)"
    R"("@change-vector":"A:1-x"}})";

TEST(DocumentMaker, KeepsWhatWasExported) {
  EXPECT_EQ(make({}, kExported), "users/1 " + std::string(kExported));
  EXPECT_EQ(make({.collection = "Users"}, kExported), "users/1 " + std::string(kExported));
}

TEST(DocumentMaker, GivesIdsByTheRules) {
  EXPECT_EQ(make({.collection = "Cities"}, R"({"n":1})"),
            R"(Cities/7 {"n":1,"@metadata":{"@collection":"Cities"}})");
  EXPECT_EQ(make({.id_prefix = "c-"}, R"({"n":1})"), R"(c-7 {"n":1})");
  EXPECT_EQ(make({.id_prefix = "c-"}, kExported).substr(0, 4), "c-7 ");
  EXPECT_EQ(make({.id_field = "n"}, kExported).substr(0, 5), "1.50 ");
  EXPECT_EQ(make({.id_field = "k", .id_prefix = "p/"}, R"({"k":"x"})"), R"(p/x {"k":"x"})");
  EXPECT_EQ(make({}, R"({"@metadata":{"@collection":"Users"}})").substr(0, 8), "Users/7 ");
}

TEST(DocumentMaker, PutsDocumentsIntoACollection) {
  EXPECT_EQ(make({.collection = "New"}, kExported),
            R"(users/1 {"n":1.50,"@metadata":{"@collection":"New","x":1,"@id":"users/1",)"
            R"("@change-vector":"A:1-x"}})");
}

TEST(DocumentMaker, SaysWhatIsWrong) {
  EXPECT_THAT(make({}, R"({"n":1})"), HasSubstr("--collection"));
  EXPECT_THAT(make({.collection = "C"}, "[1]"), HasSubstr("an object was expected"));
  EXPECT_THAT(make({.collection = "C"}, "{bad}"), HasSubstr("line 1"));
  EXPECT_THAT(make({.collection = "C"}, R"({"@metadata":"x"})"), HasSubstr("@metadata"));
  EXPECT_THAT(make({.id_field = "k"}, R"({"k":null})"), HasSubstr("'k'"));
  EXPECT_THAT(make({.id_field = "k"}, R"({"k":{"a":1}})"), HasSubstr("'k'"));
  EXPECT_THAT(make({.id_field = "k"}, R"({"k":"a/"})"), HasSubstr("cannot be a document's id"));
  EXPECT_THAT(make({.id_field = "k"}, R"({"k":"a|"})"), HasSubstr("cannot be a document's id"));
  EXPECT_THAT(make({.id_prefix = std::string(600, 'p')}, "{}"), HasSubstr("cannot be"));
}

TEST(DocumentMaker, WritesElementsOfABulkInsert) {
  std::string body;
  append_element(body, {.id = "a\"b", .json = R"({"n":1})"});
  EXPECT_EQ(body, R"({"Id":"a\"b","Type":"PUT","Document":{"n":1}})");
}

}  // namespace
}  // namespace rookery::transfer
