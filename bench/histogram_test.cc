// SPDX-License-Identifier: Apache-2.0
#include "histogram.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/test_seed.h"

namespace rookery::bench {
namespace {

TEST(Histogram, IsWithinThreePercentOfTheExactQuantile) {
  std::mt19937_64 random(test_seed());
  Histogram histogram;
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t value = random() >> (random() % 60);
    values.push_back(value);
    histogram.add(value);
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(histogram.count(), values.size());
  EXPECT_EQ(histogram.max(), values.back());
  for (const double share : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(values.size()));
    const std::uint64_t exact = values[std::min(values.size() - 1, rank == 0 ? 0 : rank - 1)];
    EXPECT_GE(histogram.quantile(share), exact) << share;
    EXPECT_LE(static_cast<double>(histogram.quantile(share)), 1.035 * static_cast<double>(exact))
        << share;
  }
}

TEST(Histogram, KeepsSmallValuesExactlyAndTheLargestThereIs) {
  Histogram histogram;
  EXPECT_EQ(histogram.quantile(0.5), 0U);
  for (std::uint64_t value = 0; value < 64; ++value) {
    histogram.add(value);
  }
  EXPECT_EQ(histogram.quantile(0.5), 31U);
  histogram.add(~0ULL);
  EXPECT_EQ(histogram.quantile(1), ~0ULL);
}

TEST(Histogram, MergesAsIfOneHadSeenAll) {
  Histogram left;
  Histogram right;
  Histogram both;
  for (std::uint64_t value = 1; value < 100'000; value += 7) {
    (value % 2 == 0 ? left : right).add(value);
    both.add(value);
  }
  left.merge(right);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> merged;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> whole;
  left.for_each([&](auto bound, auto count) { merged.emplace_back(bound, count); });
  both.for_each([&](auto bound, auto count) { whole.emplace_back(bound, count); });
  EXPECT_EQ(merged, whole);
}

}  // namespace
}  // namespace rookery::bench
