// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/os/platform.h"

#include "page_table.h"

namespace rookery::store {
namespace {

// What the table should hold: page to (transaction, first byte of the image; none: tombstone).
struct Expected {
  std::uint64_t txn = 0;
  std::optional<std::byte> mark;
};

using Model = std::map<std::uint64_t, Expected>;

void expect_same(const PageTable& table, const Model& model) {
  auto at = table.next(PageNo(0));
  std::uint64_t images = 0;
  for (const auto& [page, expected] : model) {
    const PageEntry found = table.find(PageNo(page));
    ASSERT_FALSE(found.empty()) << page;
    ASSERT_EQ(found.txn(), expected.txn) << page;
    ASSERT_EQ(found.image() != nullptr, expected.mark.has_value()) << page;
    if (expected.mark) {
      ASSERT_EQ(found.image()->run.data[0], *expected.mark) << page;
      images += found.image()->page_count();
    }
    // The walk finds the same, in order, and nothing between.
    ASSERT_TRUE(at.has_value());
    ASSERT_EQ(at->first.value(), page);
    ASSERT_EQ(at->second.bits(), found.bits());
    at = table.next(PageNo(page + 1));
  }
  ASSERT_FALSE(at.has_value());
  ASSERT_EQ(table.entries, model.size());
  ASSERT_EQ(table.image_pages, images);
}

// One transaction of puts, frees and trims against the model.
void random_edit(PageTableEdit& edit, Model& model, std::uint64_t txn, Prng& prng,
                 ScratchPool& scratch) {
  if (prng.chance(4)) {
    const std::uint64_t up_to = txn - 1 - prng.below(std::min<std::uint64_t>(txn, 5));
    edit.trim(up_to);
    std::erase_if(model, [&](const auto& item) { return item.second.txn <= up_to; });
  }
  const std::uint64_t span = prng.chance(3) ? 300 : (prng.chance(2) ? 5'000 : 100'000'000);
  const std::uint64_t changes = prng.below(20);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const std::uint64_t page = prng.below(span);
    const auto count = static_cast<std::uint32_t>(1 + prng.below(prng.chance(4) ? 70 : 1));
    if (prng.chance(3)) {
      edit.put_tombstones(PageNo(page), count, txn);
      for (std::uint64_t at = page; at < page + count; ++at) {
        model[at] = {txn, std::nullopt};
      }
    } else {
      const ScratchRun run = scratch.allocate(count).value();
      run.data[0] = static_cast<std::byte>(prng.next());
      edit.put_image(PageNo(page), txn, run);
      model[page] = {txn, run.data[0]};
      for (std::uint64_t at = page + 1; at < page + count; ++at) {
        model[at] = {txn, std::nullopt};
      }
    }
  }
}

// Snapshots keep their view while later ones are made, rolled back and disposed of; nothing leaks.
TEST(PageTableProp, EverySnapshotKeepsItsViewAndNothingLeaks) {
  Prng prng(test_seed());
  ScratchPool scratch(os::real_platform(), "unused",
                      {.memory_bytes_max = 1ULL << 30U, .total_bytes_max = 1ULL << 30U});

  struct State {
    PageTable table;
    Model model;
    PageTableGarbage retired;
  };

  std::deque<State> states;
  states.push_back({});
  std::uint64_t edit_number = 1;
  for (std::uint64_t txn = 1; txn < 400; ++txn) {
    Model model = states.back().model;
    PageTableEdit edit(states.back().table, edit_number++, scratch);
    random_edit(edit, model, txn, prng, scratch);
    expect_same(edit.table(), model);
    if (prng.chance(5)) {
      continue;  // rolled back: the states before must not notice
    }
    PageTableDelta delta = edit.take();
    states.push_back({delta.table, std::move(model), std::move(delta.retired)});
    // The oldest go, in order, as readers close.
    while (states.size() > 1 + prng.below(6)) {
      states.pop_front();
      states.front().retired.dispose(scratch);
    }
    for (const State& state : states) {
      expect_same(state.table, state.model);
    }
    if (HasFatalFailure()) {
      FAIL() << "transaction " << txn;
    }
  }
  while (states.size() > 1) {
    states.pop_front();
    states.front().retired.dispose(scratch);
  }
  dispose_page_table(states.front().table, scratch);
  EXPECT_EQ(scratch.used_bytes(), 0U);
}

TEST(PageTable, FindsNothingBeyondItsHeight) {
  PageTable table;
  EXPECT_TRUE(table.find(PageNo(0)).empty());
  EXPECT_TRUE(table.find(PageNo(~std::uint64_t{0})).empty());
  EXPECT_FALSE(table.next(PageNo(0)).has_value());
}

}  // namespace
}  // namespace rookery::store
