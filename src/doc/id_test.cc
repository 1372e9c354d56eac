// SPDX-License-Identifier: Apache-2.0
#include "rookery/doc/id.h"

#include <array>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/doc/document.h"

namespace rookery::doc {
namespace {

TEST(DocumentId, HasFourForms) {
  EXPECT_EQ(*classify_id("", '/'), IdForm::kGuid);
  EXPECT_EQ(*classify_id("users/", '/'), IdForm::kEtag);
  EXPECT_EQ(*classify_id("users|", '/'), IdForm::kIdentity);
  EXPECT_EQ(*classify_id("users/1-A", '/'), IdForm::kLiteral);
  EXPECT_EQ(*classify_id("users-", '-'), IdForm::kEtag);
  EXPECT_EQ(*classify_id("users/", '-'), IdForm::kLiteral);
}

TEST(DocumentId, RefusesASeparatorAlone) {
  EXPECT_EQ(classify_id("/", '/').error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(classify_id("|", '/').error().code(), ErrorCode::invalid_argument);
}

TEST(DocumentId, MayHaveFiveHundredAndTwelveBytesOfUtf8) {
  EXPECT_TRUE(classify_id(std::string(kIdSizeMax, 'x'), '/').has_value());
  EXPECT_EQ(classify_id(std::string(kIdSizeMax + 1, 'x'), '/').error().code(),
            ErrorCode::too_large);
  EXPECT_EQ(classify_id("users/\xff", '/').error().code(), ErrorCode::malformed);
}

TEST(DocumentId, FormatsGuidsAndEtags) {
  std::array<std::byte, 16> random{};
  random.fill(std::byte{0xff});
  EXPECT_EQ(format_guid(random), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  random.fill(std::byte{0});
  EXPECT_EQ(format_guid(random), "00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(padded_etag(42), "0000000000000000042");
  EXPECT_EQ(padded_etag(9223372036854775807ULL), "9223372036854775807");
}

TEST(IdPattern, KnowsWildcardsAndAlternatives) {
  EXPECT_TRUE(IdPattern("*").matches(""));
  EXPECT_TRUE(IdPattern("1*").matches("1-a"));
  EXPECT_FALSE(IdPattern("1*").matches("21"));
  EXPECT_TRUE(IdPattern("?").matches("7"));
  EXPECT_FALSE(IdPattern("?").matches(""));
  EXPECT_FALSE(IdPattern("?").matches("77"));
  EXPECT_TRUE(IdPattern("1|2*|?x").matches("2-a"));
  EXPECT_TRUE(IdPattern("1|2*|?x").matches("3x"));
  EXPECT_FALSE(IdPattern("1|2*|?x").matches("10"));
  EXPECT_TRUE(IdPattern("*a*b").matches("xaxbab"));
  EXPECT_FALSE(IdPattern("*a*b").matches("xaxbac"));
  EXPECT_TRUE(IdPattern("").empty());
}

TEST(IdPattern, IgnoresCaseAndCountsCharactersNotBytes) {
  EXPECT_TRUE(IdPattern("ABC*").matches("abcd"));
  EXPECT_TRUE(IdPattern("?").matches("\xc3\xa4"));  // one character of two bytes
  EXPECT_FALSE(IdPattern("??").matches("\xc3\xa4"));
  EXPECT_TRUE(IdPattern("\xc3\x84*").matches("\xc3\xa4x"));  // capital and small a with dots
}

// The definition, without cleverness.
bool matches_slowly(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) {
    return text.empty();
  }
  if (pattern[0] == '*') {
    return matches_slowly(pattern.substr(1), text) ||
           (!text.empty() && matches_slowly(pattern, text.substr(1)));
  }
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         matches_slowly(pattern.substr(1), text.substr(1));
}

TEST(IdPattern, AgreesWithItsDefinition) {
  Prng random(test_seed());
  const auto word = [&random](std::string_view alphabet, std::uint64_t size_max) {
    std::string text;
    for (std::uint64_t size = random.below(size_max + 1); size > 0; --size) {
      text += alphabet[random.below(alphabet.size())];
    }
    return text;
  };
  for (int i = 0; i < 50'000; ++i) {
    const std::string pattern = word("ab*?", 7);
    const std::string text = word("ab", 8);
    if (!pattern.empty()) {
      EXPECT_EQ(IdPattern(pattern).matches(text), matches_slowly(pattern, text))
          << pattern << " on " << text;
    }
  }
}

}  // namespace
}  // namespace rookery::doc
