// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "rookery/value/json.h"

namespace rookery::value {
namespace {

TEST(JsonWriter, MindsCommasAndKeepsWhatIsThere) {
  const Document document = parse_json(R"({"x":[1.10],"y":"z","w":0})").value();
  std::string out = "data: ";
  JsonWriter w(out);
  w.begin_object();
  w.null("n");
  w.boolean("t", true);
  w.int64("i", std::numeric_limits<std::int64_t>::min());
  w.uint64("u", std::numeric_limits<std::uint64_t>::max());
  w.number("d", 0.1);
  w.string("s", "x");
  w.value("v", document.root());
  w.raw("r", "[1, 2]");
  w.key("a");
  w.begin_array();
  w.begin_array();
  w.end_array();
  w.begin_object();
  w.end_object();
  w.null();
  w.boolean(false);
  w.int64(-1);
  w.uint64(1);
  w.number(1e300);
  w.string("");
  w.value(document.root().value_at(0));
  w.raw("0");
  w.begin_object();
  w.members(document.root(), {"y"});
  w.string("more", "m");
  w.end_object();
  w.end_array();
  w.string("last", "l");
  w.end_object();
  EXPECT_EQ(out, R"(data: {"n":null,"t":true,"i":-9223372036854775808,"u":18446744073709551615,)"
                 R"("d":0.1,"s":"x","v":{"x":[1.10],"y":"z","w":0},"r":[1, 2],)"
                 R"("a":[[],{},null,false,-1,1,1e+300,"",[1.10],0,{"x":[1.10],"w":0,"more":"m"}],)"
                 R"("last":"l"})");
  ASSERT_TRUE(parse_json(std::string_view(out).substr(6)));
}

std::string written(std::string_view text, bool ascii = false) {
  std::string out;
  JsonWriter(out, {.escape_non_ascii = ascii}).string(text);
  return out;
}

TEST(JsonWriter, EscapesEveryCodePointSoThatItReadsBack) {
  for (std::uint32_t c = 0; c < 0x80; ++c) {
    const std::string text = "a" + std::string(1, static_cast<char>(c)) + "b";
    EXPECT_EQ(parse_json(written(text))->root().as_string(), text);
    EXPECT_EQ(written(text, true), written(text));
  }
  EXPECT_EQ(written(std::string_view("\0\x1F\x7F\"\\/\b\f\n\r\t", 11)),
            "\"\\u0000\\u001f\x7F\\\"\\\\/\\b\\f\\n\\r\\t\"");
  EXPECT_EQ(written("\u00e9\u20ac\U0001d11e"), "\"\u00e9\u20ac\U0001d11e\"");
  EXPECT_EQ(written("\u00e9\u20ac\U0001d11e", true), R"("\u00e9\u20ac\ud834\udd1e")");
  EXPECT_EQ(written("\U0010FFFF\U00010000\uFFFF", true), R"("\udbff\udfff\ud800\udc00\uffff")");
  EXPECT_EQ(parse_json(written("a\u00e9\u20ac\U0001d11ez", true))->root().as_string(),
            "a\u00e9\u20ac\U0001d11ez");
}

TEST(JsonWriter, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(written("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_EQ(written("\u00e9\xC3", true), R"("\u00e9\ufffd")");
  EXPECT_EQ(written("\xED\xA0\x80\"", true), R"("\ufffd\ufffd\ufffd\"")");
}

TEST(JsonWriter, WritesViewsInAsciiToo) {
  const Document document = parse_json(R"({")"
                                       "\u00e9"
                                       R"(":[")"
                                       "\u20ac"
                                       R"("]})")
                                .value();
  EXPECT_EQ(to_json(document.root(), {.escape_non_ascii = true}), R"({"\u00e9":["\u20ac"]})");
}

TEST(JsonWriter, WritesDoubles) {
  std::string out;
  JsonWriter w(out);
  w.begin_array();
  for (const double value : {0.0, -0.0, 1.0, 1.5, 1e16, 1e-7, 5e-324, 1.7976931348623157e308,
                             std::nan(""), std::numeric_limits<double>::infinity()}) {
    w.number(value);
  }
  w.end_array();
  EXPECT_EQ(out, "[0,-0,1,1.5,1e+16,1e-07,5e-324,1.7976931348623157e+308,null,null]");
  EXPECT_TRUE(parse_json(out));
}

TEST(JsonWriterDeathTest, StopsAtAnEndWithoutABeginning) {
  std::string out;
  EXPECT_DEATH(JsonWriter(out).end_object(), "depth_ > 0");
}

}  // namespace
}  // namespace rookery::value
