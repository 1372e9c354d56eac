// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/value/document.h"
#include "rookery/value/json.h"

namespace rookery::value {
namespace {

using testing::HasSubstr;

// The document, which must also pass validate().
Document parsed(std::string_view text, const ParseOptions& options = {}) {
  Result<Document> document = parse_json(text, options);
  if (!document) {
    ADD_FAILURE() << text.substr(0, 200) << ": " << document.error().to_string();
    return Document();
  }
  const Result<void> valid = validate(document->bytes());
  EXPECT_TRUE(valid) << valid.error().to_string();
  return std::move(document).value();
}

std::string round_trip(std::string_view text) {
  return to_json(parsed(text).root());
}

Error refusal(std::string_view text, const ParseOptions& options = {}) {
  const Result<Document> document = parse_json(text, options);
  if (document) {
    ADD_FAILURE() << "accepted: " << text.substr(0, 200);
    return ErrorCode::not_found;
  }
  return document.error();
}

std::string nested(std::size_t levels, std::string_view open, std::string_view close,
                   std::string_view inside) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) {
    text += open;
  }
  text += inside;
  for (std::size_t i = 0; i < levels; ++i) {
    text += close;
  }
  return text;
}

TEST(ParseJson, GivesBackWhatWasWritten) {
  const std::vector<std::string_view> texts = {
      "null",
      "true",
      "false",
      "0",
      "-1",
      R"("")",
      R"("text")",
      "[]",
      "{}",
      "[[],{},[{}]]",
      R"({"b":1,"a":2,"":3,"@metadata":{"@collection":"Users","Raven-Node-Type":"User"}})",
      R"({"z":{"a":[1,2,{"z":null}]},"a":{"z":true}})",
      R"({"9":1,"8":1,"7":1,"6":1,"5":1,"4":1,"3":1,"2":1,"1":1,"0":1,"":1,"99":1})",
      "[\"\u00e9 \u20ac \U0001d11e\",\"\\u0001\",\"\\\"\\\\/\",\"\\b\\f\\n\\r\\t\"]",
      R"([[["a"],"b"],"c"])",
  };
  for (const std::string_view text : texts) {
    std::string expected(text);
    EXPECT_EQ(round_trip(text), expected);
    EXPECT_EQ(round_trip(" \n\t\r" + expected + "\r\n "), expected);
  }
}

TEST(ParseJson, KeepsNumbersAsWritten) {
  const std::vector<std::string_view> numbers = {
      "0",
      "-0",
      "-0.0",
      "1.10",
      "1e5",
      "1E5",
      "1e+5",
      "1E-05",
      "1.0",
      "100",
      "9007199254740993",
      "9223372036854775807",
      "-9223372036854775808",
      "9223372036854775808",
      "-9223372036854775809",
      "18446744073709551615",
      "18446744073709551616",
      "123456789012345678901234567890123456789012345678901234567890",
      "0.1000000000000000055511151231257827021181583404541015625",
      "1e400",
      "-1e400",
      "1e-400",
      "5e-324",
      "2.2250738585072011e-308",
      "1.7976931348623157e308",
      "1e99999999999999999999",
      "127",
      "128",
      "-128",
      "-129",
      "32767",
      "32768",
      "2147483647",
      "2147483648",
      "-2147483649",
  };
  for (const std::string_view number : numbers) {
    EXPECT_EQ(round_trip(number), number);
    EXPECT_EQ(round_trip("[" + std::string(number) + "]"), "[" + std::string(number) + "]");
    EXPECT_EQ(round_trip("{\"n\" : " + std::string(number) + " }"),
              "{\"n\":" + std::string(number) + "}");
    EXPECT_EQ(parsed(number).root().number_text(), number);
  }
}

