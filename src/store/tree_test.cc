// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/tree.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

#include "structure_test_support.h"
#include "tree_node.h"

namespace rookery::store {
namespace {

class TreeTest : public testing::Test {
 protected:
  void put(const std::string& key, const std::string& value) {
    const Result<void> result = tree().put(as_bytes(key), as_bytes(value));
    ASSERT_TRUE(result.has_value()) << result.error().to_string();
  }

  bool erase(const std::string& key) {
    const Result<bool> result = tree().erase(as_bytes(key));
    EXPECT_TRUE(result.has_value()) << result.error().to_string();
    return result.has_value() && *result;
  }

  std::optional<std::string> get(const std::string& key) {
    const auto result = tree().get(as_bytes(key));
    EXPECT_TRUE(result.has_value());
    if (!result.has_value() || !result->has_value()) {
      return std::nullopt;
    }
    return std::string(as_text(**result));
  }

  std::vector<std::string> keys() {
    std::vector<std::string> found;
    TreeCursor cursor = tree().view().cursor();
    for (Result<bool> more = cursor.first(); *more; more = cursor.next()) {
      found.emplace_back(as_text(cursor.entry()->key));
    }
    return found;
  }

  MutableTree tree() { return {pages_, root_}; }

  FakePages pages_;
  TreeRoot root_{.owner = 7};
};

TEST_F(TreeTest, IsEmptyWithoutPages) {
  EXPECT_EQ(get("a"), std::nullopt);
  EXPECT_FALSE(erase("a"));
  EXPECT_TRUE(keys().empty());
  TreeCursor cursor = tree().view().cursor();
  EXPECT_FALSE(*cursor.last());
  EXPECT_FALSE(*cursor.seek(as_bytes("x")));
  EXPECT_FALSE(*cursor.seek_last_at_or_before(as_bytes("x")));
  EXPECT_EQ(pages_.page_count(), 0U);
}

TEST_F(TreeTest, FreesItsLastPageWithItsLastEntry) {
  put("a", "1");
  EXPECT_EQ(root_.depth, 1);
  EXPECT_TRUE(erase("a"));
  EXPECT_EQ(pages_.page_count(), 0U);
  EXPECT_EQ(root_.root_page, 0U);
  EXPECT_EQ(root_.leaf_pages, 0U);
}

TEST_F(TreeTest, RefusesKeysThatAreEmptyOrTooLong) {
  EXPECT_EQ(tree().put({}, as_bytes("v")).error().code(), ErrorCode::invalid_argument);
  const std::string long_key(kKeySizeMax + 1, 'k');
  EXPECT_EQ(tree().put(as_bytes(long_key), {}).error().code(), ErrorCode::invalid_argument);
  put(long_key.substr(1), "fits");
  EXPECT_EQ(get(long_key.substr(1)), "fits");
  EXPECT_EQ(get(long_key), std::nullopt);
}

TEST_F(TreeTest, KeepsValuesAroundEveryBoundaryOfSize) {
  const std::size_t inline_max = kNodeCellSizeMax - kNodeCellHeaderSize - kNodeSlotSize - 1;
  std::map<std::string, std::string> model;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, inline_max - 1, inline_max, inline_max + 1,
        kPageCapacity - 1, kPageCapacity, kPageCapacity + 1, page_run_capacity(2),
        page_run_capacity(2) + 1, page_run_capacity(129)}) {
    const std::string key(1, static_cast<char>('a' + model.size()));
    model[key] = std::string(size, key[0]);
    put(key, model[key]);
  }
  for (const auto& [key, value] : model) {
    EXPECT_EQ(get(key), value) << value.size();
  }
  EXPECT_EQ(root_.overflow_pages, 1U + 1 + 1 + 2 + 2 + 3 + 129);
  EXPECT_EQ(audit_tree(pages_, root_), "");
}

