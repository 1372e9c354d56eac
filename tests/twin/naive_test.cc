// SPDX-License-Identifier: Apache-2.0
// The naive evaluator against plan's: two independent readings of docs/rql.md over the same random
// documents and conditions. Fast, and without any index.
#include "naive.h"

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/plan/condition.h"
#include "rookery/query/parse.h"
#include "rookery/query/print.h"
#include "rookery/value/json.h"

#include "generator.h"

namespace rookery::twin {
namespace {

[[nodiscard]] bool has_search(const std::string& text) {
  return text.find("search(") != std::string::npos;
}

TEST(Naive, AgreesWithPlan) {
  constexpr int kRounds = 3'000;
  Prng prng(test_seed());
  Generator generator(prng);
  int matched = 0;
  int compared = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Document document = generator.document();
    const Question question = generator.question();
    const std::string text = query::print(question.query);
    if (!question.query.where || has_search(text)) {
      continue;
    }
    const auto parsed = query::parse(text);
    ASSERT_TRUE(parsed.has_value()) << text << "\n" << parsed.error().message();
    ASSERT_EQ(*parsed, question.query) << text;
    const auto parameters = value::parse_json(question.parameters.dump());
    const auto body = value::parse_json(document.body.dump());
    ASSERT_TRUE(parameters.has_value() && body.has_value());
    const auto condition = plan::compile_condition(
        *parsed->where, {.query = *parsed, .parameters = parameters->root(), .now = {}});
    ASSERT_TRUE(condition.has_value()) << text << "\n" << condition.error().message();
    const auto met = plan::matches(*condition, {.id = document.id,
                                                .body = body->root(),
                                                .collection = document.collection,
                                                .last_modified = "2026-01-01",
                                                .change_vector = "A:1"});
    ASSERT_TRUE(met.has_value()) << text;
    query::Query everywhere = question.query;
    everywhere.from = {.at = {},
                       .source = query::From::Source::kAllDocuments,
                       .name = "",
                       .revisions = false,
                       .alias = question.query.from.alias};
    const bool wanted = evaluate(everywhere, question.parameters, {document}).total == 1;
    ASSERT_EQ(*met, wanted) << text << "\n"
                            << question.parameters.dump() << "\n"
                            << document.id << ' ' << document.body.dump();
    ++compared;
    matched += wanted ? 1 : 0;
  }
  // Neither side is always right for nothing.
  EXPECT_GT(compared, kRounds / 2);
  EXPECT_GT(matched, compared / 10);
  EXPECT_LT(matched, compared - compared / 10);
}

TEST(Naive, ShowsNumbersAsTheirShortestText) {
  EXPECT_EQ(text(Json::parse("9007199254740992.0")), "9007199254740992");
  EXPECT_EQ(text(Json::parse("-0.0")), "0");
  EXPECT_EQ(text(Json::parse("1.10")), "1.1");
  EXPECT_EQ(text(Json::parse("0.30000000000000004")), "0.30000000000000004");
  EXPECT_EQ(text(Json::parse("9223372036854775807")), "9223372036854775807");
  EXPECT_EQ(text(Json(std::int64_t{9223372036854775807})), "9223372036854775807");
  EXPECT_EQ(text(Json::parse("18446744073709551615")), "1.8446744073709552e+19");
  EXPECT_EQ(text(Json::parse("1e300")), "1e+300");
  EXPECT_EQ(text(Json(true)), "true");
}

TEST(Naive, OrdersTextsWithNumbersInside) {
  EXPECT_LT(alphanumeric_order("a9", "a10"), 0);
  EXPECT_GT(alphanumeric_order("b1", "a2"), 0);
  EXPECT_LT(alphanumeric_order("a", "a1"), 0);
  EXPECT_EQ(alphanumeric_order("a1", "a1"), 0);
  EXPECT_NE(alphanumeric_order("a01", "a1"), 0);
}

}  // namespace
}  // namespace rookery::twin
