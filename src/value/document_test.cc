// SPDX-License-Identifier: Apache-2.0
#include "rookery/value/document.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "rookery/value/json.h"

namespace rookery::value {
namespace {

TEST(View, OfNothingIsNull) {
  EXPECT_EQ(View().type(), Type::kNull);
  EXPECT_EQ(View().size(), 0U);
  EXPECT_FALSE(View().find("a"));
  EXPECT_TRUE(Document().root().is_null());
  EXPECT_TRUE(Document().bytes().empty());
}

TEST(View, AnswersForItsOwnTypeOnly) {
  const Document document = parse_json(R"([null,true,7,7.5,"s",[1],{"a":1}])").value();
  const View root = document.root();
  const Type types[] = {Type::kNull,   Type::kBool,  Type::kInt,   Type::kNumber,
                        Type::kString, Type::kArray, Type::kObject};
  ASSERT_EQ(root.size(), std::size(types));
  for (std::size_t i = 0; i < root.size(); ++i) {
    const View item = root.at(i);
    EXPECT_EQ(item.type(), types[i]);
    EXPECT_EQ(item.is_null(), i == 0);
    EXPECT_EQ(item.as_bool().has_value(), i == 1);
    EXPECT_EQ(item.as_int64().has_value(), i == 2);
    EXPECT_EQ(item.as_double().has_value(), i == 2 || i == 3);
    EXPECT_EQ(item.number_text().has_value(), i == 2 || i == 3);
    EXPECT_EQ(item.is_number(), i == 2 || i == 3);
    EXPECT_EQ(item.as_string().has_value(), i == 4);
    EXPECT_EQ(item.size(), i < 5 ? 0U : 1U);
    EXPECT_EQ(item.find("a").has_value(), i == 6);
  }
  EXPECT_EQ(type_name(Type::kObject), "object");
}

TEST(View, ReadsNumbers) {
  const Document document =
      parse_json(
          "[0,-1,9223372036854775807,-9223372036854775808,1.5,-0.0,1e400,-1e400,1e-400,"
          "9223372036854775808,0.1,5e-324,1e99999999999999999999,-1e-99999999999999999999]")
          .value();
  const View root = document.root();
  EXPECT_EQ(root.at(0).as_int64(), 0);
  EXPECT_EQ(root.at(1).as_int64(), -1);
  EXPECT_EQ(root.at(2).as_int64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(root.at(3).as_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(root.at(4).as_double(), 1.5);
  EXPECT_EQ(root.at(5).as_double(), 0.0);
  EXPECT_TRUE(std::signbit(*root.at(5).as_double()));
  EXPECT_EQ(root.at(6).as_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(root.at(7).as_double(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(root.at(8).as_double(), 0.0);
  EXPECT_EQ(root.at(9).as_double(), 9223372036854775808.0);
  EXPECT_EQ(root.at(10).as_double(), 0.1);
  EXPECT_EQ(root.at(11).as_double(), 5e-324);
  EXPECT_EQ(root.at(12).as_double(), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::signbit(*root.at(13).as_double()));
}

TEST(View, FindsEveryMemberAndNoOther) {
  for (int count = 0; count <= 300; count += count < 20 ? 1 : 93) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) {
      // Neither in order nor of one length, and many alike in their first eight bytes.
      const int name = (i * 7919) % 1009;
      text += (i == 0 ? "\"" : ",\"") + std::string(name % 2 == 0 ? "longcommonprefix" : "") +
              std::to_string(name) + "\":" + std::to_string(i);
    }
    text += "}";
    const Document document = parse_json(text).value();
    const View root = document.root();
    ASSERT_EQ(root.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<std::size_t>(i);
      EXPECT_EQ(root.find_int64(root.key_at(index)), i);
      EXPECT_EQ(root.value_at(index).as_int64(), i);
      EXPECT_FALSE(root.find(std::string(root.key_at(index)) + "x"));
    }
    EXPECT_FALSE(root.find(""));
    EXPECT_FALSE(root.find("0000"));
    EXPECT_FALSE(root.find("zzzz"));
  }
}

TEST(View, FindsOfOneTypeAtOnce) {
  const Document document = parse_json(R"({"s":"x","i":1,"b":false,"n":null})").value();
  const View root = document.root();
  EXPECT_EQ(root.find_string("s"), "x");
  EXPECT_EQ(root.find_int64("i"), 1);
  EXPECT_EQ(root.find_bool("b"), false);
  EXPECT_FALSE(root.find_string("i"));
  EXPECT_FALSE(root.find_int64("s"));
  EXPECT_FALSE(root.find_bool("n"));
  EXPECT_FALSE(root.find_bool("absent"));
}

TEST(ViewDeathTest, StopsAtAnIndexBeyondTheEnd) {
  const Document document = parse_json(R"({"a":[1]})").value();
  EXPECT_DEATH(static_cast<void>(document.root().value_at(1)), "index < c.count");
  EXPECT_DEATH(static_cast<void>(document.root().at(0)), "kArray");
  EXPECT_DEATH(static_cast<void>(document.root().value_at(0).at(1)), "index < c.count");
}

TEST(Document, OwnsItsBytesThroughMoves) {
  Document first = parse_json(R"({"a":"text"})").value();
  Document second = std::move(first);
  EXPECT_EQ(second.root().find_string("a"), "text");
  Document third;
  third = std::move(second);
  EXPECT_EQ(third.root().find_string("a"), "text");
}

TEST(Document, ComesBackFromItsBytes) {
  const Document document = parse_json(R"({"a":[1,2.50,"x"],"b":{"a":null}})").value();
  // At an odd address: documents lie anywhere in a page.
  std::string moved = "x" + std::string(as_text(document.bytes()));
  const Bytes bytes = as_bytes(std::string_view(moved).substr(1));
  EXPECT_EQ(to_json(View::over(bytes)->value_at(0)), R"([1,2.50,"x"])");
  const Document copy = Document::from_bytes(bytes).value();
  moved.assign(moved.size(), '\0');
  EXPECT_EQ(to_json(copy.root()), R"({"a":[1,2.50,"x"],"b":{"a":null}})");
}

// The worked example of docs/format/document.md.
TEST(Document, HasTheBytesOfItsFormatPage) {
  const Document document =
      parse_json(R"({"Name":"Ann","Tags":["a",null],"Sum":1.10,"Age":300})").value();
  // clang-format off
  const unsigned char expected[] = {
      0x01, 0x00, 0x00, 0x00, 0x22, 0x00, 0x00, 0x00, 0x2C, 0x00, 0x00, 0x00,
      0x05, 0x03, 0x41, 0x6E, 0x6E,
      0x05, 0x01, 0x61,
      0x00,
      0x06, 0x02, 0x04, 0x01,
      0x04, 0x04, 0x31, 0x2E, 0x31, 0x30,
      0x13, 0x2C, 0x01,
      0x07, 0x04, 0x00, 0x01, 0x02, 0x03, 0x16, 0x0D, 0x09, 0x03,
      0x04, 0x00, 0x00, 0x00,
      0x04, 0x08, 0x0B, 0x0E,
      0x4E, 0x61, 0x6D, 0x65, 0x54, 0x61, 0x67, 0x73, 0x53, 0x75, 0x6D, 0x41, 0x67, 0x65,
  };
  // clang-format on
  EXPECT_EQ(as_text(document.bytes()),
            std::string_view(reinterpret_cast<const char*>(expected), sizeof expected));
}

}  // namespace
}  // namespace rookery::value