TEST_F(TreeTest, ViewsABigValueInPlace) {
  const std::string value(100'000, 'v');
  put("k", value);
  const auto first = tree().get(as_bytes("k"));
  const auto second = tree().get(as_bytes("k"));
  ASSERT_TRUE(first.has_value() && first->has_value());
  EXPECT_EQ((*first)->data(), (*second)->data());
  EXPECT_EQ((*first)->size(), value.size());
}

TEST_F(TreeTest, FreesTheOldRunWhenABigValueIsReplacedOrErased) {
  put("k", std::string(50'000, 'a'));
  put("k", std::string(20'000, 'b'));
  EXPECT_EQ(root_.overflow_pages, 3U);
  EXPECT_EQ(audit_tree(pages_, root_), "");
  put("k", "small");
  EXPECT_EQ(pages_.page_count(), 1U);
  put("k", std::string(20'000, 'c'));
  EXPECT_TRUE(erase("k"));
  EXPECT_EQ(pages_.page_count(), 0U);
}

TEST_F(TreeTest, KeepsPagesFullWhenKeysAscend) {
  for (int i = 0; i < 20'000; ++i) {
    put(fmt::format("users/{:08}", i), "0123456789");
  }
  const std::size_t cell = kNodeSlotSize + kNodeCellHeaderSize + 14 + 10;
  EXPECT_LE(root_.leaf_pages, 20'000 * cell / (kNodeSpace - cell) + 1);
  EXPECT_EQ(audit_tree(pages_, root_), "");
}

TEST_F(TreeTest, KeepsPagesFullWhenKeysDescend) {
  for (int i = 20'000; i > 0; --i) {
    put(fmt::format("users/{:08}", i), "0123456789");
  }
  const std::size_t cell = kNodeSlotSize + kNodeCellHeaderSize + 14 + 10;
  EXPECT_LE(root_.leaf_pages, 20'000 * cell / (kNodeSpace - cell) + 1);
  EXPECT_EQ(audit_tree(pages_, root_), "");
}

// Ascending keys of several groups at once, as an index of collections and etags receives them.
TEST_F(TreeTest, KeepsPagesNearlyFullWhenSeveralGroupsAscendByTurns) {
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) {
    put(fmt::format("group{}/{:08}", i % 7, i), "0123456789");
  }
  const std::size_t cell = kNodeSlotSize + kNodeCellHeaderSize + 15 + 10;
  EXPECT_LE(root_.leaf_pages, kCount * cell * 5 / 4 / kNodeSpace);
  EXPECT_EQ(audit_tree(pages_, root_), "");
}

// The order that would leave one entry a page, were every insert at a leaf's end taken for ascent.
TEST_F(TreeTest, IsNotFooledByDescendingKeysBehindAFullLeaf) {
  for (int i = 0; i < 5'000; ++i) {
    put(fmt::format("a{:08}", i), "0123456789");
    put(fmt::format("z{:08}", 90'000'000 - i), "0123456789");
    put(fmt::format("m{:08}", 90'000'000 - i), "0123456789");
  }
  const std::size_t cell = kNodeSlotSize + kNodeCellHeaderSize + 9 + 10;
  EXPECT_LE(root_.leaf_pages, 15'000 * cell * 5 / 2 / kNodeSpace);
  EXPECT_EQ(audit_tree(pages_, root_), "");
}

TEST_F(TreeTest, WalksBothWaysAndSeeksBothSides) {
  for (int i = 0; i < 3'000; ++i) {
    put(fmt::format("{:06}", i * 2), std::to_string(i));
  }
  TreeCursor cursor = tree().view().cursor();
  int expected = 5'998;
  for (Result<bool> more = cursor.last(); *more; more = cursor.previous()) {
    ASSERT_EQ(as_text(cursor.entry()->key), fmt::format("{:06}", expected));
    expected -= 2;
  }
  EXPECT_EQ(expected, -2);
  for (int i = 1; i < 5'998; i += 2) {
    ASSERT_TRUE(*cursor.seek(as_bytes(fmt::format("{:06}", i))));
    ASSERT_EQ(as_text(cursor.entry()->key), fmt::format("{:06}", i + 1));
    ASSERT_TRUE(*cursor.seek_last_at_or_before(as_bytes(fmt::format("{:06}", i))));
    ASSERT_EQ(as_text(cursor.entry()->key), fmt::format("{:06}", i - 1));
  }
  EXPECT_FALSE(*cursor.seek(as_bytes("9")));
  EXPECT_FALSE(*cursor.next());
  EXPECT_FALSE(*cursor.seek_last_at_or_before(as_bytes("!")));
  EXPECT_TRUE(*cursor.seek(as_bytes("!")));
  EXPECT_EQ(as_text(cursor.entry()->key), "000000");
}

TEST_F(TreeTest, BoundsItsSpaceWhileAnythingIsErased) {
  Prng prng(test_seed());
  std::vector<int> order(20'000);
  std::iota(order.begin(), order.end(), 0);
  for (const int i : order) {
    put(fmt::format("{:08}", i), "0123456789");
  }
  std::shuffle(order.begin(), order.end(), prng);
  const std::size_t cell = kNodeSlotSize + kNodeCellHeaderSize + 8 + 10;
  for (std::size_t erased = 0; erased < order.size(); ++erased) {
    ASSERT_TRUE(erase(fmt::format("{:08}", order[erased])));
    const std::size_t bytes_left = (order.size() - erased - 1) * cell;
    // A third of each page on average, and one page over.
    ASSERT_LE(root_.leaf_pages, bytes_left * 3 / kNodeSpace + 1);
    if (erased % 2'500 == 0) {
      ASSERT_EQ(audit_tree(pages_, root_), "");
    }
  }
  EXPECT_EQ(pages_.page_count(), 0U);
}

TEST_F(TreeTest, ShrinksWhenItsValuesShrink) {
  for (int i = 0; i < 1'000; ++i) {
    put(fmt::format("{:08}", i), std::string(2'500, 'x'));
  }
  for (int i = 0; i < 1'000; ++i) {
    put(fmt::format("{:08}", i), "");
  }
  EXPECT_LE(root_.leaf_pages,
            1'000U * (kNodeSlotSize + kNodeCellHeaderSize + 8) * 3 / kNodeSpace + 1);
  EXPECT_EQ(audit_tree(pages_, root_), "");
}

TEST_F(TreeTest, ClearFreesEveryPage) {
  for (int i = 0; i < 500; ++i) {
    put(std::to_string(i), std::string(static_cast<std::size_t>(i) * 20, 'x'));
  }
  ASSERT_TRUE(tree().clear().has_value());
  EXPECT_EQ(pages_.page_count(), 0U);
  EXPECT_EQ(root_.owner, 7U);
  EXPECT_EQ(audit_tree(pages_, root_), "");
  put("again", "1");
  EXPECT_EQ(get("again"), "1");
}

TEST_F(TreeTest, ChangesOnePageForASmallPut) {
  for (int i = 0; i < 5'000; ++i) {
    put(fmt::format("{:08}", i), "0123456789");
  }
  pages_.commit();
  put("00002500", "9876543210");
  EXPECT_EQ(pages_.modified_pages(), 1U);
}

TEST_F(TreeTest, AnswersCorruptForAPageOfAnotherStructure) {
  put("a", "1");
  const TreeRoot other{.root_page = root_.root_page, .owner = 8, .depth = 1};
  EXPECT_EQ(Tree(pages_, other).get(as_bytes("a")).error().code(), ErrorCode::corrupt);
  const TreeRoot deeper{.root_page = root_.root_page, .owner = 7, .depth = 2};
  EXPECT_EQ(Tree(pages_, deeper).get(as_bytes("a")).error().code(), ErrorCode::corrupt);
  const TreeRoot endless{.root_page = root_.root_page, .owner = 7, .depth = 33};
  EXPECT_EQ(Tree(pages_, endless).get(as_bytes("a")).error().code(), ErrorCode::corrupt);
}

}  // namespace
}  // namespace rookery::store
