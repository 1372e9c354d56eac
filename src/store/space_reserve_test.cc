// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/space_reserve.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/testing/sim_platform.h"

namespace rookery::store {
namespace {

constexpr std::uint64_t kMegabyte = 1024 * 1024;
constexpr std::uint64_t kVolumeBytes = 128 * kMegabyte;

class SpaceReserveTest : public ::testing::Test {
 protected:
  SpaceReserveTest() : machine_(1) { files().set_capacity(kVolumeBytes); }

  testing::SimFileSystem& files() { return machine_.files(); }

  std::unique_ptr<SpaceReserve> open(std::uint64_t size_bytes = kMegabyte) {
    auto opened = SpaceReserve::open(machine_.platform(), "reserve", size_bytes);
    EXPECT_TRUE(opened.has_value()) << opened.error().to_string();
    return std::move(opened).value();
  }

  std::size_t file_count() { return files().list("reserve").value().size(); }

  // Of the files themselves: a file that was made again has another.
  std::vector<std::uint64_t> inodes() {
    const std::vector<std::string> names = files().list("reserve").value();
    std::vector<std::uint64_t> all;
    for (const std::string& name : names) {
      all.push_back(files().info("reserve/" + name).value()->inode);
    }
    return all;
  }

  // Somebody else's file.
  void fill_volume() {
    auto file = files().open("foreign", {.creation = os::Creation::kCreateNew}).value();
    const std::uint64_t left = kVolumeBytes - files().used_bytes();
    EXPECT_TRUE(file->allocate(0, left / 4096 * 4096).has_value());
  }

  testing::SimPlatform machine_;
};

TEST_F(SpaceReserveTest, IsWholeFromTheStartAndKeptAcrossOpenings) {
  EXPECT_FALSE(open()->disk_full());
  const std::uint64_t used = files().used_bytes();
  EXPECT_GE(used, kMegabyte);
  const auto before = inodes();
  EXPECT_FALSE(open()->disk_full());
  EXPECT_EQ(inodes(), before);
  EXPECT_EQ(files().used_bytes(), used);
}

TEST_F(SpaceReserveTest, IsNeverMoreThanAShareOfTheVolume) {
  open(64 * kMegabyte);
  EXPECT_LE(files().used_bytes(), kVolumeBytes / 64 + 64 * 1024);
}

TEST_F(SpaceReserveTest, GivesFilesByRenamingOnAFullVolume) {
  const auto reserve = open();
  fill_volume();
  reserve->enter_disk_full();
  const std::size_t count = file_count();
  const auto size = reserve->take_file("mine", 64 * 1024);
  ASSERT_TRUE(size.has_value());
  EXPECT_GE(*size, 64U * 1024U);
  EXPECT_EQ(files().info("mine").value()->size_bytes, *size);
  EXPECT_EQ(file_count(), count - 1);
  EXPECT_FALSE(reserve->take_file("bigger", 64 * kMegabyte).has_value());
  // And takes them back, while it is not whole.
  EXPECT_TRUE(reserve->take_back("mine"));
  EXPECT_FALSE(files().info("mine").value().has_value());
  EXPECT_EQ(file_count(), count);
  EXPECT_EQ(reserve->stats().files_taken, 1U);
  EXPECT_EQ(reserve->stats().files_taken_back, 1U);
}

TEST_F(SpaceReserveTest, TakesBackNothingThatItHasNoUseFor) {
  const auto reserve = open();
  ASSERT_TRUE(reserve->take_file("mine", 1).has_value());
  EXPECT_FALSE(reserve->take_back("mine"));  // the disk isn't full: it makes its own
  reserve->enter_disk_full();
  ASSERT_TRUE(files().link("mine", "backup").has_value());
  EXPECT_FALSE(reserve->take_back("mine"));  // somebody else reads it
  ASSERT_TRUE(files().remove_file("backup").has_value());
  EXPECT_TRUE(reserve->take_back("mine"));
}

TEST_F(SpaceReserveTest, AFileThatIsSomethingElseTooIsNotAdopted) {
  open();
  const std::string name = files().list("reserve").value().front();
  ASSERT_TRUE(files().link("reserve/" + name, "journal").has_value());
  open();
  EXPECT_EQ(files().info("journal").value()->link_count, 1U);
}

TEST_F(SpaceReserveTest, StartsInDiskFullWithWhatThereIs) {
  ASSERT_TRUE(open()->release_file());
  const std::size_t left = file_count();
  fill_volume();
  const auto reserve = open();
  EXPECT_TRUE(reserve->disk_full());
  EXPECT_EQ(file_count(), left);
  EXPECT_TRUE(reserve->take_file("mine", 1).has_value());
}

TEST_F(SpaceReserveTest, IsLeftOnlyWithRoomForTheNextWriteToo) {
  const auto reserve = open();
  while (reserve->release_file()) {
  }
  reserve->enter_disk_full();
  files().set_capacity(files().used_bytes() + kMegabyte + kMegabyte / 2);
  EXPECT_TRUE(reserve->try_leave_disk_full());
  EXPECT_EQ(file_count(), 0U);
  files().set_capacity(files().used_bytes() + 2 * kMegabyte);
  EXPECT_EQ(reserve->stats().times_left, 0U);
  EXPECT_FALSE(reserve->try_leave_disk_full());
  EXPECT_GT(file_count(), 0U);
  EXPECT_EQ(reserve->stats().times_entered, 1U);
  EXPECT_EQ(reserve->stats().times_left, 1U);
}

}  // namespace
}  // namespace rookery::store
