// SPDX-License-Identifier: Apache-2.0
// Every loop of a search whose length depends on what is stored asks whether to go on, about as
// often as its work demands.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "test_index.h"

namespace rookery::search {
namespace {

constexpr std::uint64_t kCount = 6000;
// Looks at terms, or their worth in work, between two questions; see Snapshot::tick().
constexpr std::uint64_t kWorkAQuestion = 256;

std::string key_of(std::uint64_t number) {
  return "e" + std::to_string(10'000 + number);
}

struct Case {
  std::string what;
  std::uint64_t questions_min = 0;
  Request request;
};

// Thousands of entries: a unique number, a unique text, one word that all of them have.
class Limits : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = std::make_unique<TestIndex>();
    const Result<void> done = shared_->write([](IndexWriter& writer) -> Result<void> {
      for (std::uint64_t i = 0; i < kCount; ++i) {
        const std::vector<FieldValues> fields = {
            plain("unique", {integer_term(static_cast<std::int64_t>(i))}),
            plain("name", {string_term("name" + std::to_string(i))}),
            full_text("text", "common words of entry" + std::to_string(i))};
        RK_TRY(writer.put(key_of(i), "", fields));
      }
      return {};
    });
    ASSERT_TRUE(done.has_value()) << done.error().to_string();
  }

  static void TearDownTestSuite() { shared_.reset(); }

  // One hit is shown, so that hits are not what asks.
  static void add(std::vector<Case>& cases, std::string what, std::uint64_t work, Node where,
                  std::vector<SortKey> order = {}) {
    Case& one = cases.emplace_back();
    one.what = std::move(what);
    one.questions_min = work / kWorkAQuestion;
    one.request.where = std::move(where);
    one.request.order = std::move(order);
    one.request.take = 1;
  }

  static std::vector<Case> conditions() {
    std::vector<Case> cases;
    add(cases, "suffix", kCount * 8, {Suffix{"name", "zzz"}});
    add(cases, "regex", kCount * 8, {Regex{"name", "z+$", true}});
    add(cases, "wildcard", kCount * 8, {Wildcard{"name", "*z?z"}});
    add(cases, "fuzzy", kCount * 8, {Fuzzy{"name", "nothing", 1}});
    add(cases, "prefix", kCount, {Prefix{"name", "name"}});
    add(cases, "range", kCount, {Range{"unique", Bound{integer_term(0), true}, std::nullopt}});
    add(cases, "keys from", kCount, {KeyRange{Bound{"e", true}, std::nullopt}});
    add(cases, "keys that begin", kCount, {KeyPrefix{"e"}});
    TermIn terms{"unique", {}, false};
    KeyIn keys;
    TermIn few{"unique", {}, false};
    for (std::uint64_t i = 0; i < kCount; ++i) {
      terms.terms.push_back(integer_term(static_cast<std::int64_t>(i)));
      keys.keys.push_back(key_of(i));
      if (i < kCount / 32) {
        few.terms.push_back(terms.terms.back());
      }
    }
    add(cases, "in", kCount, {std::move(terms)});
    add(cases, "id in", kCount, {std::move(keys)});
    add(cases, "phrase", kCount * 8, {Phrase{"text", {{"common", 0}, {"words", 1}}, 0}});
    And probed;
    probed.terms.push_back({std::move(few)});
    probed.terms.push_back({Regex{"name", "z+$", true}});
    add(cases, "records instead of a scan", kCount / 32 * 16, {std::move(probed)});
    return cases;
  }

  static std::vector<Case> orders() {
    std::vector<Case> cases;
    add(cases, "sorted by records", kCount * 8, {All{}}, {by(SortBy::kAlphaNumeric, "name")});
    add(cases, "sorted at random", kCount, {All{}}, {by(SortBy::kRandom, "")});
    add(cases, "walk to a far page", kCount - 1, {All{}}, {by(SortBy::kValue, "unique")});
    cases.back().request.skip = kCount - 1;
    add(cases, "walk over keys to a far page", kCount - 1, {All{}}, {by(SortBy::kKey, "")});
    cases.back().request.skip = kCount - 1;
    Or many;
    for (int i = 0; i < 200; ++i) {
      many.terms.push_back({TermIs{"text", string_term("common")}});
    }
    add(cases, "scores of many parts", 300 * kWorkAQuestion, {std::move(many)});
    cases.back().request.with_scores = true;
    return cases;
  }

  void expect_questions(std::vector<Case> cases) {
    for (Case& one : cases) {
      std::uint64_t questions = 0;
      one.request.is_cancelled = [&questions] {
        ++questions;
        return false;
      };
      ASSERT_TRUE(index_.try_search(one.request).has_value()) << one.what;
      EXPECT_GE(questions, one.questions_min) << one.what;
      EXPECT_LE(questions, one.questions_min * 3 + 10) << one.what;
      // And each of them is listened to.
      for (const std::uint64_t last : {std::uint64_t{1}, questions / 2 + 1, questions}) {
        std::uint64_t asked = 0;
        one.request.is_cancelled = [&asked, last] { return ++asked == last; };
        const auto answer = index_.try_search(one.request);
        ASSERT_FALSE(answer.has_value()) << one.what;
        EXPECT_EQ(answer.error().code(), ErrorCode::cancelled) << one.what;
        EXPECT_EQ(asked, last) << one.what;
      }
    }
  }

  static std::unique_ptr<TestIndex> shared_;
  TestIndex& index_ = *shared_;
};

std::unique_ptr<TestIndex> Limits::shared_;

TEST_F(Limits, ConditionsAskWhetherToGoOn) {
  expect_questions(conditions());
}

TEST_F(Limits, OrdersAndScoresAskWhetherToGoOn) {
  expect_questions(orders());
}

// One text has a word a hundred thousand times and another one far behind: the words' places are
// looked for, not walked over, and long searches ask.
TEST(PhraseLimits, AWordThatATextHasVeryOftenIsNoTrap) {
  TestIndex index;
  constexpr std::uint32_t kOften = 100'000;
  std::vector<Token> tokens;
  for (std::uint32_t i = 0; i < kOften; ++i) {
    tokens.push_back({"often", i});
  }
  tokens.push_back({"rare", kOften + 100});
  index.put("1", {full_text("text", tokens)});
  Request request;
  request.where = {Phrase{"text", {{"often", 0}, {"rare", 1}}, 50}};
  std::uint64_t questions = 0;
  request.is_cancelled = [&questions] {
    ++questions;
    return false;
  };
  EXPECT_EQ(index.search(request).summary.total, 0U);
  EXPECT_GE(questions, kOften * 2 / kWorkAQuestion);
  request.is_cancelled = [&questions] { return --questions == 1; };
  const auto answer = index.try_search(request);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code(), ErrorCode::cancelled);
}

}  // namespace
}  // namespace rookery::search