TEST(ParseJson, RefusesWhatIsNoNumber) {
  for (const std::string_view number :
       {"-",   "+1",    "01",    "-01", "1.",  ".5",       "1.e1",      "1e",
        "1e+", "0x10",  "1_000", "1,5", "NaN", "Infinity", "-Infinity", "1f",
        "--1", "1e5.5", "1 2",   "0b1", "00",  "1e1e1",    "1-1"}) {
    EXPECT_EQ(refusal(number).code(), ErrorCode::malformed) << number;
    EXPECT_EQ(refusal("{\"a\":" + std::string(number) + "}").code(), ErrorCode::malformed)
        << number;
    if (std::string_view(number) != "1,5") {
      EXPECT_EQ(refusal("[" + std::string(number) + "]").code(), ErrorCode::malformed) << number;
    }
  }
}

TEST(ParseJson, DecodesEveryEscape) {
  EXPECT_EQ(*parsed(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud834\udd1e\u0000")").root().as_string(),
            std::string_view("\"\\/\b\f\n\r\tA\u00e9\u20ac\U0001d11e\0", 19));
  const Document keys = parsed(R"({"\u0061\"":1,"a\\":2,"\u0000":3})");
  EXPECT_EQ(keys.root().key_at(0), "a\"");
  EXPECT_EQ(keys.root().find_int64("a\\"), 2);
  EXPECT_EQ(keys.root().find_int64(std::string_view("\0", 1)), 3);
}

TEST(ParseJson, DecodesLongStringsAtEveryLength) {
  for (std::size_t size = 0; size < 300; ++size) {
    const std::string plain(size, 'x');
    EXPECT_EQ(parsed("\"" + plain + "\"").root().as_string(), plain);
    EXPECT_EQ(parsed("[\"" + plain + "\\n\"]").root().at(0).as_string(), plain + "\n");
    EXPECT_EQ(parsed("{\"\\n" + plain + "\":1}").root().key_at(0), "\n" + plain);
  }
}

TEST(ParseJson, RefusesLoneSurrogatesAndBadEscapes) {
  for (const std::string_view text :
       {R"("\ud800")", R"("\udc00")", R"("\ud800\ud800")", R"("\ud800x")", R"("\udc00\ud800")",
        R"("\ud800\n")", R"("\uD834\u0041")", R"("\x41")", R"("\u12")", R"("\u12G4")", R"("\'")",
        R"("\U0041")", R"("\u+041")", R"("\")"}) {
    const std::string quoted(text);
    EXPECT_EQ(refusal(quoted).code(), ErrorCode::malformed) << quoted;
    EXPECT_EQ(refusal("[" + quoted + "]").code(), ErrorCode::malformed) << quoted;
    EXPECT_EQ(refusal("{" + quoted + ":1}").code(), ErrorCode::malformed) << quoted;
    EXPECT_EQ(refusal("{\"a\":" + quoted + "}").code(), ErrorCode::malformed) << quoted;
  }
}

TEST(ParseJson, RefusesBytesThatAreNotUtf8) {
  for (const std::string_view bytes :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xED\xBF\xBF",
        "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xC3", "\xE2\x82",
        "\xF0\x9D\x84", "\xFF", "\xFE"}) {
    const std::string text = "{\"a\":\n\"" + std::string(bytes) + "\"}";
    const Error error = refusal(text);
    EXPECT_EQ(error.code(), ErrorCode::malformed);
    EXPECT_THAT(std::string(error.message()), HasSubstr("UTF-8 at line 2, column 2 (byte 7)"));
    EXPECT_EQ(refusal("{\"" + std::string(bytes) + "\":1}").code(), ErrorCode::malformed);
  }
}

