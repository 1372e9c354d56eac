// SPDX-License-Identifier: Apache-2.0
// What a page of 25 reads doesn't grow with the index: each question is asked of an index of a
// thousand entries and of one of a hundred thousand, and what it read stays within one bound. Where
// the total has to be counted match by match, the question has as many matches in both.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "test_index.h"

namespace rookery::search {
namespace {

constexpr std::uint64_t kPage = 25;

struct Bounds {
  std::uint64_t pages = 0;
  std::uint64_t terms = 0;
  std::uint64_t postings = 0;
  std::uint64_t entries = kPage;
};

SortKey by(std::string field, bool descending = false) {
  SortKey key;
  key.field = std::move(field);
  key.descending = descending;
  return key;
}

Node is(std::string field, std::string_view text) {
  return {TermIs{std::move(field), string_term(text)}};
}

Node both(Node a, Node b) {
  And node;
  node.terms.push_back(std::move(a));
  node.terms.push_back(std::move(b));
  return {std::move(node)};
}

Node between(std::string field, std::int64_t low, std::int64_t high) {
  return {Range{std::move(field), Bound{integer_term(low), true}, Bound{integer_term(high), true}}};
}

std::vector<SortKey> one(SortKey key) {
  std::vector<SortKey> order;
  order.push_back(std::move(key));
  return order;
}

// A unique number out of order and as text, one of two sides, of ten colours and of eight grades
// that have nothing to do with the number, the words of a text, and a group of ten entries.
class PageCost : public ::testing::Test {
 protected:
  static constexpr std::int64_t kSmall = 1'000;
  static constexpr std::int64_t kBig = 100'000;

  static std::vector<FieldValues> fields_of(std::int64_t i, std::int64_t count) {
    const std::int64_t unique = (i * 7919) % count;
    Prng prng(static_cast<std::uint64_t>(i) + 1);
    std::string digits = std::to_string(unique);
    return {plain("unique", {integer_term(unique)}),
            plain("text", {string_term("u" + std::string(6 - digits.size(), '0') + digits)}),
            plain("side", {string_term(prng.chance(2) ? "left" : "right")}),
            plain("colour", {string_term("colour" + std::to_string(prng.below(10)))}),
            plain("grade", {integer_term(static_cast<std::int64_t>(prng.below(8)))}),
            plain("tags", {string_term("tag" + std::to_string(prng.below(3))),
                           string_term("tag" + std::to_string(3 + prng.below(3)))}),
            plain("group", {integer_term(i / 10)})};
  }

