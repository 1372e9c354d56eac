// SPDX-License-Identifier: Apache-2.0
#include "file_writer.h"

#include <filesystem>
#include <memory>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "folder_test_support.h"

namespace rookery::transfer {
namespace {

using FileWriter = FolderTest;

TEST_F(FileWriter, ReplacesAFileOnlyByAWholeOne) {
  write("f", "old");
  {
    auto file = ReplacingFile::create(path("f"), Existing::kReplace);
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE((*file)->write("new").has_value());
    EXPECT_EQ(read("f"), "old");
  }
  EXPECT_EQ(read("f"), "old");
  EXPECT_FALSE(std::filesystem::exists(path("f.part")));
  write("f.part", "what a process left that was killed");
  {
    auto file = ReplacingFile::create(path("f"), Existing::kReplace);
    ASSERT_TRUE((*file)->write("new").has_value());
    ASSERT_TRUE((*file)->commit().has_value());
  }
  EXPECT_EQ(read("f"), "new");
  EXPECT_FALSE(std::filesystem::exists(path("f.part")));
  EXPECT_EQ(ReplacingFile::create(path("no/such"), Existing::kKeep).error().code(), ErrorCode::io);
}

TEST_F(FileWriter, KeepsWhatItIsToKeep) {
  write("f", "old");
  EXPECT_EQ(ReplacingFile::create(path("f"), Existing::kKeep).error().code(),
            ErrorCode::already_exists);
  auto file = ReplacingFile::create(path("g"), Existing::kKeep);
  ASSERT_TRUE((*file)->write("new").has_value());
  write("g", "came meanwhile");
  EXPECT_EQ((*file)->commit().error().code(), ErrorCode::already_exists);
  file->reset();
  EXPECT_EQ(read("g"), "came meanwhile");
  EXPECT_FALSE(std::filesystem::exists(path("g.part")));
  std::filesystem::create_directory(path("d"));
  EXPECT_EQ(ReplacingFile::create(path("d"), Existing::kReplace).error().code(),
            ErrorCode::invalid_argument);
}

TEST_F(FileWriter, LetsOneAtATimeWriteAFile) {
  auto first = ReplacingFile::create(path("f"), Existing::kReplace);
  ASSERT_TRUE((*first)->write("one").has_value());
  EXPECT_EQ(ReplacingFile::create(path("f"), Existing::kReplace).error().code(), ErrorCode::busy);
  ASSERT_TRUE((*first)->commit().has_value());
  EXPECT_EQ(read("f"), "one");
  EXPECT_TRUE(ReplacingFile::create(path("f"), Existing::kReplace).has_value());
}

TEST_F(FileWriter, LocksUntilTheLockGoes) {
  {
    const auto lock = FileLock::take(path("l"));
    ASSERT_TRUE(lock.has_value());
    EXPECT_EQ(FileLock::take(path("l")).error().code(), ErrorCode::busy);
  }
  EXPECT_FALSE(std::filesystem::exists(path("l")));
  write("l", "of one that was killed");
  EXPECT_TRUE(FileLock::take(path("l")).has_value());
}

TEST_F(FileWriter, CutsWhatItAppendsToToWhatIsKnown) {
  write("r", "one\ntwo\n");
  {
    auto file = AppendedFile::open(path("r"), 4);
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE((*file)->append("2\n").has_value());
    EXPECT_EQ((*file)->size(), 6U);
    EXPECT_TRUE((*file)->sync().has_value());
  }
  EXPECT_EQ(read("r"), "one\n2\n");
  EXPECT_EQ(AppendedFile::open(path("r"), 100).error().code(), ErrorCode::malformed);
  EXPECT_TRUE(AppendedFile::open(path("new"), 0).has_value());
}

TEST_F(FileWriter, NamesAFullDisk) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  EXPECT_EQ(write_all(full, "/dev/full", "x").error().code(), ErrorCode::no_space);
  ::close(full);
}

}  // namespace
}  // namespace rookery::transfer
