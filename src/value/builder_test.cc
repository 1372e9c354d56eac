// SPDX-License-Identifier: Apache-2.0
#include "rookery/value/builder.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/checksum.h"
#include "rookery/base/coding.h"
#include "rookery/value/json.h"

#include "key_table.h"

namespace rookery::value {
namespace {

std::string text_of(Builder& builder) {
  Result<Document> document = builder.finish();
  if (!document) {
    return document.error().to_string();
  }
  EXPECT_TRUE(validate(document->bytes()));
  return to_json(document->root());
}

TEST(Builder, MakesWhatItIsTold) {
  Builder b;
  b.begin_object();
  b.null("n");
  b.boolean("t", true);
  b.int64("i", std::numeric_limits<std::int64_t>::min());
  b.number("d", 0.1);
  b.string("s", "x\n");
  b.key("a");
  b.begin_array();
  b.null();
  b.boolean(false);
  b.int64(-1);
  b.number(1e300);
  b.number_text("1.10");
  b.string("");
  b.begin_object();
  b.end_object();
  b.begin_array();
  b.end_array();
  b.end_array();
  b.end_object();
  EXPECT_EQ(text_of(b), R"({"n":null,"t":true,"i":-9223372036854775808,"d":0.1,"s":"x\n",)"
                        R"("a":[null,false,-1,1e+300,1.10,"",{},[]]})");
  // And again.
  b.string("alone");
  EXPECT_EQ(text_of(b), R"("alone")");
}

TEST(Builder, WritesDoublesThatReadBackTheSame) {
  for (const double value : {0.0, -0.0, 1.0, 0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 1e21,
                             123456789012345680.0, -2.5}) {
    Builder b;
    b.number(value);
    const Document document = b.finish().value();
    EXPECT_EQ(document.root().as_double(), value);
    EXPECT_EQ(std::signbit(*document.root().as_double()), std::signbit(value));
  }
  Builder b;
  b.begin_array();
  b.number(std::nan(""));
  b.number(std::numeric_limits<double>::infinity());
  b.end_array();
  EXPECT_EQ(text_of(b), "[null,null]");
}

TEST(Builder, CopiesAcrossDocuments) {
  const Document source = parse_json(R"({"skip":0,"b":{"x":[1.10,")"
                                     "\u00e9"
                                     R"(",{"b":null}]},"a":true,"big":1e999})")
                              .value();
  Builder b;
  b.begin_object();
  b.string("first", "1");
  b.members(source.root(), {"skip", "absent"});
  b.value("again", *source.root().find("b"));
  b.end_object();
  EXPECT_EQ(text_of(b), R"({"first":"1","b":{"x":[1.10,")"
                        "\u00e9"
                        R"(",{"b":null}]},"a":true,"big":1e999,)"
                        R"("again":{"x":[1.10,")"
                        "\u00e9"
                        R"(",{"b":null}]}})");
}

// What the document layer does with metadata on the way in.
TEST(Builder, ReplacesOneMemberInPlace) {
  const Document source =
      parse_json(R"({"Name":"x","@metadata":{"@id":"users/1","@collection":"Users"},"Z":1})")
          .value();
  Builder b;
  b.begin_object();
  for (std::size_t i = 0; i < source.root().size(); ++i) {
    const std::string_view key = source.root().key_at(i);
    b.key(key);
    if (key == "@metadata") {
      b.begin_object();
      b.members(source.root().value_at(i), {"@id"});
      b.end_object();
    } else {
      b.value(source.root().value_at(i));
    }
  }
  b.end_object();
  EXPECT_EQ(text_of(b), R"({"Name":"x","@metadata":{"@collection":"Users"},"Z":1})");
}

