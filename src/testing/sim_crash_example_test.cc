// SPDX-License-Identifier: Apache-2.0
// A worked example of the two ways to try every power cut: fork the disk at each point of one run,
// or run again and again and cut one call later each time.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/base/test_seed.h"
#include "rookery/testing/sim_file_system.h"

namespace rookery::testing {
namespace {

std::string text_of(os::FileSystem& files, std::string_view path) {
  auto file = files.open(path, {.access = os::Access::kReadOnly}).value();
  std::string text(file->info().value().size_bytes, '?');
  text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))).value());
  return text;
}

// Replaces a file's contents: write beside it, sync, rename, sync the directory. `careful` false
// leaves the first sync out.
Result<void> replace(os::FileSystem& files, std::string_view text, bool careful) {
  RK_TRY_ASSIGN(auto file, files.open("/store/new", {.creation = os::Creation::kOpenOrCreate}));
  RK_TRY(file->truncate(0));
  RK_TRY(file->write_at(0, as_bytes(text)));
  if (careful) {
    RK_TRY(file->sync_data());
  }
  RK_TRY(files.rename("/store/new", "/store/current"));
  return files.sync_directory("/store");
}

// Forks a disk at every point of one run and says how many of them hold neither text whole.
int broken_disks(bool careful) {
  const std::string old_text(3000, 'o');
  const std::string new_text(5000, 'n');
  SimFileSystem files;
  EXPECT_TRUE(files.create_directory("/store").has_value());
  EXPECT_TRUE(files.sync_directory("/").has_value());
  EXPECT_TRUE(replace(files, old_text, true).has_value());
  std::vector<SimDisk> disks;
  files.set_observer([&](const SimCall&, CutPhase) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      disks.push_back(files.cut_copy(Survival::kSubset, seed));
    }
  });
  EXPECT_TRUE(replace(files, new_text, careful).has_value());
  int broken = 0;
  for (const SimDisk& disk : disks) {
    SimFileSystem after({}, disk);
    const std::string text = text_of(after, "/store/current");
    broken += text == old_text || text == new_text ? 0 : 1;
  }
  SimFileSystem last({}, disks.back());
  EXPECT_TRUE(!careful || text_of(last, "/store/current") == new_text);
  return broken;
}

TEST(SimFileSystem, ReplacingAFileByRenameSurvivesEveryCut) {
  EXPECT_EQ(broken_disks(true), 0);
  EXPECT_GT(broken_disks(false), 0);  // and the harness sees the missing sync
}

TEST(SimFileSystem, EveryArmedCutOfTheReplacementIsSurvived) {
  const std::string old_text(3000, 'o');
  const std::string new_text(5000, 'n');
  bool reached_the_end = false;
  for (std::uint64_t n = 1; !reached_the_end; ++n) {
    for (const CutPhase phase : {CutPhase::kBefore, CutPhase::kMiddle, CutPhase::kAfter}) {
      SimFileSystem files({.seed = test_seed() + n});
      ASSERT_TRUE(files.create_directory("/store").has_value());
      ASSERT_TRUE(files.sync_directory("/").has_value());
      ASSERT_TRUE(replace(files, old_text, true).has_value());
      files.arm_cut({.at_mutation = files.mutations() + n, .phase = phase});
      const Result<void> replaced = replace(files, new_text, true);
      reached_the_end = replaced.has_value();
      if (reached_the_end) {
        files.power_cut(Survival::kNothing);
      }
      files.reopen();
      const std::string text = text_of(files, "/store/current");
      EXPECT_TRUE(text == new_text || (text == old_text && !reached_the_end)) << "cut at " << n;
    }
    ASSERT_LT(n, 20U);
  }
}

}  // namespace
}  // namespace rookery::testing
