// SPDX-License-Identifier: Apache-2.0
#include "rookery/doc/document.h"

#include <string>

#include <gtest/gtest.h>

#include "rookery/doc/render.h"
#include "rookery/value/json.h"

namespace rookery::doc {
namespace {

Result<PreparedDocument> prepare(std::string_view json) {
  Result<value::Document> parsed = value::parse_json(json);
  EXPECT_TRUE(parsed.has_value()) << json;
  return PreparedDocument::make(std::move(*parsed));
}

std::string stored_json(std::string_view json) {
  const Result<PreparedDocument> prepared = prepare(json);
  EXPECT_TRUE(prepared.has_value());
  return value::to_json(prepared->document.root());
}

TEST(PreparedDocument, KeepsEverythingThatIsTheUsers) {
  for (const std::string json :
       {R"({})", R"({"b":1,"a":1.10,"":null})",
        R"({"Name":"x","@metadata":{"@collection":"Users","Raven-Node-Type":"User","z":1,"a":2}})",
        R"({"@metadata":{"@nested-object-types":{"a":"date"},"@expires":"2026","@mine":[1]}})"}) {
    EXPECT_EQ(stored_json(json), json);
  }
}

TEST(PreparedDocument, DropsWhatTheServerOwns) {
  EXPECT_EQ(stored_json(R"({"a":1,"@metadata":{"@id":"x","@collection":"Users","@flags":"f",)"
                        R"("k":1,"@last-modified":"d","@change-vector":"v","@attachments":[],)"
                        R"("@counters":[],"@timeseries":[],"l":2},"b":2})"),
            R"({"a":1,"@metadata":{"@collection":"Users","k":1,"l":2},"b":2})");
  EXPECT_EQ(stored_json(R"({"a":1,"@metadata":{"@id":"x"}})"), R"({"a":1})");
  EXPECT_EQ(stored_json(R"({"a":1,"@metadata":{}})"), R"({"a":1})");
  EXPECT_EQ(stored_json(R"({"a":1,"@metadata":null})"), R"({"a":1})");
  // Only at the top.
  EXPECT_EQ(stored_json(R"({"a":{"@metadata":{"@id":"x"}}})"),
            R"({"a":{"@metadata":{"@id":"x"}}})");
}

TEST(PreparedDocument, FindsTheCollection) {
  EXPECT_EQ(prepare(R"({"@metadata":{"@collection":"Users"}})")->collection, "Users");
  EXPECT_EQ(prepare(R"({"@metadata":{"x":1}})")->collection, "@empty");
  EXPECT_EQ(prepare(R"({})")->collection, "@empty");
  EXPECT_EQ(prepare(R"({"@metadata":{"@collection":null}})")->collection, "@empty");
  EXPECT_EQ(stored_json(R"({"@metadata":{"@collection":"","x":1}})"), R"({"@metadata":{"x":1}})");
}

TEST(PreparedDocument, RefusesWhatIsNoDocument) {
  for (const std::string json :
       {"1", "[]", "null", R"({"@metadata":1})", R"({"@metadata":{"@collection":1}})"}) {
    EXPECT_EQ(prepare(json).error().code(), ErrorCode::invalid_argument) << json;
  }
  const std::string long_name(kCollectionSizeMax + 1, 'x');
  EXPECT_EQ(prepare(R"({"@metadata":{"@collection":")" + long_name + R"("}})").error().code(),
            ErrorCode::too_large);
}

TEST(PreparedDocument, KeepsADocumentAsDeepAsTheyCome) {
  std::string json = R"({"@metadata":{"@id":"x"},"a":)";
  const std::size_t levels = value::kDepthDefault - 1;
  json += std::string(levels, '[') + std::string(levels, ']') + "}";
  EXPECT_TRUE(prepare(json).has_value());
}

std::string rendered(std::string_view json, const RenderOptions& options = {},
                     DocumentFlags flags = DocumentFlags::kNone) {
  const Result<PreparedDocument> prepared = prepare(json);
  DocumentView view;
  view.id = "users/1-A";
  view.collection = prepared->collection;
  view.change_vector = "A:1-x";
  view.last_modified = os::WallTime(std::chrono::milliseconds(1'764'504'896'789));
  view.flags = flags;
  view.data = prepared->document.bytes();
  std::string out;
  value::JsonWriter writer(out);
  EXPECT_TRUE(write_document(writer, view, options).has_value());
  return out;
}

constexpr std::string_view kServerKeys = R"("@change-vector":"A:1-x","@id":"users/1-A",)"
                                         R"("@last-modified":"2025-11-30T12:14:56.7890000Z"}})";

TEST(Render, AddsTheServersMetadataBehindTheUsers) {
  EXPECT_EQ(rendered(R"({"Name":"x","@metadata":{"@collection":"Users","z":1}})"),
            R"({"Name":"x","@metadata":{"@collection":"Users","z":1,)" + std::string(kServerKeys));
  EXPECT_EQ(rendered(R"({"Name":"x"})"), R"({"Name":"x","@metadata":{)" + std::string(kServerKeys));
  EXPECT_EQ(rendered(R"({"Name":"x","@metadata":{"z":1}})", {.metadata_only = true}),
            R"({"@metadata":{"z":1,)" + std::string(kServerKeys));
}

TEST(Render, ShowsFlagsOnlyWhereThereAreAny) {
  const std::string json =
      rendered("{}", {}, DocumentFlags::kHasRevisions | DocumentFlags::kHasAttachments);
  EXPECT_NE(json.find(R"("@flags":"HasAttachments, HasRevisions")"), std::string::npos) << json;
  EXPECT_EQ(rendered("{}").find("@flags"), std::string::npos);
}

TEST(Render, AnswersCorruptForBytesThatAreNoDocument) {
  DocumentView view;
  const std::string rubbish = "rubbish";
  view.data = as_bytes(rubbish);
  std::string out;
  value::JsonWriter writer(out);
  EXPECT_EQ(write_document(writer, view).error().code(), ErrorCode::corrupt);
  EXPECT_EQ(out, "");
}

}  // namespace
}  // namespace rookery::doc
