// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/prng.h"

namespace rookery::bench {

// Purpose. The documents that indexing and queries are measured with: articles of about 1 KB whose
// words, tags and authors are as unevenly common as in real text (Zipf and Mandelbrot's law).
// Article `number` is the same in every run and for every contender.
// Threads: any; there is no state.

inline constexpr std::uint64_t kVocabulary = 50'000;
inline constexpr std::uint64_t kAuthors = 5'000;
inline constexpr std::uint64_t kTags = 200;
inline constexpr std::uint64_t kViewsEnd = 1'000'000;

// A rank below `count`; the frequency of each falls with the rank.
inline std::uint64_t zipf(Prng& prng, std::uint64_t count) {
  constexpr double kShift = 2.7;
  const double share = static_cast<double>(prng.below(1U << 30U)) / (1U << 30U);
  const double rank = kShift * std::pow((static_cast<double>(count) + kShift) / kShift, share);
  return std::min(count - 1, static_cast<std::uint64_t>(rank - kShift));
}

// The word of a rank: syllables, more of them for rarer words. No two ranks share a word, and none
// is an English stop word.
inline std::string word_of(std::uint64_t rank) {
  constexpr std::string_view kConsonants = "bcdfghjklmnprstvwxyz";
  constexpr std::string_view kVowels = "aeiou";
  constexpr std::uint64_t kSyllables = kConsonants.size() * kVowels.size();
  std::string word;
  for (std::uint64_t rest = rank;; rest = rest / kSyllables - 1) {
    word += kConsonants[rest % kConsonants.size()];
    word += kVowels[rest / kConsonants.size() % kVowels.size()];
    if (rest < kSyllables) {
      break;
    }
  }
  return rank < kSyllables ? word + "s" : word;
}

// Words with a capital letter and a full stop every dozen words or so.
inline std::string text_of(Prng& prng, std::uint64_t words) {
  std::string text;
  bool begins = true;
  for (std::uint64_t i = 0; i < words; ++i) {
    const bool ends = i + 1 == words || prng.below(12) == 0;
    std::string word = word_of(zipf(prng, kVocabulary));
    if (begins) {
      word[0] = static_cast<char>(word[0] - 'a' + 'A');
    }
    text += word + (ends ? (i + 1 == words ? "." : ". ") : " ");
    begins = ends;
  }
  return text;
}

struct Article {
  std::string id;
  std::string title;
  std::string body;
  std::string category;
  std::string author_id;
  std::string author_name;
  std::vector<std::string> tags;    // 1 to 5, each once
  std::uint64_t views = 0;          // evenly below kViewsEnd
  std::uint64_t rating_tenths = 0;  // 0 to 50
  std::string published_at;         // no two articles share it
  std::string reference;            // nor this; 14 characters that look random
};

// From 2015 to the middle of 2023, in seconds, scattered.
inline std::string published_at(std::uint64_t number) {
  using namespace std::chrono;
  constexpr std::uint64_t kSpan = std::uint64_t{1} << 28U;
  const sys_seconds time =
      sys_days(year(2015) / January / 1) + seconds((number * 0x9E3779B1U) % kSpan);
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.0000000",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

inline std::string reference_of(std::uint64_t number) {
  const std::uint64_t mixed = (number * 0x9E3779B97F4A7C15U) & 0xFFFF'FFFF'FFFFU;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04x-%04x-%04x", static_cast<unsigned>(mixed >> 32U),
                static_cast<unsigned>(mixed >> 16U & 0xFFFFU),
                static_cast<unsigned>(mixed & 0xFFFFU));
  return text.data();
}

inline Article article(std::uint64_t number) {
  constexpr std::array<std::string_view, 20> kCategories = {
      "Science", "Sports",  "Politics", "Music",  "Travel",  "Food",   "History",
      "Health",  "Finance", "Film",     "Books",  "Games",   "Nature", "Technology",
      "Art",     "Law",     "Fashion",  "Ethics", "Gardens", "Chess"};
  Prng prng(number + 1);
  Article made;
  made.id = "articles/" + std::to_string(number);
  made.title = text_of(prng, 3 + prng.below(6));
  made.body = text_of(prng, 40 + prng.below(81));
  made.category = kCategories[zipf(prng, kCategories.size())];
  const std::uint64_t author = zipf(prng, kAuthors);
  made.author_id = "authors/" + std::to_string(author);
  made.author_name = word_of(author % 97) + " " + word_of(100 + author);
  for (std::uint64_t i = 1 + prng.below(5); i > 0; --i) {
    std::string tag = "tag-" + word_of(100 + zipf(prng, kTags));
    if (std::find(made.tags.begin(), made.tags.end(), tag) == made.tags.end()) {
      made.tags.push_back(std::move(tag));
    }
  }
  made.views = prng.below(kViewsEnd);
  made.rating_tenths = prng.below(51);
  made.published_at = published_at(number);
  made.reference = reference_of(number);
  return made;
}

inline std::string rating_of(const Article& article) {
  return std::to_string(article.rating_tenths / 10) + "." +
         std::to_string(article.rating_tenths % 10);
}

// As JSON without its last brace, so that metadata may follow. No text needs an escape.
inline std::string article_members(const Article& article) {
  std::string text = R"({"Title":")" + article.title + R"(","Body":")" + article.body +
                     R"(","Category":")" + article.category + R"(","Author":{"Id":")" +
                     article.author_id + R"(","Name":")" + article.author_name + R"("},"Tags":[)";
  for (std::size_t i = 0; i < article.tags.size(); ++i) {
    text += (i == 0 ? "\"" : ",\"") + article.tags[i] + "\"";
  }
  return text + R"(],"Views":)" + std::to_string(article.views) + R"(,"Rating":)" +
         rating_of(article) + R"(,"PublishedAt":")" + article.published_at + R"(","Reference":")" +
         article.reference + "\"";
}

inline std::string article_json(std::uint64_t number) {
  return article_members(article(number)) + R"(,"@metadata":{"@collection":"Articles"}})";
}

}  // namespace rookery::bench