  static std::unique_ptr<TestIndex> filled(std::int64_t count) {
    auto index = std::make_unique<TestIndex>();
    for (std::int64_t first = 0; first < count; first += 10'000) {
      const Result<void> done = index->write([&](IndexWriter& writer) -> Result<void> {
        for (std::int64_t i = first; i < std::min(count, first + 10'000); ++i) {
          const std::string key = "e" + std::to_string(i);
          RK_TRY(writer.put(key, key, fields_of(i, count)));
        }
        return {};
      });
      EXPECT_TRUE(done.has_value()) << done.error().to_string();
    }
    return index;
  }

  // Once for all tests: none of them changes them.
  static void SetUpTestSuite() {
    small_ = filled(kSmall);
    big_ = filled(kBig);
  }

  static void TearDownTestSuite() {
    small_.reset();
    big_.reset();
  }

  static void expect_page_within(TestIndex& index, const Request& request, const Bounds& bounds) {
    const TestIndex::Answer answer = index.search(request);
    EXPECT_EQ(answer.hits.size(), std::min(kPage, answer.summary.total));
    EXPECT_GE(answer.summary.total, 5U);
    const Counters& counters = answer.summary.counters;
    EXPECT_LE(counters.pages, bounds.pages);
    EXPECT_LE(counters.terms, bounds.terms);
    EXPECT_LE(counters.postings, bounds.postings);
    EXPECT_LE(counters.entries, bounds.entries);
  }

  // `make` gives the condition; it is asked twice.
  template <typename Make>
  static void expect_within(const Bounds& bounds, Make make, std::vector<SortKey> order = {}) {
    for (TestIndex* const index : {small_.get(), big_.get()}) {
      SCOPED_TRACE(index == small_.get() ? "small" : "big");
      Request request;
      request.where = make();
      request.order = order;
      request.take = kPage;
      expect_page_within(*index, request, bounds);
    }
  }

  static std::unique_ptr<TestIndex> small_;
  static std::unique_ptr<TestIndex> big_;
};

std::unique_ptr<TestIndex> PageCost::small_;
std::unique_ptr<TestIndex> PageCost::big_;

TEST_F(PageCost, OfAllInOrder) {
  const auto all = [] { return Node{All{}}; };
  expect_within({.pages = 150, .terms = 30, .postings = 30}, all, one(by("unique")));
  expect_within({.pages = 150, .terms = 30, .postings = 30}, all, one(by("unique", true)));
  expect_within({.pages = 150, .terms = 30, .postings = 1'100}, all, one(by("grade")));
  expect_within({.pages = 150, .terms = 0, .postings = 1'100}, all);
}

TEST_F(PageCost, OfOneListOrSeveral) {
  expect_within({.pages = 150, .terms = 2, .postings = 1'100},
                [] { return is("colour", "colour3"); });
  expect_within({.pages = 150, .terms = 2, .postings = 1'100}, [] { return is("tags", "tag1"); });
  expect_within({.pages = 150, .terms = 2, .postings = 1'100}, [] { return Node{Exists{"side"}}; });
  const auto in = [] {
    return Node{
        TermIn{"colour", {string_term("colour1"), string_term("colour2"), string_term("colour3")}}};
  };
  expect_within({.pages = 150, .terms = 3, .postings = 3'300}, in);
  // Few terms are as good as a list of them.
  expect_within({.pages = 150, .terms = 3, .postings = 3'300},
                [] { return between("grade", 2, 4); });
  expect_within({.pages = 150, .terms = 10, .postings = 10'300}, [] {
    return Node{Suffix{"side", "t"}};
  });
}

TEST_F(PageCost, OfAListInOrder) {
  // Half of the entries: 50 steps of the order's dictionary or so, a look at each entry.
  expect_within(
      {.pages = 1'000, .terms = 200, .postings = 6'000, .entries = 200},
      [] { return is("side", "left"); }, one(by("unique", true)));
  // A tenth.
  expect_within(
      {.pages = 4'000, .terms = 1'000, .postings = 25'000, .entries = 1'000},
      [] { return is("colour", "colour3"); }, one(by("unique")));
  expect_within(
      {.pages = 1'000, .terms = 200, .postings = 10'000, .entries = 200},
      [] { return between("grade", 2, 5); }, one(by("unique")));
  // What everything has is no condition.
  expect_within(
      {.pages = 150, .terms = 40, .postings = 30}, [] { return both({Exists{"side"}}, {All{}}); },
      one(by("unique")));
}

TEST_F(PageCost, OfAsManyMatchesInBoth) {
  expect_within({.pages = 500, .terms = 150, .postings = 150},
                [] { return between("unique", 300, 399); });
  expect_within({.pages = 500, .terms = 150, .postings = 150}, [] {
    return Node{Prefix{"text", "u0005"}};
  });
  expect_within(
      {.pages = 1'000, .terms = 800, .postings = 800, .entries = 200},
      [] { return between("unique", 300, 399); }, one(by("text", true)));
}

TEST_F(PageCost, OfAFewThatProbeABigList) {
  // Half of ten entries, and the blocks of the others' lists that they are in.
  expect_within({.pages = 300, .terms = 10, .postings = 2'100, .entries = 10}, [] {
    return both(is("side", "left"), {TermIs{"group", integer_term(42)}});
  });
}

TEST_F(PageCost, OfAnOrderThatHasToDoWithTheCondition) {
  // The walk would pass everything that is higher; it gives way to sorting the matches.
  expect_within(
      {.pages = 8'000, .terms = 8'500, .postings = 7'500, .entries = 1'025},
      [] { return between("unique", 0, 999); }, one(by("text", true)));
}

}  // namespace
}  // namespace rookery::search
