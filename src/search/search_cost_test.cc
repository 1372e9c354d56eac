// SPDX-License-Identifier: Apache-2.0
// What a search reads, and where it stops.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test_index.h"

namespace rookery::search {
namespace {

// Thousands of entries: a unique number, one of ten colours, one of a thousand shades.
class Cost : public ::testing::Test {
 protected:
  static constexpr std::int64_t kCount = 5000;

  // Once for all tests: none of them changes it.
  static void SetUpTestSuite() {
    shared_ = std::make_unique<TestIndex>();
    const Result<void> done = shared_->write([](IndexWriter& writer) -> Result<void> {
      for (std::int64_t i = 0; i < kCount; ++i) {
        const std::string key = "e" + std::to_string(i);
        const std::vector<FieldValues> fields = {
            plain("unique", {integer_term((i * 7919) % kCount)}),
            plain("colour", {string_term("colour" + std::to_string(i % 10))}),
            plain("shade", {string_term("shade" + std::to_string(i % 1000))}),
            plain("tenth", {number_term(static_cast<double>(i) / 10)})};
        RK_TRY(writer.put(key, key, fields));
      }
      return {};
    });
    ASSERT_TRUE(done.has_value()) << done.error().to_string();
  }

  static Request page_of(Node where, std::vector<SortKey> order) {
    Request request;
    request.where = std::move(where);
    request.order = std::move(order);
    request.take = 25;
    return request;
  }

  static void TearDownTestSuite() { shared_.reset(); }

