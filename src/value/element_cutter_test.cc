// SPDX-License-Identifier: Apache-2.0
#include "rookery/value/element_cutter.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

namespace rookery::value {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kNoLimit = 1 << 20;

struct Cut {
  std::vector<std::string> elements;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> lines;
  std::string error;  // empty: none
};

Cut cut(const std::vector<std::string>& parts, std::size_t element_bytes_max = kNoLimit) {
  ElementCutter cutter(element_bytes_max);
  Cut out;
  for (const std::string& part : parts) {
    cutter.feed(part);
    for (;;) {
      const Result<std::optional<std::string_view>> element = cutter.next();
      if (!element.has_value()) {
        out.error = element.error().message();
        EXPECT_EQ(cutter.finish().error().message(), out.error);
        return out;
      }
      if (!element.value().has_value()) {
        break;
      }
      out.elements.emplace_back(**element);
      out.offsets.push_back(cutter.element_offset());
      out.lines.push_back(cutter.element_line());
      EXPECT_EQ(cutter.element_count(), out.elements.size());
    }
  }
  if (const Result<void> finished = cutter.finish(); !finished.has_value()) {
    out.error = finished.error().message();
  }
  return out;
}

constexpr std::string_view kMixed =
    " [ {\"a\":\"}]\\\"\\\\\",\"b\":[1,{}]} ,\n[\"x\\\\\",[]],\n\n  \"s,]\\\"\" "
    ",-1.5e3,null,true\n] \n";

TEST(ElementCutter, FindsElementsOfEveryKind) {
  const Cut whole = cut({std::string(kMixed)});
  EXPECT_EQ(whole.error, "");
  EXPECT_THAT(whole.elements, ElementsAre("{\"a\":\"}]\\\"\\\\\",\"b\":[1,{}]}", "[\"x\\\\\",[]]",
                                          "\"s,]\\\"\"", "-1.5e3", "null", "true"));
  EXPECT_THAT(whole.lines, ElementsAre(1U, 2U, 4U, 4U, 4U, 4U));
  for (std::size_t i = 0; i < whole.elements.size(); ++i) {
    EXPECT_EQ(kMixed.substr(whole.offsets[i], whole.elements[i].size()), whole.elements[i]);
  }
}

TEST(ElementCutter, FindsTheSameWhereverTheInputIsCut) {
  const Cut whole = cut({std::string(kMixed)});
  for (std::size_t i = 0; i <= kMixed.size(); ++i) {
    for (std::size_t j = i; j <= kMixed.size(); ++j) {
      const Cut split = cut({std::string(kMixed.substr(0, i)), std::string(kMixed.substr(i, j - i)),
                             std::string(kMixed.substr(j))});
      ASSERT_EQ(split.elements, whole.elements) << i << " " << j;
      ASSERT_EQ(split.offsets, whole.offsets) << i << " " << j;
      ASSERT_EQ(split.lines, whole.lines) << i << " " << j;
      ASSERT_EQ(split.error, "") << i << " " << j;
    }
  }
  std::vector<std::string> bytes;
  for (const char c : kMixed) {
    bytes.emplace_back(1, c);
  }
  EXPECT_EQ(cut(bytes).elements, whole.elements);
}

TEST(ElementCutter, RefusesWhatIsNoArrayAndSaysWhere) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "ends before its array does, at byte 0"},
      {"{}", "an array was expected at byte 0"},
      {" x", "an array was expected at byte 1"},
      {"[", "ends before its array does, at byte 1"},
      {"[,", "an element of the array was expected at byte 1"},
      {"[1,]", "an element of the array was expected at byte 3"},
      {"[1 2]", "a comma or the end of the array was expected at byte 3"},
      {"[{}{}]", "a comma or the end of the array was expected at byte 3"},
      {"[1}", "a comma or the end of the array was expected at byte 2"},
      {"[{}", "ends before its array does, at byte 3"},
      {"[{\"a\":1", "ends before its array does, at byte 7"},
      {"[] 1", "text follows the array at byte 3"},
      {"[][]", "text follows the array at byte 2"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_THAT(cut({text}).error, HasSubstr(expected)) << text;
    std::vector<std::string> bytes;
    for (const char c : text) {
      bytes.emplace_back(1, c);
    }
    EXPECT_THAT(cut(bytes).error, HasSubstr(expected)) << text << " in bytes";
  }
  EXPECT_EQ(cut({"[]"}).error, "");
}

TEST(ElementCutter, HoldsNoMoreThanOneElementMayHave) {
  const std::string fits = "[\"12345678\",{\"a\":\"bc\"}]";
  EXPECT_EQ(cut({fits}, 10).error, "");
  EXPECT_THAT(cut({fits}, 9).error, HasSubstr("element 1 has more than 9 bytes"));
  ElementCutter cutter(1000);
  cutter.feed("[");
  ASSERT_TRUE(cutter.next().has_value());
  std::size_t fed = 0;
  for (;;) {
    const std::string part = fed == 0 ? "\"" : std::string(10, 'x');
    cutter.feed(part);
    const auto element = cutter.next();
    if (!element.has_value()) {
      EXPECT_EQ(element.error().code(), ErrorCode::too_large);
      break;
    }
    fed += part.size();
    ASSERT_LE(cutter.held_bytes(), 1000U);
    ASSERT_LE(fed, 1000U);
  }
  EXPECT_GT(fed, 980U);
}

TEST(ElementCutter, GoesOnBehindAnElementThatIsNotJson) {
  const Cut whole = cut({"[{bad: ]},{\"a\":1}]"});
  EXPECT_EQ(whole.error, "a comma or the end of the array was expected at byte 8");
  const Cut good = cut({"[{bad: x},{\"a\":1}]"});
  EXPECT_THAT(good.elements, ElementsAre("{bad: x}", "{\"a\":1}"));
  EXPECT_EQ(good.error, "");
}

TEST(ElementCutter, CutsRandomArraysInRandomParts) {
  Prng random(test_seed());
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> elements;
    std::string text = "[";
    const std::uint64_t count = random.below(8);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string inside;
      for (std::uint64_t k = random.below(30); k > 0; --k) {
        static constexpr std::string_view kLetters = "a{}[],: \n\\\"";
        const char c = kLetters[random.below(kLetters.size())];
        inside += c == '\\' || c == '"' ? std::string("\\") + c : std::string(1, c);
      }
      elements.push_back("{\"k\":[\"" + inside + "\",{}]}");
      text += (i > 0 ? "," : "") + elements.back() + (random.below(2) == 0 ? "\n" : "");
    }
    text += "]";
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = 1 + random.below(20);
      parts.push_back(text.substr(at, size));
      at += size;
    }
    const Cut out = cut(parts);
    ASSERT_EQ(out.error, "") << text;
    ASSERT_EQ(out.elements, elements) << text;
  }
}

}  // namespace
}  // namespace rookery::value
