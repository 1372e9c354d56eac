// SPDX-License-Identifier: Apache-2.0
#include "rookery/index/definition.h"

#include <gtest/gtest.h>

namespace rookery::index {
namespace {

IndexedField field(const std::string& name, bool search = false, bool exact = false) {
  IndexedField made;
  made.field.path.segments.push_back({name, {}});
  made.search = search;
  made.exact = exact;
  return made;
}

IndexedField words_alone(const std::string& name) {
  IndexedField made = field(name, true);
  made.plain = false;
  return made;
}

TEST(Definition, IsNamedByItsFieldsInTheOrderOfTheirUse) {
  EXPECT_EQ(auto_index_name("users", {field("age")}), "Auto/users/Byage");
  EXPECT_EQ(auto_index_name("Users", {field("name"), field("age")}), "Auto/Users/BynameAndage");
  EXPECT_EQ(auto_index_name("Users", {words_alone("bio"), field("name", false, true)}),
            "Auto/Users/BySearch(bio)AndExact(name)");
  EXPECT_EQ(auto_index_name("Users", {field("bio", true), field("name", true, true)}),
            "Auto/Users/BybioAndSearch(bio)AndSearch(name)AndExact(name)");
  EXPECT_EQ(auto_index_name(kAllDocuments, {field("name")}), "Auto/AllDocs/Byname");
  EXPECT_EQ(auto_index_name("Users", {}), "Auto/Users");
}

TEST(Definition, MergesUsesOfOneField) {
  std::vector<IndexedField> fields = {field("name")};
  merge_fields(fields, {field("age"), field("name", true), field("name", false, true)});
  EXPECT_EQ(fields, (std::vector<IndexedField>{field("name", true, true), field("age")}));
  fields = {words_alone("bio")};
  merge_fields(fields, {words_alone("bio")});
  EXPECT_EQ(fields, std::vector<IndexedField>{words_alone("bio")});
  merge_fields(fields, {field("bio")});
  EXPECT_EQ(fields, std::vector<IndexedField>{field("bio", true)});
}

TEST(Definition, CoversWhatItHasAndNoMore) {
  const std::vector<IndexedField> fields = {field("name", true), field("age")};
  EXPECT_TRUE(covers(fields, {}));
  EXPECT_TRUE(covers(fields, {field("age"), field("name")}));
  EXPECT_TRUE(covers(fields, {field("name", true)}));
  EXPECT_FALSE(covers(fields, {field("name", false, true)}));
  EXPECT_FALSE(covers(fields, {field("age", true)}));
  EXPECT_FALSE(covers(fields, {field("Age")}));
  EXPECT_TRUE(covers(fields, {words_alone("name")}));
  EXPECT_TRUE(covers({words_alone("bio")}, {words_alone("bio")}));
  EXPECT_FALSE(covers({words_alone("bio")}, {field("bio")}));
  EXPECT_FALSE(covers({words_alone("bio")}, {field("bio", true)}));
}

TEST(Definition, IsReadBackAsItWasStored) {
  Definition definition{"Auto/Orders/Byx", "Orders", {field("x", true, true), words_alone("y")}};
  IndexedField nested;
  nested.field.path.segments = {{"lines", {{}, {3}}}, {"a.b", {}}};
  definition.fields.push_back(nested);
  IndexedField id;
  id.field.kind = plan::Field::Kind::kId;
  definition.fields.push_back(id);
  const Result<Definition> back = decode_definition(encode(definition));
  ASSERT_TRUE(back.has_value()) << back.error().to_string();
  EXPECT_EQ(*back, definition);
}

TEST(Definition, IsOfTheFirstVersionIfThatCanSayIt) {
  const auto version_of = [](IndexedField one) {
    return encode({"Auto/Users/By", "Users", {std::move(one)}}).substr(0, 12);
  };
  EXPECT_EQ(version_of(field("x", true)), R"({"Version":1)");
  EXPECT_EQ(version_of(words_alone("x")), R"({"Version":2)");
}

TEST(Definition, RefusesWhatIsNone) {
  for (const std::string_view text :
       {"", "{}", "[]", R"({"Version":1,"Name":"x","Collection":"y","Fields":[{}]})",
        R"({"Version":1,"Name":"x","Collection":"y",
            "Fields":[{"Kind":7,"Path":[],"Search":true,"Exact":true}]})",
        R"({"Version":2,"Name":"x","Collection":"y",
            "Fields":[{"Kind":1,"Path":[],"Search":false,"Exact":false,"Plain":false}]})"}) {
    const Result<Definition> read = decode_definition(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().code(), ErrorCode::corrupt);
  }
  EXPECT_EQ(
      decode_definition(R"({"Version":3,"Name":"x","Collection":"y","Fields":[]})").error().code(),
      ErrorCode::incompatible);
}

}  // namespace
}  // namespace rookery::index
