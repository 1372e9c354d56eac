// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

#include "bit_runs.h"
#include "free_map.h"

namespace rookery::store {
namespace {

class FakeBitmaps final : public FreeMapPages {
 public:
  Result<Bytes> read_bitmap(std::uint64_t region) override {
    ++reads;
    return Bytes(std::as_bytes(std::span(pages_.at(region))));
  }

  Result<MutableBytes> modify_bitmap(std::uint64_t region) override {
    return MutableBytes(std::as_writable_bytes(std::span(pages_.at(region))));
  }

  Result<MutableBytes> create_bitmap(std::uint64_t region) override {
    EXPECT_EQ(region, pages_.size());
    pages_.emplace_back(kPageCapacity / 8 + 1);
    return modify_bitmap(region);
  }

  int reads = 0;

 private:
  std::vector<std::vector<std::uint64_t>> pages_;
};

TEST(FreeMapProp, GivesOutNoPageTwiceAndLosesNone) {
  Prng prng(test_seed());
  FakeBitmaps pages;
  Meta meta;
  FreeMap map;
  std::map<std::uint64_t, std::uint32_t> taken;  // first page to count
  std::uint64_t in_use = 0;
  const auto overlaps = [&](std::uint64_t first, std::uint32_t count) {
    auto after = taken.lower_bound(first);
    if (after != taken.end() && after->first < first + count) {
      return true;
    }
    return after != taken.begin() && std::prev(after)->first + std::prev(after)->second > first;
  };
  for (int step = 0; step < 30'000; ++step) {
    if (taken.empty() || prng.below(100) < 55) {
      const std::uint32_t count =
          prng.chance(300) ? static_cast<std::uint32_t>(1 + prng.below(kRunPagesMax))
                           : static_cast<std::uint32_t>(1 + prng.below(prng.chance(5) ? 64 : 2));
      const auto first = map.take(pages, meta, count);
      ASSERT_TRUE(first.has_value());
      ASSERT_FALSE(overlaps(first->value(), count));
      ASSERT_NE(first->value() % kRegionPages, 0U);
      ASSERT_EQ(region_of(first->value()), region_of(first->value() + count - 1));
      taken[first->value()] = count;
      in_use += count;
    } else {
      auto victim = taken.lower_bound(prng.below(meta.page_count));
      if (victim == taken.end()) {
        victim = taken.begin();
      }
      const PageNo first(victim->first);
      ASSERT_TRUE(map.give(pages, meta, first, victim->second).has_value());
      // Twice is corruption, and changes nothing.
      ASSERT_EQ(map.give(pages, meta, first, victim->second).error().code(), ErrorCode::corrupt);
      in_use -= victim->second;
      taken.erase(victim);
    }
    const std::uint64_t bitmaps = (meta.page_count + kRegionPages - 1) / kRegionPages;
    ASSERT_EQ(in_use + meta.free_pages + bitmaps, meta.page_count);
    if (prng.chance(1000)) {
      map.forget();
    }
  }
}

TEST(FreeMap, TakesFreedPagesBeforeItGrows) {
  FakeBitmaps pages;
  Meta meta;
  FreeMap map;
  const PageNo a = map.take(pages, meta, 4).value();
  const PageNo b = map.take(pages, meta, 1).value();
  EXPECT_EQ(a.value(), 1U);
  EXPECT_EQ(b.value(), 5U);
  ASSERT_TRUE(map.give(pages, meta, a, 4).has_value());
  EXPECT_EQ(map.take(pages, meta, 2).value(), a);
  EXPECT_EQ(map.take(pages, meta, 3).value().value(), 6U);
  EXPECT_EQ(map.take(pages, meta, 2).value().value(), 3U);
  EXPECT_EQ(meta.page_count, 9U);
}

TEST(FreeMap, RefusesARunThatNoRegionHolds) {
  FakeBitmaps pages;
  Meta meta;
  FreeMap map;
  EXPECT_EQ(map.take(pages, meta, kRunPagesMax + 1).error().code(), ErrorCode::too_large);
  EXPECT_EQ(map.take(pages, meta, kRunPagesMax).value().value(), 1U);
  EXPECT_EQ(map.take(pages, meta, kRunPagesMax).value().value(), kRegionPages + 1);
}

TEST(BitRuns, FindsTheFirstRunThatFits) {
  Prng prng(test_seed());
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint64_t> words(4);
    for (auto& word : words) {
      word = prng.chance(3) ? ~std::uint64_t{0} : prng.next() | prng.next();
    }
    const std::size_t count = 1 + prng.below(80);
    const std::size_t from = prng.below(256);
    std::optional<std::size_t> expected;
    for (std::size_t first = from; first + count <= 256 && !expected; ++first) {
      bool all = true;
      for (std::size_t bit = first; bit < first + count; ++bit) {
        all = all && ((words[bit / 64] >> (bit % 64)) & 1) != 0;
      }
      if (all) {
        expected = first;
      }
    }
    ASSERT_EQ(find_set_run(words, count, from), expected);
    if (expected) {
      ASSERT_TRUE(all_set(words, *expected, count));
      clear_bits(words, *expected, count);
      ASSERT_FALSE(any_set(words, *expected, count));
    }
  }
}

}  // namespace
}  // namespace rookery::store
