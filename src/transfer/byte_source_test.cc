// SPDX-License-Identifier: Apache-2.0
#include "byte_source.h"

#include <csignal>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folder_test_support.h"
#include "text_source.h"

namespace rookery::transfer {
namespace {

using testing::HasSubstr;

using ByteSources = FolderTest;

std::string all_of(TextParts parts, bool peek_first) {
  if (peek_first) {
    EXPECT_TRUE(parts.peek().has_value());
  }
  // As open_records() does, between the two.
  TextParts moved = std::move(parts);
  std::string text;
  for (;;) {
    const Result<std::string_view> part = moved.next();
    if (!part.has_value()) {
      return "error: " + std::string(part.error().message());
    }
    if (part->empty()) {
      return text;
    }
    text += *part;
  }
}

std::string all_of(const std::string& text, std::size_t part_size, bool peek_first) {
  return all_of(TextParts(std::make_unique<TextSource>(text, part_size)), peek_first);
}

TEST(TextParts, AreWithoutTheMark) {
  for (std::size_t size = 1; size < 12; ++size) {
    for (const bool peek : {false, true}) {
      EXPECT_EQ(all_of("\xEF\xBB\xBFone two", size, peek), "one two") << size;
      EXPECT_EQ(all_of("one two", size, peek), "one two") << size;
      EXPECT_EQ(all_of("\xEF\xBB\xBF", size, peek), "") << size;
      EXPECT_EQ(all_of("\xEF\xBB", size, peek), "\xEF\xBB") << size;
      EXPECT_EQ(all_of("x", size, peek), "x") << size;
      EXPECT_EQ(all_of("", size, peek), "") << size;
      // Only at the beginning.
      EXPECT_EQ(all_of("a\xEF\xBB\xBF", size, peek), "a\xEF\xBB\xBF") << size;
    }
  }
}

TEST(TextParts, RefuseWhatIsNoText) {
  EXPECT_THAT(all_of(std::string("\xFF\xFE{\0", 4), 1, false), HasSubstr("UTF-16"));
  EXPECT_THAT(all_of(std::string("\xFE\xFF\0{", 4), 9, false), HasSubstr("UTF-16"));
  EXPECT_THAT(all_of("\x1F\x8B\x08", 2, false), HasSubstr("compressed"));
}

TEST_F(ByteSources, ReadFiles) {
  const Interrupt never;
  write("f", std::string(1'000'000, 'x'));
  auto source = open_source(path("f"), never);
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(all_of(TextParts(std::move(*source)), true).size(), 1'000'000U);
  EXPECT_EQ(source_size(path("f")), 1'000'000U);
  EXPECT_EQ(source_size(path("none")), std::nullopt);
  EXPECT_EQ(open_source(path("none"), never).error().code(), ErrorCode::not_found);
  auto folder = open_source(path("."), never);
  ASSERT_TRUE(folder.has_value());
  EXPECT_EQ((*folder)->next().error().code(), ErrorCode::io);
}

TEST_F(ByteSources, EndWhenTheUserWishes) {
  Interrupt interrupt;
  interrupt.arm();
  write("f", "x");
  auto source = open_source(path("f"), interrupt);
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(*(*source)->next(), "x");
  ASSERT_EQ(::raise(SIGINT), 0);
  EXPECT_EQ((*source)->next().error().code(), ErrorCode::cancelled);
}

}  // namespace
}  // namespace rookery::transfer
