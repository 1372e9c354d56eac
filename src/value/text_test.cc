// SPDX-License-Identifier: Apache-2.0
#include "rookery/value/text.h"

#include <string>

#include <gtest/gtest.h>

namespace rookery::value {
namespace {

TEST(FoldCase, MakesOneNameOfManySpellings) {
  EXPECT_EQ(fold_case("Users/1-A"), "users/1-a");
  EXPECT_EQ(fold_case(""), "");
  EXPECT_TRUE(equal_folded("\u00c4\u00d6\u00dc\u00c9", "\u00e4\u00f6\u00fc\u00e9"));
  EXPECT_TRUE(equal_folded("\u03a3\u0391\u03a3", "\u03c3\u03b1\u03c2"));  // final sigma is a sigma
  EXPECT_TRUE(
      equal_folded("\u041f\u0420\u0418\u0412\u0415\u0422", "\u043f\u0440\u0438\u0432\u0435\u0442"));
  EXPECT_TRUE(equal_folded("\u212A", "k"));  // Kelvin sign, three bytes to one
  EXPECT_TRUE(equal_folded("\U00010400", "\U00010428"));
  EXPECT_TRUE(equal_folded("\u023A", "\u2C65"));  // two bytes to three
  // Simple folding keeps the number of code points, and knows nothing of Turkish.
  EXPECT_FALSE(equal_folded("\u00df", "ss"));
  EXPECT_TRUE(equal_folded("\u1E9E", "\u00df"));
  EXPECT_FALSE(equal_folded("\u0130", "i"));
  EXPECT_TRUE(equal_folded("I", "i"));
  EXPECT_FALSE(equal_folded("a", "b"));
}

std::string utf8_of(std::uint32_t c) {
  std::string s;
  if (c < 0x80) {
    s += static_cast<char>(c);
  } else if (c < 0x800) {
    s += static_cast<char>(0xC0 | (c >> 6U));
    s += static_cast<char>(0x80 | (c & 0x3FU));
  } else if (c < 0x10000) {
    s += static_cast<char>(0xE0 | (c >> 12U));
    s += static_cast<char>(0x80 | ((c >> 6U) & 0x3FU));
    s += static_cast<char>(0x80 | (c & 0x3FU));
  } else {
    s += static_cast<char>(0xF0 | (c >> 18U));
    s += static_cast<char>(0x80 | ((c >> 12U) & 0x3FU));
    s += static_cast<char>(0x80 | ((c >> 6U) & 0x3FU));
    s += static_cast<char>(0x80 | (c & 0x3FU));
  }
  return s;
}

TEST(FoldCase, IsSettledAfterOneStepForEveryCodePoint) {
  std::size_t changed = 0;
  // Nothing beyond plane 1 has case: a sample of those does.
  for (std::uint32_t c = 0; c <= 0x10FFFF; c += c < 0x20000 ? 1 : 61) {
    const std::string text = utf8_of(c);
    const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    ASSERT_EQ(is_utf8(text), !surrogate) << c;
    const std::string folded = fold_case(text);
    if (surrogate) {
      ASSERT_EQ(folded, text);
      continue;
    }
    ASSERT_EQ(fold_case(folded), folded) << c;
    ASSERT_TRUE(is_utf8(folded)) << c;
    ASSERT_LE(folded.size() * 2, text.size() * 3) << c;
    ASSERT_EQ(decode_code_point(text).code_point, c);
    ASSERT_EQ(decode_code_point(text + "x").size, text.size());
    changed += folded != text ? 1U : 0U;
  }
  EXPECT_GT(changed, 1300U);
}

TEST(FoldCase, LeavesBytesThatAreNotUtf8) {
  EXPECT_EQ(fold_case("A\xFF"
                      "B\xC3"),
            "a\xFF"
            "b\xC3");
  EXPECT_EQ(fold_case("\xED\xA0\x80Z"), "\xED\xA0\x80z");
}

TEST(Utf8, SaysWhereItEnds) {
  EXPECT_EQ(utf8_error_offset(""), std::nullopt);
  EXPECT_EQ(utf8_error_offset("a\u00e9\u20ac\U0001d11e"), std::nullopt);
  EXPECT_EQ(utf8_error_offset("a\u00e9\x80"), 3U);
  EXPECT_EQ(utf8_error_offset("a\u00e9\xE2\x82"), 3U);
  EXPECT_EQ(utf8_error_offset("\xC0\x80"), 0U);
}

}  // namespace
}  // namespace rookery::value
