// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "rookery/os/memory_file_system.h"
#include "rookery/os/posix_file_system.h"

namespace rookery::os {
namespace {

class PosixFixture {
 public:
  PosixFixture() {
    std::string name = "/tmp/rookery_os_XXXXXX";
    root_ = mkdtemp(name.data());
  }

  ~PosixFixture() { EXPECT_TRUE(remove_tree(files_, root_).has_value()); }

  FileSystem& files() { return files_; }

  const std::string& root() { return root_; }

 private:
  PosixFileSystem files_;
  std::string root_;
};

class MemoryFixture {
 public:
  MemoryFixture() { EXPECT_TRUE(files_.create_directory(root_).has_value()); }

  FileSystem& files() { return files_; }

  const std::string& root() { return root_; }

 private:
  MemoryFileSystem files_;
  std::string root_ = "/test";
};

template <typename F>
class FileSystemTest : public testing::Test {
 protected:
  F fixture_;
  FileSystem& fs_ = fixture_.files();

  std::string at(std::string_view name) { return join_path(fixture_.root(), name); }
};

using Kinds = testing::Types<PosixFixture, MemoryFixture>;
TYPED_TEST_SUITE(FileSystemTest, Kinds);

TYPED_TEST(FileSystemTest, ReadsBackWhatWasWritten) {
  auto file = this->fs_.open(this->at("f"), {.creation = Creation::kCreateNew}).value();
  ASSERT_TRUE(file->write_at(5000, as_bytes("hello")).has_value());
  std::string got(20, 'x');
  EXPECT_EQ(file->read_at(4998, std::as_writable_bytes(std::span(got))).value(), 7U);
  EXPECT_EQ(got.substr(0, 7), std::string("\0\0hello", 7));
  auto map = file->map(1 << 20, Access::kReadOnly).value();
  EXPECT_EQ(std::memcmp(map->data() + 5000, "hello", 5), 0);
  ASSERT_TRUE(file->write_at(5000, as_bytes("HELLO")).has_value());
  EXPECT_EQ(std::memcmp(map->data() + 5000, "HELLO", 5), 0);
}

}  // namespace
}  // namespace rookery::os