TEST(ParseJson, RefusesBrokenSyntaxWithItsPlace) {
  struct Case {
    std::string_view text;
    std::size_t byte;
  };

  for (const Case& c : std::vector<Case>{
           {"", 0},
           {"  ", 2},
           {"[", 1},
           {"]", 0},
           {"{", 1},
           {"}", 0},
           {"[1", 2},
           {"[1,", 3},
           {"[1,]", 3},
           {"[,1]", 1},
           {"[1,,2]", 3},
           {"[1 2]", 3},
           {"[1:2]", 2},
           {"[\"a\":1]", 4},
           {"[\"a\":1,\"b\":2]", 4},
           {"{\"a\"}", 4},
           {"{\"a\":}", 5},
           {"{\"a\":1,}", 7},
           {"{,}", 1},
           {"{\"a\" 1}", 5},
           {"{\"a\":1 \"b\":2}", 7},
           {"{\"a\":\"b\":1}", 8},
           {"{\"a\",\"b\"}", 4},
           {"{1:2}", 1},
           {"{a:1}", 1},
           {"{null:1}", 1},
           {"{'a':1}", 1},
           {"[1}", 3},
           {"{\"a\":1]", 7},
           {"[[1]", 4},
           {"[1]]", 3},
           {"{\"a\":1}}", 7},
           {"{\"a\":{}", 7},
           {"[1] [2]", 4},
           {"[1],", 4},
           {"{} x", 4},
           {"1 2", 2},
           {"null null", 5},
           {"\"a\" \"b\"", 4},
           {"\"a\"b", 3},
           {"nul", 0},
           {"nulll", 0},
           {"[tru]", 1},
           {"[True]", 1},
           {"[false0]", 1},
           {"{\"a\":undefined}", 5},
           {"// comment\n1", 0},
           {"[1/**/]", 1},
           {"\"abc", 0},
           {"[\"abc]", 1},
           {"{\"abc", 1},
           {"\"a\nb\"", 2},
           {"[\"a\tb\"]", 3},
           {"\xEF\xBB\xBF{}", 0},
           {"[1]\x01", 4},
       }) {
    const Error error = refusal(c.text);
    EXPECT_EQ(error.code(), ErrorCode::malformed) << c.text;
    EXPECT_THAT(std::string(error.message()), HasSubstr("(byte " + std::to_string(c.byte) + ")"))
        << c.text;
  }
  // A byte of zero ends nothing.
  EXPECT_EQ(refusal(std::string_view("[1]\0", 4)).code(), ErrorCode::malformed);
  EXPECT_EQ(refusal(std::string_view("[1\0]", 4)).code(), ErrorCode::malformed);
  EXPECT_EQ(refusal(std::string_view("nul\0l", 5)).code(), ErrorCode::malformed);
}

TEST(ParseJson, ReadsNothingBehindTheText) {
  // What follows would complete the text.
  const std::string whole = R"({"a":[1,"x"]}  )";
  const std::size_t last = whole.find_last_of('}');
  for (std::size_t size = 0; size <= last; ++size) {
    EXPECT_EQ(refusal(std::string_view(whole).substr(0, size)).code(), ErrorCode::malformed);
  }
  EXPECT_EQ(round_trip(std::string_view(whole).substr(0, last + 1)), R"({"a":[1,"x"]})");
}

TEST(ParseJson, CountsLinesAndColumns) {
  EXPECT_THAT(std::string(refusal("{\n  \"a\": 1,\n  \"b\": nope\n}").message()),
              HasSubstr("at line 3, column 8 (byte 19)"));
  EXPECT_THAT(std::string(refusal("nope").message()), HasSubstr("at line 1, column 1 (byte 0)"));
}

