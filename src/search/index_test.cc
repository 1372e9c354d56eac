// SPDX-License-Identifier: Apache-2.0
// The index as its users see it: what is put is found, in the order asked for.
#include <optional>

#include <gtest/gtest.h>

#include "test_index.h"

namespace rookery::search {
namespace {

Bound at_least(std::int64_t value) {
  return {.term = integer_term(value), .inclusive = true};
}

template <typename... Nodes>
Node all_of(Nodes... nodes) {
  And conjunction;
  (conjunction.terms.push_back(Node{std::move(nodes)}), ...);
  return {std::move(conjunction)};
}

template <typename... Nodes>
Node any_of(Nodes... nodes) {
  Or disjunction;
  (disjunction.terms.push_back(Node{std::move(nodes)}), ...);
  return {std::move(disjunction)};
}

template <typename What>
Node negate(What what) {
  Not negation;
  negation.term = std::make_unique<Node>(Node{std::move(what)});
  return {std::move(negation)};
}

class People : public ::testing::Test {
 protected:
  void SetUp() override {
    add("anna", "London", 30);
    add("bob", "Paris", 25);
    add("carl", "london town", std::nullopt);
    add("dora", "Rome", 41);
    index_.put("eve", {plain("city", {})});
  }

  void add(std::string_view key, std::string_view city, std::optional<int> age) {
    std::vector<FieldValues> fields = {plain("city", {string_term(city)})};
    fields.push_back(plain("age", {age ? integer_term(*age) : null_term()}));
    index_.put(key, std::move(fields));
  }

  void TearDown() override { EXPECT_EQ(index_.problems(), ""); }

  TestIndex index_;
};

TEST_F(People, AreFoundByEveryKindOfCondition) {
  EXPECT_EQ(index_.found({All{}}), "anna bob carl dora eve");
  EXPECT_EQ(index_.found({None{}}), "");
  EXPECT_EQ(index_.found({Exists{"age"}}), "anna bob carl dora");
  EXPECT_EQ(index_.found({TermIs{"city", string_term("Paris")}}), "bob");
  EXPECT_EQ(index_.found({TermIs{"nowhere", string_term("Paris")}}), "");
  EXPECT_EQ(index_.found({TermIn{"age", {integer_term(25), integer_term(41)}}}), "bob dora");
  EXPECT_EQ(index_.found({Range{"age", at_least(30), std::nullopt}}), "anna dora");
  EXPECT_EQ(index_.found({Prefix{"city", "L"}}), "anna");
  EXPECT_EQ(index_.found({Suffix{"city", "on"}}), "anna");
  EXPECT_EQ(index_.found({Wildcard{"city", "*o*n"}}), "anna carl");
  EXPECT_EQ(index_.found({Regex{"city", "^lon", true}}), "anna carl");
  EXPECT_EQ(index_.found({Regex{"city", "^lon", false}}), "carl");
  EXPECT_EQ(index_.found({Fuzzy{"city", "Pairs", 1}}), "bob");
  EXPECT_EQ(index_.found({KeyIn{{"dora", "zoe", "anna"}}}), "anna dora");
  EXPECT_EQ(index_.found({KeyPrefix{"c"}}), "carl");
  EXPECT_EQ(index_.found({KeyRange{Bound{"bob", false}, Bound{"dora", true}}}), "carl dora");
  EXPECT_EQ(index_.found(all_of(KeyPrefix{""}, Range{"age", at_least(26), std::nullopt})),
            "anna dora");
  EXPECT_EQ(index_.found(any_of(KeyPrefix{"a"}, TermIs{"age", integer_term(25)})), "anna bob");
  EXPECT_EQ(index_.found(negate(Exists{"age"})), "eve");
}

TEST_F(People, ComeInEveryOrder) {
  EXPECT_EQ(index_.found({All{}}, {by(SortBy::kValue, "age")}), "eve carl bob anna dora");
  EXPECT_EQ(index_.found({All{}}, {by(SortBy::kValue, "age", true)}), "dora anna bob carl eve");
  EXPECT_EQ(index_.found({All{}}, {by(SortBy::kLong, "age")}), "carl eve bob anna dora");
  EXPECT_EQ(index_.found({All{}}, {by(SortBy::kText, "city")}), "eve anna bob dora carl");
  EXPECT_EQ(index_.found({All{}}, {by(SortBy::kKey, "", true)}), "eve dora carl bob anna");
  SortKey last = by(SortBy::kValue, "age");
  last.missing = SortKey::Missing::kLast;
  EXPECT_EQ(index_.found({All{}}, {last}), "carl bob anna dora eve");
}

TEST_F(People, ReplacedAndErasedAreGone) {
  add("bob", "Berlin", 26);
  index_.erase("anna");
  EXPECT_EQ(index_.found({All{}}), "carl dora eve bob");
  EXPECT_EQ(index_.found({TermIs{"city", string_term("Paris")}}), "");
  EXPECT_EQ(index_.found({TermIs{"city", string_term("Berlin")}}), "bob");
  index_.reopen();
  EXPECT_EQ(index_.found({Exists{"age"}}), "carl dora bob");
}

TEST_F(People, OnePutTwiceInABatchIsThereOnce) {
  const Result<void> done = index_.write([](IndexWriter& writer) -> Result<void> {
    const std::vector<FieldValues> first = {plain("city", {string_term("Oslo")})};
    const std::vector<FieldValues> second = {plain("city", {string_term("Bern")})};
    RK_TRY(writer.put("fred", "fred", first));
    RK_TRY(writer.put("fred", "fred", second));
    RK_TRY(writer.put("gina", "gina", first));
    RK_TRY_ASSIGN(const bool erased, writer.erase("gina"));
    EXPECT_TRUE(erased);
    RK_TRY_ASSIGN(const bool again, writer.erase("gina"));
    EXPECT_FALSE(again);
    return {};
  });
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(index_.found({TermIs{"city", string_term("Oslo")}}), "");
  EXPECT_EQ(index_.found({TermIs{"city", string_term("Bern")}}), "fred");
}

TEST(FullText, FindsWordsPhrasesAndTheBestFirst) {
  TestIndex index;
  index.put("1", {full_text("text", "The quick brown fox jumps over the lazy dog")});
  index.put("2", {full_text("text", "A dog. A lazy, lazy dog!")});
  index.put("3", {full_text("text", "Foxes are quick")});
  EXPECT_EQ(index.found({TermIs{"text", string_term("lazy")}}), "1 2");
  EXPECT_EQ(index.found({TermIs{"text", string_term("lazy")}}, {by(SortBy::kScore, "", true)}),
            "2 1");
  Analyzer analyzer;
  EXPECT_EQ(index.found({Phrase{"text", analyzer.analyze("brown fox"), 0}}), "1");
  EXPECT_EQ(index.found({Phrase{"text", analyzer.analyze("quick fox"), 0}}), "");
  EXPECT_EQ(index.found({Phrase{"text", analyzer.analyze("quick fox"), 1}}), "1");
  EXPECT_EQ(index.found({Phrase{"text", analyzer.analyze("over the lazy"), 0}}), "1");
  EXPECT_EQ(index.found({Phrase{"text", analyzer.analyze("dog lazy"), 0}}), "");
  EXPECT_EQ(index.found({Phrase{"text", analyzer.analyze("dog lazy"), 2}}), "1 2");
  EXPECT_EQ(index.problems(), "");
}

}  // namespace
}  // namespace rookery::search
