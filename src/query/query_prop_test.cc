// SPDX-License-Identifier: Apache-2.0
// parse(print(tree)) is the tree, for random trees; and whatever a damaged query parses to, if it
// does, prints to a text that parses to the same.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/query/parse.h"
#include "rookery/query/print.h"

#include "example_queries.h"
#include "random_query.h"

namespace rookery::query {
namespace {

TEST(QueryProperty, PrintedTreesParseToThemselves) {
  constexpr int kRounds = 4'000;
  Prng prng(test_seed());
  for (int round = 0; round < kRounds; ++round) {
    // Small trees first: the first failure is then easy to read.
    const Query query = RandomQuery(prng, 1 + static_cast<std::uint64_t>(round) / 800).query();
    const std::string text = print(query);
    const auto parsed = parse(text);
    ASSERT_TRUE(parsed.has_value()) << text << "\n" << parsed.error().message();
    ASSERT_EQ(*parsed, query) << text << "\n" << print(*parsed);
  }
}

// Cuts, repeats, moves or replaces a few pieces of the text.
std::string damaged(Prng& prng, std::string text) {
  constexpr std::array<std::string_view, 24> kPieces = {
      "(",      ")",        "'",       "\"",    ",",    ".",    "[]",        "{",
      "}",      " and ",    " or ",    " not ", " as ", " in ", " between ", "= 1 ",
      " from ", " select ", " order ", "`",     "/",    "$p",   "\\",        " all in ("};
  for (std::uint64_t edits = 1 + prng.below(3); edits > 0; --edits) {
    const std::size_t at = prng.below(text.size() + 1);
    const std::size_t size = std::min<std::size_t>(prng.below(12), text.size() - at);
    switch (prng.below(4)) {
      case 0:
        text.erase(at, size);
        break;
      case 1:
        text.insert(at, text.substr(at, size));
        break;
      case 2:
        text.insert(prng.below(text.size() + 1), text.substr(at, size));
        break;
      default:
        text.replace(at, prng.chance(2) ? 0 : size, kPieces[prng.below(kPieces.size())]);
    }
  }
  return text;
}

TEST(QueryProperty, WhateverParsesPrintsToItself) {
  constexpr int kRounds = 8'000;
  Prng prng(test_seed());
  int parsed_count = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::string_view example = kExampleQueries[prng.below(kExampleQueries.size())];
    const std::string text = damaged(prng, std::string(example));
    const auto first = parse(text);
    if (!first.has_value()) {
      ASSERT_NE(first.error().message().find(" at "), std::string_view::npos) << text;
      continue;
    }
    ++parsed_count;
    const std::string printed = print(*first);
    const auto second = parse(printed);
    ASSERT_TRUE(second.has_value()) << text << "\n" << printed << "\n" << second.error().message();
    ASSERT_EQ(*first, *second) << text << "\n" << printed;
  }
  // Otherwise the test shows nothing.
  EXPECT_GT(parsed_count, kRounds / 20);
}

}  // namespace
}  // namespace rookery::query