TEST(ParseJson, RefusesAKeyThatAppearsTwice) {
  const Error error = refusal("[1,\n {\"a\":1,\"b\":2,\"a\":3}]");
  EXPECT_EQ(error.code(), ErrorCode::malformed);
  EXPECT_THAT(std::string(error.message()),
              HasSubstr("the key \"a\" appears twice in the object at line 2, column 2 (byte 5)"));
  EXPECT_EQ(refusal(R"({"a":1,"\u0061":2})").code(), ErrorCode::malformed);
  EXPECT_EQ(refusal(R"({"":1,"":2})").code(), ErrorCode::malformed);
  // The same key in different objects, or in another case, is no repetition.
  EXPECT_EQ(round_trip(R"([{"a":{"a":1}},{"a":2,"A":3}])"), R"([{"a":{"a":1}},{"a":2,"A":3}])");
  for (const int count : {8, 9, 100, 1000}) {
    std::string members;
    for (int i = 0; i < count; ++i) {
      members += "\"common prefix " + std::to_string(i) + "\":" + std::to_string(i) + ",";
    }
    EXPECT_EQ(parsed("{" + members + "\"last\":0}").root().size(),
              static_cast<std::size_t>(count) + 1);
    EXPECT_EQ(refusal("{" + members + "\"common prefix 3\":0}").code(), ErrorCode::malformed);
  }
}

TEST(ParseJson, AllowsTheDepthItIsGivenAndNoMore) {
  for (const std::size_t limit : {std::size_t{1}, std::size_t{256}, std::size_t{512}}) {
    const ParseOptions options{.depth_max = limit};
    EXPECT_EQ(to_json(parsed(nested(limit, "[", "]", ""), options).root()),
              nested(limit, "[", "]", ""));
    const std::string objects = nested(limit, "{\"a\":", "}", "1");
    EXPECT_EQ(to_json(parsed(objects, options).root()), objects);
    for (const std::string& deep :
         {nested(limit + 1, "[", "]", ""), nested(limit + 1, "{\"a\":", "}", "1")}) {
      const Error error = refusal(deep, options);
      EXPECT_EQ(error.code(), ErrorCode::too_large);
      EXPECT_THAT(std::string(error.message()),
                  HasSubstr("deeper than " + std::to_string(limit) + " levels at line 1"));
    }
  }
  EXPECT_EQ(refusal(nested(257, "[", "]", "")).code(), ErrorCode::too_large);
  EXPECT_EQ(refusal(nested(513, "[", "]", ""), {.depth_max = 100000}).code(), ErrorCode::too_large);
  EXPECT_EQ(refusal(nested(1000000, "[", "]", "")).code(), ErrorCode::too_large);
  EXPECT_EQ(refusal(std::string(1000000, '[')).code(), ErrorCode::malformed);
  EXPECT_EQ(refusal("[]", {.depth_max = 0}).code(), ErrorCode::too_large);
}

TEST(ParseJson, AllowsTheSizeItIsGivenAndNoMore) {
  EXPECT_EQ(to_json(parsed("[1,2]", {.size_bytes_max = 5}).root()), "[1,2]");
  const Error error = refusal("[1,2]", {.size_bytes_max = 4});
  EXPECT_EQ(error.code(), ErrorCode::too_large);
  EXPECT_THAT(std::string(error.message()), HasSubstr("5 bytes is over the limit of 4"));
}

TEST(JsonParser, IsUsedAgainAfterAnyOutcome) {
  JsonParser parser;
  // Beyond what a parser keeps for the next text.
  std::string large = "[\"" + std::string(1200000, 'x') + "\"";
  for (int i = 0; i < 10000; ++i) {
    large += ",{\"key\":" + std::to_string(i) + "}";
  }
  large += "]";
  for (int round = 0; round < 3; ++round) {
    EXPECT_FALSE(parser.parse("{\"a\":[1,{\"b\":tru"));
    EXPECT_FALSE(parser.parse("{\"a\":1,\"a\":2}"));
    EXPECT_EQ(to_json(parser.parse("{\"a\":1,\"b\":\"\\n\"}")->root()), "{\"a\":1,\"b\":\"\\n\"}");
    EXPECT_FALSE(parser.parse(nested(300, "[", "]", "")));
    const Result<Document> document = parser.parse(large);
    ASSERT_TRUE(document);
    EXPECT_EQ(to_json(document->root()), large);
    EXPECT_FALSE(parser.parse(""));
  }
}

}  // namespace
}  // namespace rookery::value
