// SPDX-License-Identifier: Apache-2.0
#include "import_state.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "folder_test_support.h"

namespace rookery::transfer {
namespace {

using ImportStates = FolderTest;

TEST_F(ImportStates, AreReadAsTheyWereWritten) {
  EXPECT_FALSE(load_state(path("s"))->has_value());
  ImportState state;
  state.target = "to \"there\"";
  state.record_count = 10;
  state.document_count = 8;
  state.reject_count = 2;
  state.rejects_bytes = 77;
  state.hash = 0xFEDCBA9876543210ULL;
  ASSERT_TRUE(save_state(path("s"), state).has_value());
  state.record_count = 11;
  ASSERT_TRUE(save_state(path("s"), state).has_value());
  EXPECT_FALSE(std::filesystem::exists(path("s.part")));
  const auto known = load_state(path("s"));
  ASSERT_TRUE(known.has_value() && known->has_value());
  EXPECT_EQ((*known)->target, state.target);
  EXPECT_EQ((*known)->record_count, 11U);
  EXPECT_EQ((*known)->document_count, 8U);
  EXPECT_EQ((*known)->reject_count, 2U);
  EXPECT_EQ((*known)->rejects_bytes, 77U);
  EXPECT_EQ((*known)->hash, state.hash);
  EXPECT_TRUE(remove_file(path("s")).has_value());
  EXPECT_TRUE(remove_file(path("s")).has_value());
  EXPECT_FALSE(load_state(path("s"))->has_value());
}

TEST_F(ImportStates, AreRefusedIfTheyAreNone) {
  for (const std::string text : {"", "{}", "[1", R"({"Format":2,"Target":"x"})"}) {
    write("s", text);
    EXPECT_EQ(load_state(path("s")).error().code(), ErrorCode::malformed) << text;
  }
}

TEST_F(ImportStates, HashDependsOnEveryRecordAndTheirOrder) {
  const std::uint64_t ab = add_to_hash(add_to_hash(0, "a"), "b");
  EXPECT_NE(ab, add_to_hash(add_to_hash(0, "b"), "a"));
  EXPECT_NE(ab, add_to_hash(add_to_hash(0, "a"), "c"));
  EXPECT_NE(ab, add_to_hash(0, "ab"));
}

}  // namespace
}  // namespace rookery::transfer