  static std::unique_ptr<TestIndex> shared_;
  TestIndex& index_ = *shared_;
};

std::unique_ptr<TestIndex> Cost::shared_;

TEST_F(Cost, APageOfAllByAFieldReadsAPageOfRecords) {
  const TestIndex::Answer answer = index_.search(page_of({All{}}, {by(SortBy::kValue, "unique")}));
  EXPECT_EQ(answer.summary.total, static_cast<std::uint64_t>(kCount));
  ASSERT_EQ(answer.hits.size(), 25U);
  EXPECT_EQ(answer.hits[0].key, "e0");
  EXPECT_EQ(answer.summary.counters.entries, 25U);
  EXPECT_LE(answer.summary.counters.terms, 30U);
  EXPECT_LE(answer.summary.counters.pages, 150U);
}

TEST_F(Cost, APageOfMostByAFieldReadsAPageOfRecords) {
  And both;
  both.terms.push_back({Exists{"colour"}});
  both.terms.push_back(
      {Range{"shade", Bound{string_term("shade1"), true}, Bound{string_term("shade8"), true}}});
  const TestIndex::Answer answer =
      index_.search(page_of({std::move(both)}, {by(SortBy::kValue, "unique")}));
  ASSERT_EQ(answer.hits.size(), 25U);
  EXPECT_EQ(answer.summary.counters.entries, 25U);
}

TEST_F(Cost, APageOfAListReadsOneBlockOfIt) {
  const TestIndex::Answer answer =
      index_.search(page_of({TermIs{"colour", string_term("colour3")}}, {}));
  EXPECT_EQ(answer.summary.total, static_cast<std::uint64_t>(kCount) / 10);
  EXPECT_EQ(answer.summary.counters.entries, 25U);
  EXPECT_LE(answer.summary.counters.postings, 1024U);
}

TEST_F(Cost, AFewMatchesProbeBigListsAndScans) {
  And both;
  both.terms.push_back({TermIs{"unique", integer_term(77)}});
  both.terms.push_back({TermIs{"colour", string_term("colour3")}});
  both.terms.push_back({Range{"tenth", Bound{number_term(0), true}, std::nullopt}});
  const TestIndex::Answer answer = index_.search(page_of({std::move(both)}, {}));
  EXPECT_EQ(answer.summary.total, 1U);
  EXPECT_LE(answer.summary.counters.postings, 1100U);
  EXPECT_LE(answer.summary.counters.terms, 40U);
}

TEST_F(Cost, TiesOfAnOrderAreInTheOrderOfInsertion) {
  // Ten tenths have one whole number: e0 to e9 are 0, then e10 to e19 are 1.
  Request request = page_of({All{}}, {by(SortBy::kLong, "tenth")});
  request.explain = true;
  SortKey last = by(SortBy::kLong, "tenth");
  last.descending = true;
  const TestIndex::Answer up = index_.search(request);
  request.order = {last};
  const TestIndex::Answer down = index_.search(request);
  EXPECT_EQ(up.summary.plan.what, "walk in order");
  EXPECT_EQ(down.summary.plan.what, "walk in order");
  ASSERT_EQ(up.hits.size(), 25U);
  ASSERT_EQ(down.hits.size(), 25U);
  for (std::size_t i = 0; i < 25; ++i) {
    EXPECT_EQ(up.hits[i].key, "e" + std::to_string(i));
    const std::size_t expected = static_cast<std::size_t>(kCount) - 10 - i / 10 * 10 + i % 10;
    EXPECT_EQ(down.hits[i].key, "e" + std::to_string(expected));
  }
}

TEST_F(Cost, MemoryBeyondWhatIsAllowedIsAnErrorThatSaysWhatToDo) {
  Request request = page_of({All{}}, {by(SortBy::kAlphaNumeric, "shade")});
  request.take = ~std::uint64_t{0};
  request.memory_bytes_max = 100'000;
  const Result<TestIndex::Answer> all = index_.try_search(request);
  ASSERT_FALSE(all.has_value());
  EXPECT_EQ(all.error().code(), ErrorCode::too_large);
  EXPECT_NE(all.error().message().find("ask for a page"), std::string_view::npos);
  // The page fits.
  request.take = 25;
  EXPECT_EQ(index_.search(request).hits.size(), 25U);
  // And all of them fit where no heap is needed.
  request.order = {by(SortBy::kValue, "shade")};
  request.take = ~std::uint64_t{0};
  EXPECT_EQ(index_.search(request).hits.size(), static_cast<std::size_t>(kCount));
}

TEST_F(Cost, ASearchCanBeCancelledWhileItScans) {
  Request request = page_of({Suffix{"shade", "zzz"}}, {});
  std::uint64_t questions = 0;
  request.is_cancelled = [&questions] { return ++questions == 2; };
  const Result<TestIndex::Answer> answer = index_.try_search(request);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code(), ErrorCode::cancelled);
  EXPECT_EQ(questions, 2U);
}

TEST_F(Cost, AVisitorCanStop) {
  Result<store::ReadTxn> txn = index_.environment().begin_read();
  const Result<IndexReader> reader = IndexReader::open(*txn);
  Request request;
  request.where = {All{}};
  int count = 0;
  const Result<Summary> summary =
      reader->search(request, [&](const Hit& /*unused*/) -> Result<bool> { return ++count < 3; });
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(count, 3);
  EXPECT_EQ(summary->total, static_cast<std::uint64_t>(kCount));
}

TEST_F(Cost, WhatMakesNoSenseIsRefused) {
  const auto code = [&](Node where) {
    const auto answer = index_.try_search(page_of(std::move(where), {}));
    return answer ? ErrorCode::corrupt : answer.error().code();
  };
  EXPECT_EQ(code({Regex{"shade", "(", true}}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({Fuzzy{"shade", "x", kFuzzyEditsMax + 1}}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({Phrase{"shade", {{"x", 0}}, 0}}), ErrorCode::invalid_argument);
  Node deep{All{}};
  for (int i = 0; i < 1000; ++i) {
    deep = Node{Not{std::make_unique<Node>(std::move(deep))}};
  }
  EXPECT_EQ(code(std::move(deep)), ErrorCode::invalid_argument);
}

TEST_F(Cost, CutTermsAreCounted) {
  TestIndex index;
  index.put("long", {plain("shade", {string_term(std::string(600, 'x') + "zzz")})});
  const TestIndex::Answer answer = index.search(page_of({Suffix{"shade", "zzz"}}, {}));
  EXPECT_EQ(answer.summary.total, 0U);
  EXPECT_EQ(answer.summary.counters.cut_terms, 1U);
}

TEST(IndexWriter, RefusesWhatCannotBeAnEntry) {
  TestIndex index;
  index.put("1", {plain("plain", {}), full_text("text", "words")});
  const auto code = [&](std::string_view key, std::vector<FieldValues> fields) {
    const Result<void> done =
        index.write([&](IndexWriter& writer) { return writer.put(key, key, fields); });
    return done ? ErrorCode::corrupt : done.error().code();
  };
  EXPECT_EQ(code("", {}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(std::string(kEntryKeySizeMax + 1, 'k'), {}), ErrorCode::invalid_argument);
  EXPECT_EQ(code("2", {plain("", {})}), ErrorCode::invalid_argument);
  EXPECT_EQ(code("2", {plain("plain", {""})}), ErrorCode::invalid_argument);
  EXPECT_EQ(code("2", {plain("plain", {Term(kTermSizeMax + 1, 'x')})}),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code("2", {plain("plain", {}), plain("plain", {})}), ErrorCode::invalid_argument);
  EXPECT_EQ(code("2", {plain("text", {})}), ErrorCode::invalid_argument);
  EXPECT_EQ(code("2", {full_text("plain", "words")}), ErrorCode::invalid_argument);
  EXPECT_EQ(index.found({All{}}), "1");
  EXPECT_EQ(index.problems(), "");
}

}  // namespace
}  // namespace rookery::search
