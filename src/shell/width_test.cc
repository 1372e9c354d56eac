// SPDX-License-Identifier: Apache-2.0
#include "width.h"

#include <gtest/gtest.h>

namespace rookery::shell {
namespace {

TEST(Width, CountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("Größe"), 5U);
  EXPECT_EQ(display_width("日本語"), 6U);
  EXPECT_EQ(display_width("한국"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U) << "an accent that combines";
  EXPECT_EQ(display_width("\U0001F426"), 2U) << "a bird";
  EXPECT_EQ(display_width("a\u200Bb"), 2U) << "a blank of no width";
}

TEST(Width, LeavesNothingThatDrivesATerminal) {
  EXPECT_EQ(printable("a\nb\tc\r"), "a\\nb\\tc\\r");
  EXPECT_EQ(printable("\x1b[2J"), "\\u001b[2J");
  EXPECT_EQ(printable("\x7f\u009b"), "\\u007f\\u009b");
  EXPECT_EQ(printable("a\u202Eb"), "a\\u202eb") << "would turn the line around";
  EXPECT_EQ(printable("Größe 日本"), "Größe 日本");
}

TEST(Width, FitsATextToAWidth) {
  EXPECT_EQ(fitted("abc", 3), "abc");
  EXPECT_EQ(fitted("abcd", 3), "ab\u2026");
  EXPECT_EQ(fitted("abcd", 1), "\u2026");
  EXPECT_EQ(fitted("abcd", 0), "");
  EXPECT_EQ(fitted("日本語", 6), "日本語");
  EXPECT_EQ(fitted("日本語", 5), "日本\u2026");
  EXPECT_EQ(fitted("日本語", 4), "日\u2026") << "half a character is not shown";
  EXPECT_EQ(fitted("abe\u0301", 3), "abe\u0301");
  for (std::size_t width = 0; width < 12; ++width) {
    EXPECT_LE(display_width(fitted("日a本b語e\u0301c", width)), width);
  }
}

}  // namespace
}  // namespace rookery::shell
