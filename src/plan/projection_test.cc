// SPDX-License-Identifier: Apache-2.0
#include "rookery/plan/projection.h"

#include <gtest/gtest.h>

#include "plan_test_support.h"

namespace rookery::plan {
namespace {

// The object that `select` makes of the body, or the error.
std::string shown(std::string_view select, std::string_view body,
                  std::string_view parameters = "{}") {
  const TestQuery query("from Users as u select " + std::string(select), parameters);
  const auto projection = compile_projection(*query.query().select, query.scope());
  if (!projection.has_value()) {
    return std::string(projection.error().message());
  }
  const value::Document document = json(body);
  std::string out;
  value::JsonWriter writer(out);
  writer.begin_object();
  write_projection(writer, *projection, facts(document));
  writer.end_object();
  return out;
}

TEST(Projection, ShowsFieldsUnderTheirPaths) {
  const std::string_view body = R"({"name":"Ann","address":{"city":"Oslo"},"tags":["a","b"]})";
  EXPECT_EQ(shown("name, address.city", body), R"({"name":"Ann","address.city":"Oslo"})");
  EXPECT_EQ(shown("u.address.city, u.name as n", body), R"({"address.city":"Oslo","n":"Ann"})");
  EXPECT_EQ(shown("tags, address", body), R"({"tags":["a","b"],"address":{"city":"Oslo"}})");
  EXPECT_EQ(shown("'order' as 'select'", R"({"order":5})"), R"({"select":5})");
}

TEST(Projection, ShowsWhatIsMissingAsNull) {
  EXPECT_EQ(shown("nope, address.nope", R"({"address":{}})"),
            R"({"nope":null,"address.nope":null})");
}

TEST(Projection, ShowsPathsThroughArraysAsArrays) {
  const std::string_view body = R"({"lines":[{"p":1},{"p":[2,3]},{}],"none":[]})";
  EXPECT_EQ(shown("lines[].p as p", body), R"({"p":[1,[2,3]]})");
  EXPECT_EQ(shown("lines.p as p", body), R"({"p":[1,[2,3]]})");
  EXPECT_EQ(shown("lines[1].p as p", body), R"({"p":[2,3]})");
  EXPECT_EQ(shown("lines[0].p", body), R"({"lines[0].p":1})");
  EXPECT_EQ(shown("lines[].x as x, none[].y as y", body), R"({"x":[],"y":[]})");
}

TEST(Projection, ShowsIdsMetadataAndLiterals) {
  EXPECT_EQ(shown("id() as id, id(u)", "{}"), R"x({"id":"Users/1-A","id()":"Users/1-A"})x");
  EXPECT_EQ(shown("@metadata.@collection as c, @metadata.@last-modified", "{}"),
            R"({"c":"Users","@metadata.@last-modified":"2026-11-30T10:00:00.0000000Z"})");
  EXPECT_EQ(shown("5 as five, null, true, 1.50 as n, $p", "{}", R"({"p":"x"})"),
            R"({"five":5,"null":null,"true":true,"n":1.5,"p":"x"})");
}

TEST(Projection, RefusesNamesThatClash) {
  EXPECT_EQ(shown("name, u.name", "{}"), "two selected fields are called `name` at 1:30");
  EXPECT_EQ(shown("@metadata", "{}"),
            "`@metadata` is taken in an answer; name it otherwise with `as` at 1:24");
  EXPECT_EQ(shown("counter('x')", "{}"), "not supported yet: counter() at 1:24");
  EXPECT_EQ(shown("score()", "{}"), "expected a field, found score() at 1:24");
}

}  // namespace
}  // namespace rookery::plan