TEST(Builder, KeepsTheFirstErrorAndStartsAnew) {
  Builder b;
  const auto try_object = [&b](auto&& fill) {
    b.begin_object();
    fill();
    b.end_object();
    const bool seen = b.error().has_value();
    const Result<Document> result = b.finish();
    EXPECT_EQ(seen, !result.has_value());
    EXPECT_FALSE(b.error());
    return result ? ErrorCode::not_found : result.error().code();
  };
  EXPECT_EQ(try_object([&] {
              b.null("a");
              b.null("a");
            }),
            ErrorCode::invalid_argument);
  EXPECT_EQ(try_object([&] { b.string("a", "\xFF"); }), ErrorCode::malformed);
  EXPECT_EQ(try_object([&] { b.null("\xC0\x80"); }), ErrorCode::malformed);
  EXPECT_EQ(try_object([&] {
              b.key("a");
              b.number_text("1.");
            }),
            ErrorCode::malformed);
  b.string("fine");
  EXPECT_EQ(text_of(b), R"("fine")");
}

TEST(Builder, BoundsItsDepthForCopiesToo) {
  Builder flat(BuildLimits{.depth = 2});
  flat.begin_array();
  flat.begin_array();
  flat.begin_array();
  flat.end_array();
  flat.end_array();
  flat.end_array();
  EXPECT_EQ(flat.finish().error().code(), ErrorCode::too_large);
  const Document deep = parse_json("[[[]]]").value();
  flat.value(deep.root());
  EXPECT_EQ(flat.finish().error().code(), ErrorCode::too_large);
  flat.value(deep.root().at(0));
  EXPECT_EQ(text_of(flat), "[[]]");
}

TEST(BuilderDeathTest, StopsAtMisplacedCalls) {
  EXPECT_DEATH(
      {
        Builder b;
        b.begin_object();
        b.null();
      },
      "kValue");
  EXPECT_DEATH(
      {
        Builder b;
        b.begin_array();
        b.end_object();
      },
      "open_");
  EXPECT_DEATH(
      {
        Builder b;
        b.begin_array();
        static_cast<void>(b.finish());
      },
      "open_");
  EXPECT_DEATH(
      {
        Builder b;
        b.null();
        b.null();
      },
      "complete_");
}

TEST(KeyTable, NumbersEachKeyOnce) {
  KeyTable table;
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 1000; ++i) {
      const std::string key = i == 500 ? std::string() : "key" + std::to_string(i);
      EXPECT_EQ(table.intern(key), i);
      EXPECT_EQ(table.at(i), key);
    }
  }
  EXPECT_EQ(table.count(), 1000U);
  table.clear();
  EXPECT_EQ(table.intern("key7"), 0U);
}

// Keys that all begin their search at one slot of the smallest table.
std::vector<std::string> colliding_keys(std::size_t count) {
  std::vector<std::string> keys;
  for (int i = 0; keys.size() < count; ++i) {
    const std::string key = "k" + std::to_string(i);
    if ((checksum64(as_bytes(key)) & 63U) == 5) {
      keys.push_back(key);
    }
  }
  return keys;
}

TEST(KeyTable, StoresAKeyTwiceRatherThanSearchLong) {
  KeyTable table;
  const std::vector<std::string> keys = colliding_keys(20);
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(table.intern(keys[i]), i);
  }
  EXPECT_TRUE(table.has_twins());
  EXPECT_EQ(table.intern(keys.back()), 20U);
  EXPECT_EQ(table.at(19), table.at(20));
  EXPECT_EQ(table.intern(keys.front()), 0U);
}

TEST(KeyTable, SharesNoKeyAndStillTellsTwinsApart) {
  const std::vector<std::string> keys = colliding_keys(20);
  std::string crowd = "{";
  for (const std::string& key : keys) {
    crowd += (crowd.size() > 1 ? ",\"" : "\"") + key + "\":0";
  }
  crowd += "}";
  const std::string last = "\"" + keys.back() + "\":1";
  const std::string once = "[" + crowd + ",{" + last + "},{\"other\":2," + last + "}]";
  const Result<Document> document = parse_json(once);
  ASSERT_TRUE(document);
  ASSERT_TRUE(validate(document->bytes()));
  EXPECT_EQ(to_json(document->root()), once);
  EXPECT_EQ(document->root().at(2).find_int64(keys.back()), 1);
  EXPECT_FALSE(parse_json("[" + crowd + ",{" + last + ",\"other\":2," + last + "}]"));
}

}  // namespace
}  // namespace rookery::value
