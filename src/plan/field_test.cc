// SPDX-License-Identifier: Apache-2.0
#include "rookery/plan/field.h"

#include <string>

#include <gtest/gtest.h>

#include "rookery/value/json.h"

#include "plan_test_support.h"

namespace rookery::plan {
namespace {

Field field(std::string_view text) {
  const TestQuery query("from Users as u select " + std::string(text));
  auto compiled = compile_field(
      std::get<std::vector<query::SelectItem>>(query.query().select->what)[0].value, query.scope());
  EXPECT_TRUE(compiled.has_value()) << text;
  return std::move(compiled).value();
}

// What the field reaches, as JSON texts with blanks between; "-" if nothing.
std::string reached(std::string_view name, std::string_view body) {
  const value::Document document = json(body);
  std::string all;
  visit_values(facts(document), field(name),
               [&](value::View view) { all += (all.empty() ? "" : " ") + value::to_json(view); });
  return all.empty() ? "-" : all;
}

TEST(Field, ReachesMembersByExactName) {
  EXPECT_EQ(reached("name", R"({"name":"Ann"})"), "\"Ann\"");
  EXPECT_EQ(reached("Name", R"({"name":"Ann"})"), "-");
  EXPECT_EQ(reached("u.name", R"({"name":"Ann","u":{"name":"no"}})"), "\"Ann\"");
  EXPECT_EQ(reached("address.city", R"({"address":{"city":"Oslo"}})"), "\"Oslo\"");
  EXPECT_EQ(reached("'address.city'", R"({"address":{"city":"Oslo"},"address.city":1})"), "1");
  EXPECT_EQ(reached("name", R"({"name":null})"), "null");
  EXPECT_EQ(reached("address", R"({"address":{"city":"Oslo"}})"), R"({"city":"Oslo"})");
  EXPECT_EQ(reached("name.first", R"({"name":"Ann"})"), "-");
}

TEST(Field, GoesIntoEachElementOfArrays) {
  const std::string_view lines = R"({"lines":[{"p":"a"},{"p":["b","c"]},{"q":1},7]})";
  EXPECT_EQ(reached("lines[].p", lines), R"("a" "b" "c")");
  EXPECT_EQ(reached("lines.p", lines), R"("a" "b" "c")");
  EXPECT_EQ(reached("lines[1].p", lines), R"("b" "c")");
  EXPECT_EQ(reached("lines[1].p[0]", lines), R"("b")");
  EXPECT_EQ(reached("lines[9].p", lines), "-");
  EXPECT_EQ(reached("lines[].none", lines), "-");
  EXPECT_EQ(reached("a.b", R"({"a":[[{"b":1}],[{"b":2}]]})"), "1 2");
  EXPECT_EQ(reached("a[].b", R"({"a":[[{"b":1}],[{"b":2}]]})"), "1 2");
}

TEST(Field, VisitsArraysAtTheEndElementByElement) {
  EXPECT_EQ(reached("t", R"({"t":[1,[2,[3]],[]]})"), "1 2 3 []");
  EXPECT_EQ(reached("t[]", R"({"t":[1,2]})"), "1 2");
  EXPECT_EQ(reached("t", R"({"t":[]})"), "[]");
  EXPECT_EQ(reached("t[]", R"({"t":[]})"), "[]");
  EXPECT_EQ(reached("t[]", R"({"t":"x"})"), "\"x\"");
  EXPECT_EQ(reached("t[0]", R"({"t":"x"})"), "-");
  EXPECT_EQ(reached("t[1]", R"({"t":[[1],[2,3]]})"), "2 3");
  EXPECT_EQ(reached("t[][1]", R"({"t":[[1],[2,3]]})"), "3");
  EXPECT_EQ(reached("t[].x", R"({"t":[]})"), "-");
}

TEST(Field, ReachesTheIdAndMetadata) {
  const std::string_view body = R"({"@metadata":{"@collection":"People","tag":["a","b"]}})";
  EXPECT_EQ(reached("id()", body), "\"Users/1-A\"");
  EXPECT_EQ(reached("id(u)", body), "\"Users/1-A\"");
  EXPECT_EQ(reached("@metadata.tag", body), R"("a" "b")");
  EXPECT_EQ(reached("u.@metadata.tag", body), R"("a" "b")");
  EXPECT_EQ(reached("@metadata.@collection", body), "\"People\"");
  EXPECT_EQ(reached("@metadata.@collection", "{}"), "\"Users\"");
  EXPECT_EQ(reached("@metadata.@id", body), "\"Users/1-A\"");
  EXPECT_EQ(reached("'@metadata'.'@last-modified'", body), "\"2026-11-30T10:00:00.0000000Z\"");
  EXPECT_EQ(reached("@metadata.@change-vector", body), "\"A:7-x\"");
  EXPECT_EQ(reached("@metadata.none", body), "-");
  EXPECT_EQ(reached("@metadata", "{}"),
            R"({"@collection":"Users","@id":"Users/1-A",)"
            R"("@last-modified":"2026-11-30T10:00:00.0000000Z","@change-vector":"A:7-x"})");
}

TEST(Field, HasOneNameForOneField) {
  EXPECT_EQ(field("u.address.city").name(), "address.city");
  EXPECT_EQ(field("'order'").name(), "order");
  EXPECT_EQ(field("'a.b'.c").name(), "'a.b'.c");
  EXPECT_EQ(field("lines[].x[3]").name(), "lines[].x[3]");
  EXPECT_EQ(field("id()").name(), "id()");
  EXPECT_EQ(field("'id()'").name(), "'id()'");
  EXPECT_EQ(field("@metadata.@last-modified").name(), "@metadata.@last-modified");
}

}  // namespace
}  // namespace rookery::plan
