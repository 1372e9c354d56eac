// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/table_state.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

namespace rookery::store {
namespace {

bool no_key(Bytes, KeyBuffer&) {
  return false;
}

constexpr std::array<IndexSchema, 2> kIndexes{
    {{"etag", IndexKind::kInt64, no_key}, {"collection", IndexKind::kBytes, no_key}}};
constexpr std::array<IndexSchema, 2> kIndexesSwapped{{kIndexes[1], kIndexes[0]}};
const TableSchema kSchema{"docs", {"id", IndexKind::kBytes, no_key}, kIndexes};

TableState example() {
  TableState state = TableState::create(kSchema, 10);
  state.generation_next = 77;
  state.fill_page = 5;
  state.primary.entry_count = 9;
  state.secondary[0].root.root_page = 33;
  return state;
}

TEST(TableState, GivesEachStructureItsOwnOwner) {
  const TableState state = TableState::create(kSchema, 10);
  EXPECT_EQ(state.rows_owner, 10U);
  EXPECT_EQ(state.space.owner, 11U);
  EXPECT_EQ(state.primary.owner, 12U);
  EXPECT_EQ(state.secondary[0].root.owner, 13U);
  EXPECT_EQ(state.secondary[1].root.owner, 14U);
  EXPECT_EQ(TableState::owner_count(kSchema), 5U);
}

TEST(TableState, ComesBackFromItsBytes) {
  const std::string bytes = example().encode();
  auto state = TableState::decode(as_bytes(bytes));
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->encode(), bytes);
  EXPECT_EQ(state->generation_next, 77U);
  EXPECT_EQ(state->secondary[0].name, "etag");
  EXPECT_EQ(state->secondary[0].root.root_page, 33U);
}

TEST(TableState, BindsIndexesByNameInTheSchemasOrder) {
  auto state = TableState::decode(as_bytes(example().encode()));
  ASSERT_TRUE(state.has_value());
  const TableSchema swapped{"docs", kSchema.primary, kIndexesSwapped};
  ASSERT_TRUE(state->bind(swapped).has_value());
  EXPECT_EQ(state->secondary[0].name, "collection");
  EXPECT_EQ(state->secondary[1].root.root_page, 33U);
  const TableSchema fewer{"docs", kSchema.primary, std::span(kIndexes).first(1)};
  EXPECT_EQ(state->bind(fewer).error().code(), ErrorCode::not_supported);
}

TEST(TableState, RefusesBytesThatAreCutLongOrNewer) {
  const std::string bytes = example().encode();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(TableState::decode(as_bytes(bytes).first(size)).has_value()) << size;
  }
  EXPECT_FALSE(TableState::decode(as_bytes(bytes + "x")).has_value());
  std::string newer = bytes;
  newer[0] = 2;
  EXPECT_EQ(TableState::decode(as_bytes(newer)).error().code(), ErrorCode::incompatible);
}

TEST(TableState, RefusesRootsThatNoTableHas) {
  TableState state = example();
  state.space.value_size = 1;
  EXPECT_EQ(TableState::decode(as_bytes(state.encode())).error().code(), ErrorCode::corrupt);
  state = example();
  state.secondary[0].root.value_size = 7;
  EXPECT_EQ(TableState::decode(as_bytes(state.encode())).error().code(), ErrorCode::corrupt);
}

}  // namespace
}  // namespace rookery::store
