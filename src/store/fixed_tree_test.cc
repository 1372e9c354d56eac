// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/fixed_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

#include "fixed_node.h"
#include "structure_test_support.h"

namespace rookery::store {
namespace {

class FixedTreeTest : public testing::Test {
 protected:
  void put(std::int64_t key) {
    const std::string value(root_.value_size, static_cast<char>('a' + (key & 15)));
    ASSERT_TRUE(tree().put(key, as_bytes(value)).has_value());
  }

  bool erase(std::int64_t key) {
    const Result<bool> result = tree().erase(key);
    EXPECT_TRUE(result.has_value());
    return result.has_value() && *result;
  }

  MutableFixedTree tree() { return {pages_, root_}; }

  FakePages pages_;
  TreeRoot root_{.owner = 9, .value_size = 8};
};

TEST_F(FixedTreeTest, IsEmptyWithoutPages) {
  EXPECT_FALSE(tree().view().get(1)->has_value());
  EXPECT_FALSE(erase(1));
  FixedTreeCursor cursor = tree().view().cursor();
  EXPECT_FALSE(*cursor.first());
  EXPECT_FALSE(*cursor.seek_last_at_or_before(5));
  put(1);
  EXPECT_TRUE(erase(1));
  EXPECT_EQ(pages_.page_count(), 0U);
}

TEST_F(FixedTreeTest, HoldsTheWholeRangeOfKeys) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t i = 0; i < 2'000; ++i) {
    put(kMin + i);
    put(kMax - i);
    put(i - 1'000);
  }
  EXPECT_EQ(audit_fixed_tree(pages_, root_), "");
  FixedTreeCursor cursor = tree().view().cursor();
  ASSERT_TRUE(*cursor.first());
  EXPECT_EQ(cursor.entry().key, kMin);
  EXPECT_FALSE(*cursor.previous());
  ASSERT_TRUE(*cursor.seek(kMax));
  EXPECT_EQ(cursor.entry().key, kMax);
  EXPECT_FALSE(*cursor.next());
  ASSERT_TRUE(*cursor.seek_last_at_or_before(kMin + 5'000));
  EXPECT_EQ(cursor.entry().key, kMin + 1'999);
}

TEST_F(FixedTreeTest, KeepsPagesFullWhenKeysAscendOrDescend) {
  for (std::int64_t i = 0; i < 50'000; ++i) {
    put(i);
  }
  const std::uint64_t full = 50'000 / fixed_node_capacity(8) + 1;
  EXPECT_EQ(root_.leaf_pages, full);
  EXPECT_EQ(audit_fixed_tree(pages_, root_), "");
  ASSERT_TRUE(tree().clear().has_value());
  EXPECT_EQ(pages_.page_count(), 0U);
  for (std::int64_t i = 50'000; i > 0; --i) {
    put(i);
  }
  EXPECT_EQ(root_.leaf_pages, full);
  EXPECT_EQ(audit_fixed_tree(pages_, root_), "");
}

TEST_F(FixedTreeTest, BoundsItsSpaceWhileAnythingIsErased) {
  Prng prng(test_seed());
  std::vector<std::int64_t> order(30'000);
  std::iota(order.begin(), order.end(), 0);
  for (const std::int64_t key : order) {
    put(key);
  }
  std::shuffle(order.begin(), order.end(), prng);
  for (std::size_t erased = 0; erased < order.size(); ++erased) {
    ASSERT_TRUE(erase(order[erased]));
    const std::size_t left = order.size() - erased - 1;
    ASSERT_LE(root_.leaf_pages, left * 3 / fixed_node_capacity(8) + 1);
    if (erased % 5'000 == 0) {
      ASSERT_EQ(audit_fixed_tree(pages_, root_), "");
    }
  }
  EXPECT_EQ(pages_.page_count(), 0U);
}

// Enough leaves that branches split, merge and vanish, too.
TEST_F(FixedTreeTest, StaysSoundWithThreeLevelsOnTheWayUpAndDown) {
  root_.value_size = 256;
  Prng prng(test_seed());
  std::vector<std::int64_t> order(30'000);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), prng);
  for (const std::int64_t key : order) {
    put(key);
  }
  ASSERT_EQ(root_.depth, 3);
  ASSERT_GT(root_.branch_pages, 3U);
  ASSERT_EQ(audit_fixed_tree(pages_, root_), "");
  std::shuffle(order.begin(), order.end(), prng);
  std::uint64_t branch_pages = root_.branch_pages;
  for (std::size_t erased = 0; erased < order.size(); ++erased) {
    ASSERT_TRUE(erase(order[erased]));
    if (root_.branch_pages != branch_pages || erased % 5'000 == 0) {
      branch_pages = root_.branch_pages;
      ASSERT_EQ(audit_fixed_tree(pages_, root_), "");
      const std::int64_t left = order[order.size() - 1];
      ASSERT_EQ(tree().view().get(left)->has_value(), erased + 1 < order.size());
    }
  }
  EXPECT_EQ(pages_.page_count(), 0U);
}

TEST_F(FixedTreeTest, AnswersCorruptForTheWrongValueSizeOrOwner) {
  put(1);
  TreeRoot other = root_;
  other.value_size = 16;
  EXPECT_EQ(FixedTree(pages_, other).get(1).error().code(), ErrorCode::corrupt);
  other = root_;
  other.owner = 1;
  EXPECT_EQ(FixedTree(pages_, other).get(1).error().code(), ErrorCode::corrupt);
  other = root_;
  other.value_size = 257;
  EXPECT_EQ(FixedTree(pages_, other).get(1).error().code(), ErrorCode::corrupt);
}

}  // namespace
}  // namespace rookery::store
