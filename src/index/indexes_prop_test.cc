// SPDX-License-Identifier: Apache-2.0
// What an index finds is what plan::matches() says of each document, after any puts and deletes, at
// any moment that the index calls itself up to date.
#include <algorithm>
#include <map>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

#include "expected_ids.h"
#include "random_conditions.h"
#include "test_indexes.h"

namespace rookery::index {
namespace {

constexpr int kRounds = 60;
constexpr int kQueriesARound = 12;

void change_documents(TestIndexes& test, Prng& prng, RandomConditions& random) {
  test.write([&](doc::DocumentWriter& writer) {
    for (std::uint64_t i = prng.below(6); i > 0; --i) {
      const std::string id = "users/" + std::to_string(prng.below(9));
      if (prng.chance(4)) {
        ASSERT_TRUE(writer.erase({.id = id}).has_value());
      } else {
        TestIndexes::put_in(writer, id, random.document(), prng.chance(4) ? "Dogs" : "Users");
      }
    }
  });
}

TEST(IndexesProperty, FindWhatMatches) {
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Prng prng(seed);
  RandomConditions random(prng);
  Settings settings;
  settings.superseded_kept = std::chrono::milliseconds(1);
  settings.batch_documents_max = prng.chance(2) ? 3 : 30;
  if (prng.chance(2)) {
    // Every document from a snapshot of its own.
    settings.slice_time = os::Duration::zero();
    settings.items_a_look = 1;
    settings.snapshot_time_max = os::Duration::zero();
  }
  TestIndexes test(settings);
  int compared = 0;
  for (int round = 0; round < kRounds && !testing::Test::HasFailure(); ++round) {
    if (prng.chance(12)) {
      test.reopen();
    }
    change_documents(test, prng, random);
    for (int i = 0; i < kQueriesARound && !testing::Test::HasFailure(); ++i) {
      const bool all = prng.chance(4);
      const std::string text =
          std::string(all ? "from @all_docs" : "from Users") + " where " + random.condition(2);
      const bool waits = !prng.chance(3);
      const Result<Answer> answer = test.ask(
          text, "{}", waits ? std::optional<os::Duration>(std::chrono::seconds(30)) : std::nullopt);
      const auto wanted = expected_ids(test, text, all ? "" : "Users");
      if (!wanted.has_value()) {
        EXPECT_FALSE(answer.has_value()) << text;
        continue;
      }
      ASSERT_TRUE(answer.has_value()) << text << ": " << answer.error().to_string();
      if (answer->is_stale()) {
        EXPECT_FALSE(waits) << text;
        continue;
      }
      ++compared;
      EXPECT_EQ(answer->sorted_ids(), *wanted) << text;
      EXPECT_EQ(answer->total(), static_cast<std::int64_t>(wanted->size())) << text;
    }
  }
  EXPECT_GT(compared, kRounds);
  const auto problems = test.indexes().verify();
  ASSERT_TRUE(problems.has_value());
  EXPECT_THAT(*problems, testing::IsEmpty());
}

}  // namespace
}  // namespace rookery::index
