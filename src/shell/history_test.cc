// SPDX-License-Identifier: Apache-2.0
#include "history.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rookery::shell {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class HistoryFileTest : public testing::Test {
 protected:
  HistoryFileTest() { std::filesystem::remove_all(root_); }

  ~HistoryFileTest() override { std::filesystem::remove_all(root_); }

  const std::string root_ = testing::TempDir() + "rookery_history_" + std::to_string(::getpid());
  const std::string path_ = root_ + "/state/rookery/shell_history";
};

mode_t mode_of(const std::string& path) {
  struct stat info {};

  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 0777U;
}

TEST_F(HistoryFileTest, RemembersFromRunToRun) {
  {
    auto history = HistoryFile::open(path_);
    ASSERT_TRUE(history.has_value()) << history.error().to_string();
    EXPECT_TRUE(history->entries().empty());
    ASSERT_TRUE(history->add("from Users").has_value());
    ASSERT_TRUE(history->add("from A where b = 'x\ny' // ü").has_value());
  }
  const auto again = HistoryFile::open(path_);
  ASSERT_TRUE(again.has_value());
  EXPECT_THAT(again->entries(), ElementsAre("from Users", "from A where b = 'x\ny' // ü"));
}

TEST_F(HistoryFileTest, IsForItsOwnerOnly) {
  ASSERT_TRUE(HistoryFile::open(path_).has_value());
  EXPECT_EQ(mode_of(path_), 0600U);
  EXPECT_EQ(mode_of(std::filesystem::path(path_).parent_path()), 0700U);
  std::filesystem::permissions(path_, std::filesystem::perms(0644));
  ASSERT_TRUE(HistoryFile::open(path_).has_value());
  EXPECT_EQ(mode_of(path_), 0600U);
}

TEST_F(HistoryFileTest, MixesWithAnotherShell) {
  auto one = HistoryFile::open(path_);
  auto two = HistoryFile::open(path_);
  ASSERT_TRUE(one->add("a").has_value());
  ASSERT_TRUE(two->add("b").has_value());
  ASSERT_TRUE(one->add("c").has_value());
  EXPECT_THAT(HistoryFile::open(path_)->entries(), ElementsAre("a", "b", "c"));
}

TEST_F(HistoryFileTest, IsBoundedAndShortened) {
  {
    auto history = HistoryFile::open(path_);
    for (std::size_t i = 0; i < 2 * kHistoryEntriesMax + 1; ++i) {
      ASSERT_TRUE(history->add(std::to_string(i)).has_value());
    }
  }
  for (int i = 0; i < 2; ++i) {
    const auto again = HistoryFile::open(path_);
    ASSERT_THAT(again->entries(), SizeIs(kHistoryEntriesMax));
    EXPECT_EQ(again->entries().back(), std::to_string(2 * kHistoryEntriesMax));
  }
  std::ifstream file(path_);
  std::size_t line_count = 0;
  for (std::string line; std::getline(file, line);) {
    ++line_count;
  }
  EXPECT_EQ(line_count, kHistoryEntriesMax);
  EXPECT_EQ(mode_of(path_), 0600U);
}

TEST_F(HistoryFileTest, PassesOverWhatIsNotItsOwn) {
  ASSERT_TRUE(HistoryFile::open(path_).has_value());
  std::ofstream(path_, std::ios::app) << "\"a\"\nnonsense\n{\"x\":1}\n\"b\n\"c\"\n";
  EXPECT_THAT(HistoryFile::open(path_)->entries(), ElementsAre("a", "c"));
}

TEST_F(HistoryFileTest, SaysWhyItCannotBeKept) {
  std::ofstream(root_) << "in the way";
  const auto history = HistoryFile::open(path_);
  ASSERT_FALSE(history.has_value());
  EXPECT_EQ(history.error().code(), ErrorCode::io);
}

}  // namespace
}  // namespace rookery::shell
