// SPDX-License-Identifier: Apache-2.0
#include "articles.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace rookery::bench {
namespace {

TEST(Articles, WordsAreUniqueAndTheirFrequencyFalls) {
  std::set<std::string> words;
  for (std::uint64_t rank = 0; rank < kVocabulary; ++rank) {
    words.insert(word_of(rank));
  }
  EXPECT_EQ(words.size(), kVocabulary);
  std::map<std::uint64_t, int> seen;
  Prng prng(1);
  for (int i = 0; i < 100'000; ++i) {
    ++seen[zipf(prng, kVocabulary)];
  }
  // ln((r + 3.7) / (r + 2.7)) / ln(50,002.7 / 2.7) of all: 3.2 % of rank 0, 0.1 % of rank 98.
  EXPECT_NEAR(seen[0], 3208, 300);
  EXPECT_NEAR(seen[98], 101, 50);
  EXPECT_LT(seen.rbegin()->first, kVocabulary);
}

TEST(Articles, TheSameNumberIsTheSameArticle) {
  EXPECT_EQ(article_json(7), article_json(7));
  std::set<std::string> dates;
  std::set<std::string> references;
  for (std::uint64_t number = 0; number < 5000; ++number) {
    const Article made = article(number);
    dates.insert(made.published_at);
    references.insert(made.reference);
    ASSERT_FALSE(made.tags.empty());
    ASSERT_EQ(article_json(number).find_first_of("\\\t\n"), std::string::npos);
  }
  EXPECT_EQ(dates.size(), 5000U);
  EXPECT_EQ(references.size(), 5000U);
  EXPECT_EQ(published_at(0), "2015-01-01T00:00:00.0000000");
}

}  // namespace
}  // namespace rookery::bench
