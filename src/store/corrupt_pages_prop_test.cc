// SPDX-License-Identifier: Apache-2.0
// Structures over pages whose bytes are not what was written: every call answers with a value or an
// error. The address sanitizer watches what is loaded, and the fake poisons what may not be.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/store/fixed_tree.h"
#include "rookery/store/tree.h"

#include "structure_test_support.h"
#include "table_test_support.h"

namespace rookery::store {
namespace {

constexpr int kRounds = 60;
constexpr int kCallsPerRound = 60;
// A walk over damaged pages may be longer than the structure; it need not end in this test.
constexpr int kStepsMax = 5'000;

// What one round saw.
struct Tally {
  int calls = 0;
  int errors = 0;
  int wrong_codes = 0;      // errors other than corrupt
  std::uint64_t bytes = 0;  // of what was viewed, summed: a load of each byte

  template <typename T>
  bool ok(const Result<T>& result) {
    ++calls;
    if (result.has_value()) {
      return true;
    }
    ++errors;
    wrong_codes += result.error().code() == ErrorCode::corrupt ? 0 : 1;
    return false;
  }
};

std::uint64_t random_page(FakePages& pages, Prng& prng) {
  const auto runs = pages.runs();
  const auto skip = static_cast<std::ptrdiff_t>(prng.below(runs.size()));
  return std::next(runs.begin(), skip)->first;
}

// Damages a few bytes: in headers, in the slots behind them, or anywhere before the trailer.
void damage(FakePages& pages, Prng& prng) {
  const std::uint64_t count = 1 + prng.below(6);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::byte* page = pages.corrupt_bytes(PageNo(random_page(pages, prng)));
    std::uint64_t at = kPageHeaderSize + prng.below(kPageCapacity);
    if (!prng.chance(3)) {
      at = prng.chance(4) ? 8 + prng.below(24) : kPageHeaderSize + prng.below(120);
    }
    const bool whole_byte = prng.chance(2);
    page[at] = whole_byte ? static_cast<std::byte>(prng.below(256))
                          : page[at] ^ static_cast<std::byte>(1U << prng.below(8));
  }
}

// Reads all bytes, so that the sanitizer sees a view that leaves its page.
std::uint64_t sum(Bytes bytes) {
  std::uint64_t total = 0;
  for (const std::byte byte : bytes) {
    total += static_cast<std::uint64_t>(byte);
  }
  return total;
}

// Walks with any cursor, either way.
template <typename Cursor, typename Read>
void walk(Cursor cursor, bool forward, Tally& tally, const Read& read) {
  Result<bool> more = forward ? cursor.first() : cursor.last();
  for (int steps = 0; tally.ok(more) && *more && steps < kStepsMax; ++steps) {
    read(cursor);
    more = forward ? cursor.next() : cursor.previous();
  }
}

// What the checker says; it must never fail itself.
template <typename Check>
std::string problems_of(const Check& check) {
  std::string problems;
  std::map<std::uint64_t, int> seen;
  const StructureVisitor visitor{
      .visit_page = [&](PageNo number, std::uint32_t) -> Result<bool> {
        return ++seen[number.value()] == 1;
      },
      .problem = [&](std::string problem) { problems += problem + "\n"; }};
  EXPECT_TRUE(check(visitor).has_value());
  return problems;
}

// Counts a change's outcome; one that failed is rolled back, as the contract of PageWriter demands.
template <typename State, typename T>
void settle(FakePages& pages, State& state, const State& before, Tally& tally,
            const Result<T>& result) {
  if (!tally.ok(result)) {
    pages.rollback();
    state = before;
  }
}

std::string tree_key(Prng& prng) {
  const std::uint64_t number = prng.below(400);
  return number % 3 == 0 ? std::string(600, 'p') + std::to_string(number) : std::to_string(number);
}

std::string tree_value(Prng& prng) {
  return std::string(prng.chance(12) ? prng.below(30'000) : prng.below(200), 'v');
}

void use_tree(FakePages& pages, TreeRoot root, Prng& prng, Tally& tally) {
  const TreeRoot before = root;
  MutableTree tree(pages, root);
  const auto read = [&](const TreeCursor& cursor) {
    if (const Result<TreeEntry> entry = cursor.entry(); tally.ok(entry)) {
      tally.bytes += sum(entry->key) + sum(entry->value);
    }
  };
  walk(tree.view().cursor(), true, tally, read);
  walk(tree.view().cursor(), false, tally, read);
  for (int call = 0; call < kCallsPerRound; ++call) {
    const std::string key = tree_key(prng);
    if (const auto found = tree.get(as_bytes(key)); tally.ok(found) && found->has_value()) {
      tally.bytes += sum(**found);
    }
    TreeCursor cursor = tree.view().cursor();
    tally.ok(cursor.seek(as_bytes(key)));
    tally.ok(cursor.seek_last_at_or_before(as_bytes(key)));
    if (prng.chance(2)) {
      settle(pages, root, before, tally, tree.erase(as_bytes(key)));
    } else {
      settle(pages, root, before, tally, tree.put(as_bytes(key), as_bytes(tree_value(prng))));
    }
  }
  tally.ok(tree.clear());
}

TEST(CorruptPages, OfATreeAreAnsweredWithErrors) {
  Prng prng(test_seed());
  Tally tally;
  int rounds_with_problems = 0;
  for (int round = 0; round < kRounds; ++round) {
    FakePages pages;
    TreeRoot root{.owner = 7};
    for (int i = 0; i < 300; ++i) {
      const std::string key = tree_key(prng);
      ASSERT_TRUE(
          MutableTree(pages, root).put(as_bytes(key), as_bytes(tree_value(prng))).has_value());
    }
    pages.commit();
    damage(pages, prng);
    const std::string problems = problems_of(
        [&](const StructureVisitor& visitor) { return check_tree(pages, root, visitor); });
    rounds_with_problems += problems.empty() ? 0 : 1;
    use_tree(pages, root, prng, tally);
  }
  EXPECT_EQ(tally.wrong_codes, 0);
  EXPECT_GT(tally.errors, kRounds);
  EXPECT_GT(tally.bytes, 0U);
  EXPECT_GT(rounds_with_problems, kRounds / 5);
}

void use_fixed_tree(FakePages& pages, TreeRoot root, Prng& prng, Tally& tally) {
  const TreeRoot before = root;
  MutableFixedTree tree(pages, root);
  const auto read = [&](const FixedTreeCursor& cursor) {
    tally.bytes += sum(cursor.entry().value);
  };
  walk(tree.view().cursor(), true, tally, read);
  walk(tree.view().cursor(), false, tally, read);
  const std::string value(root.value_size, 'v');
  for (int call = 0; call < kCallsPerRound; ++call) {
    const auto key = static_cast<std::int64_t>(prng.below(800));
    if (const auto found = tree.view().get(key); tally.ok(found) && found->has_value()) {
      tally.bytes += sum(**found);
    }
    FixedTreeCursor cursor = tree.view().cursor();
    tally.ok(cursor.seek(key));
    tally.ok(cursor.seek_last_at_or_before(key));
    if (prng.chance(2)) {
      settle(pages, root, before, tally, tree.erase(key));
    } else {
      settle(pages, root, before, tally, tree.put(key, as_bytes(value)));
    }
  }
  tally.ok(tree.clear());
}

TEST(CorruptPages, OfAFixedSizeTreeAreAnsweredWithErrors) {
  Prng prng(test_seed());
  Tally tally;
  int rounds_with_problems = 0;
  for (int round = 0; round < kRounds; ++round) {
    FakePages pages;
    TreeRoot root{.owner = 9, .value_size = 200};
    const std::string value(root.value_size, 'v');
    for (int i = 0; i < 500; ++i) {
      const auto key = static_cast<std::int64_t>(prng.below(800));
      ASSERT_TRUE(MutableFixedTree(pages, root).put(key, as_bytes(value)).has_value());
    }
    pages.commit();
    damage(pages, prng);
    const std::string problems = problems_of(
        [&](const StructureVisitor& visitor) { return check_fixed_tree(pages, root, visitor); });
    rounds_with_problems += problems.empty() ? 0 : 1;
    use_fixed_tree(pages, root, prng, tally);
  }
  EXPECT_EQ(tally.wrong_codes, 0);
  EXPECT_GT(tally.errors, kRounds);
  EXPECT_GT(tally.bytes, 0U);
  EXPECT_GT(rounds_with_problems, kRounds / 5);
}

TestRow random_row(Prng& prng) {
  const std::uint64_t number = prng.below(150);
  return {.id = std::string(40, 'i') + std::to_string(number),
          .number = static_cast<std::int64_t>(number),
          .tag = std::string(prng.below(3) * 100, 't'),
          .body = std::string(prng.chance(12) ? prng.below(30'000) : prng.below(900), 'b')};
}

void use_table(FakePages& pages, TableState state, Prng& prng, Tally& tally) {
  const TableState before = state;
  MutableTable table(pages, kTestSchema, state);
  int steps = 0;
  const auto read = [&](auto, Bytes row) -> Result<bool> {
    tally.bytes += sum(row);
    return ++steps < kStepsMax;
  };
  for (const bool descending : {false, true}) {
    tally.ok(table.view().scan_primary({}, descending, read));
    tally.ok(table.view().scan_index(kByTag, {}, descending, read));
    tally.ok(table.view().scan_int64(kByNumber, 70, descending, read));
  }
  for (int call = 0; call < kCallsPerRound; ++call) {
    const TestRow row = random_row(prng);
    for (const auto& found :
         {table.view().get(as_bytes(row.id)), table.view().get_by(kByNumber, row.number)}) {
      if (tally.ok(found) && found->has_value()) {
        tally.bytes += sum(**found);
      }
    }
    switch (prng.below(3)) {
      case 0:
        settle(pages, state, before, tally, table.erase(as_bytes(row.id)));
        break;
      case 1:
        settle(pages, state, before, tally, table.move_row(as_bytes(row.id)));
        break;
      default:
        settle(pages, state, before, tally, table.put(as_bytes(row.encode())));
    }
  }
}

TEST(CorruptPages, OfATableAreAnsweredWithErrors) {
  Prng prng(test_seed());
  Tally tally;
  int rounds_with_problems = 0;
  for (int round = 0; round < kRounds; ++round) {
    FakePages pages;
    TableState state = TableState::create(kTestSchema, 20);
    MutableTable table(pages, kTestSchema, state);
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(table.put(as_bytes(random_row(prng).encode())).has_value());
    }
    pages.commit();
    damage(pages, prng);
    const std::string problems = problems_of([&](const StructureVisitor& visitor) {
      return check_table(pages, state, &kTestSchema, visitor);
    });
    rounds_with_problems += problems.empty() ? 0 : 1;
    use_table(pages, state, prng, tally);
  }
  EXPECT_GT(tally.errors, kRounds);
  EXPECT_GT(tally.bytes, 0U);
  EXPECT_GT(rounds_with_problems, kRounds / 5);
}

}  // namespace
}  // namespace rookery::store
