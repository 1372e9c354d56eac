// SPDX-License-Identifier: Apache-2.0
// One suite over the three file systems: what the contract promises of all of them.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/os/memory_file_system.h"
#include "rookery/os/posix_file_system.h"
#include "rookery/testing/sim_file_system.h"

namespace rookery::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PosixFixture {
 public:
  PosixFixture() {
    std::string name = "/tmp/rookery_XXXXXX";
    root = mkdtemp(name.data());
  }

  ~PosixFixture() { EXPECT_TRUE(os::remove_tree(files, root).has_value()); }

  os::PosixFileSystem files;
  std::string root;
};

class MemoryFixture {
 public:
  MemoryFixture() { EXPECT_TRUE(files.create_directory(root).has_value()); }

  os::MemoryFileSystem files;
  std::string root = "/test";
};

class SimFixture {
 public:
  SimFixture() { EXPECT_TRUE(files.create_directory(root).has_value()); }

  SimFileSystem files;
  std::string root = "/test";
};

template <typename Fixture>
class FileSystemConformance : public ::testing::Test {
 protected:
  std::string at(std::string_view name) const { return os::join_path(fixture_.root, name); }

  std::unique_ptr<os::File> create(std::string_view name) {
    return files_.open(at(name), {.creation = os::Creation::kCreateNew}).value();
  }

  std::unique_ptr<os::File> reopen(std::string_view name) {
    return files_.open(at(name), {}).value();
  }

  static std::string read(os::File& file, std::uint64_t offset, std::size_t count) {
    std::string text(count, '?');
    text.resize(file.read_at(offset, std::as_writable_bytes(std::span(text))).value());
    return text;
  }

  Fixture fixture_;
  os::FileSystem& files_ = fixture_.files;
};

using Implementations = ::testing::Types<PosixFixture, MemoryFixture, SimFixture>;
TYPED_TEST_SUITE(FileSystemConformance, Implementations);

TYPED_TEST(FileSystemConformance, ReadsBackWhatWasWrittenAndZerosBetween) {
  auto file = this->create("f");
  ASSERT_TRUE(file->write_at(5000, as_bytes("hello")).has_value());
  EXPECT_EQ(this->read(*file, 4998, 20), std::string("\0\0hello", 7));
  EXPECT_EQ(this->read(*file, 5005, 20), "");
  EXPECT_EQ(this->read(*file, 1 << 20, 20), "");
  EXPECT_EQ(file->info().value().size_bytes, 5005U);
  auto again = this->reopen("f");
  EXPECT_EQ(this->read(*again, 5000, 5), "hello");
}

TYPED_TEST(FileSystemConformance, WritesAVectorOfManyPartsAsOne) {
  auto file = this->create("f");
  std::string all;
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i) {  // more than the kernel takes at once
    texts.push_back(std::string(static_cast<std::size_t>(i % 7), static_cast<char>('a' + i % 26)));
    all += texts.back();
  }
  std::vector<Bytes> parts;
  for (const std::string& text : texts) {
    parts.push_back(as_bytes(text));
  }
  ASSERT_TRUE(file->write_vector_at(3, parts).has_value());
  EXPECT_EQ(this->read(*file, 3, all.size() + 10), all);
}

TYPED_TEST(FileSystemConformance, MapsSeeWritesBeforeAndAfterGrowth) {
  auto file = this->create("f");
  ASSERT_TRUE(file->write_at(0, as_bytes("first")).has_value());
  auto map = file->map(1 << 20, os::Access::kReadOnly).value();
  EXPECT_EQ(map->size(), 1U << 20U);
  EXPECT_EQ(map->writable_data(), nullptr);
  EXPECT_EQ(std::memcmp(map->data(), "first", 5), 0);
  ASSERT_TRUE(file->write_at(0, as_bytes("FIRST")).has_value());
  ASSERT_TRUE(file->write_at(500'000, as_bytes("later")).has_value());
  EXPECT_EQ(std::memcmp(map->data(), "FIRST", 5), 0);
  EXPECT_EQ(std::memcmp(map->data() + 500'000, "later", 5), 0);
  file.reset();  // a map outlives the descriptor it came from
  EXPECT_EQ(std::memcmp(map->data(), "FIRST", 5), 0);
  EXPECT_FALSE(map->faulted());
}

TYPED_TEST(FileSystemConformance, WritesThroughAMapAreSeenByReads) {
  auto file = this->create("f");
  ASSERT_TRUE(file->allocate(0, 65536).has_value());
  auto map = file->map(65536, os::Access::kReadWrite).value();
  ASSERT_NE(map->writable_data(), nullptr);
  std::memcpy(map->writable_data() + 9000, "mapped", 6);
  EXPECT_EQ(this->read(*file, 9000, 6), "mapped");
}

TYPED_TEST(FileSystemConformance, AllocatesPunchesAndTruncates) {
  auto file = this->create("f");
  ASSERT_TRUE(file->allocate(0, 64 * 1024).has_value());
  os::FileInfo info = file->info().value();
  EXPECT_EQ(info.size_bytes, 64U * 1024U);
  EXPECT_GE(info.allocated_bytes, 64U * 1024U);
  ASSERT_TRUE(file->write_at(0, as_bytes(std::string(64 * 1024, 'x'))).has_value());
  ASSERT_TRUE(file->punch_hole(4096 + 100, 16 * 1024).has_value());
  info = file->info().value();
  EXPECT_EQ(info.size_bytes, 64U * 1024U);
  EXPECT_EQ(info.allocated_bytes, 64U * 1024U - 3U * 4096U);
  EXPECT_EQ(this->read(*file, 4096 + 99, 2), std::string("x\0", 2));
  EXPECT_EQ(this->read(*file, 4096 + 100 + 16 * 1024 - 1, 2), std::string("\0x", 2));
  ASSERT_TRUE(file->truncate(10).has_value());
  ASSERT_TRUE(file->truncate(20).has_value());  // what was cut off does not come back
  EXPECT_EQ(this->read(*file, 0, 100), std::string(10, 'x') + std::string(10, '\0'));
  EXPECT_EQ(file->info().value().allocated_bytes, 4096U);
}

TYPED_TEST(FileSystemConformance, OpensAsAsked) {
  const std::string path = this->at("f");
  EXPECT_EQ(this->files_.open(path, {}).error().code(), ErrorCode::not_found);
  EXPECT_EQ(this->files_.open(path, {}).error().os_errno(), ENOENT);
  EXPECT_THAT(std::string(this->files_.open(path, {}).error().message()),
              AllOf(HasSubstr(path), HasSubstr("open"), HasSubstr("ENOENT")));
  ASSERT_TRUE(this->files_.open(path, {.creation = os::Creation::kOpenOrCreate}).has_value());
  EXPECT_EQ(this->files_.open(path, {.creation = os::Creation::kCreateNew}).error().code(),
            ErrorCode::already_exists);
  auto reader = this->files_.open(path, {.access = os::Access::kReadOnly}).value();
  const Result<void> written = reader->write_at(0, as_bytes("no"));
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code(), ErrorCode::io);
  EXPECT_EQ(
      this->files_.open(this->fixture_.root, {.access = os::Access::kReadOnly}).error().os_errno(),
      EISDIR);
  EXPECT_EQ(this->files_.open(path + "/below", {}).error().os_errno(), ENOTDIR);
}

TYPED_TEST(FileSystemConformance, RenamesLinksAndRemoves) {
  os::FileSystem& files = this->files_;
  auto a = this->create("a");
  ASSERT_TRUE(a->write_at(0, as_bytes("A")).has_value());
  auto b = this->create("b");
  ASSERT_TRUE(b->write_at(0, as_bytes("B")).has_value());
  ASSERT_TRUE(files.rename(this->at("a"), this->at("b")).has_value());
  EXPECT_THAT(files.list(this->fixture_.root).value(), ElementsAre("b"));
  EXPECT_EQ(this->read(*this->reopen("b"), 0, 9), "A");
  EXPECT_EQ(this->read(*b, 0, 9), "B");  // replaced, but still open
  EXPECT_EQ(b->info().value().link_count, 0U);

  ASSERT_TRUE(files.link(this->at("b"), this->at("c")).has_value());
  EXPECT_EQ(a->info().value().link_count, 2U);
  EXPECT_EQ(files.link(this->at("b"), this->at("c")).error().code(), ErrorCode::already_exists);
  EXPECT_EQ(files.info(this->at("b")).value()->inode, files.info(this->at("c")).value()->inode);
  ASSERT_TRUE(files.rename(this->at("b"), this->at("c")).has_value());  // one file: nothing
  EXPECT_THAT(files.list(this->fixture_.root).value(), ElementsAre("b", "c"));
  ASSERT_TRUE(files.remove_file(this->at("b")).has_value());
  EXPECT_EQ(files.remove_file(this->at("b")).error().code(), ErrorCode::not_found);
  EXPECT_EQ(this->read(*this->reopen("c"), 0, 9), "A");
  EXPECT_FALSE(files.info(this->at("b")).value().has_value());
  EXPECT_EQ(files.rename(this->at("b"), this->at("x")).error().code(), ErrorCode::not_found);
}

TYPED_TEST(FileSystemConformance, KeepsDirectories) {
  os::FileSystem& files = this->files_;
  ASSERT_TRUE(os::create_directories(files, this->at("x/y/z")).has_value());
  ASSERT_TRUE(os::create_directories(files, this->at("x/y/z")).has_value());
  EXPECT_EQ(files.create_directory(this->at("x")).error().code(), ErrorCode::already_exists);
  EXPECT_EQ(files.create_directory(this->at("no/way")).error().code(), ErrorCode::not_found);
  EXPECT_TRUE(files.info(this->at("x/y")).value()->is_directory);
  auto inside = this->create("x/y/f");
  EXPECT_EQ(files.remove_directory(this->at("x/y")).error().os_errno(), ENOTEMPTY);
  EXPECT_EQ(files.remove_file(this->at("x/y")).error().os_errno(), EISDIR);
  EXPECT_EQ(files.rename(this->at("x"), this->at("x/y/into_itself")).error().os_errno(), EINVAL);
  EXPECT_EQ(files.rename(this->at("x/y/f"), this->at("x/y/z")).error().os_errno(), EISDIR);
  ASSERT_TRUE(files.rename(this->at("x/y"), this->at("moved")).has_value());
  EXPECT_THAT(files.list(this->at("moved")).value(), ElementsAre("f", "z"));
  ASSERT_TRUE(files.sync_directory(this->at("moved")).has_value());
  EXPECT_EQ(files.sync_directory(this->at("gone")).error().code(), ErrorCode::not_found);
  EXPECT_EQ(files.list(this->at("gone")).error().code(), ErrorCode::not_found);
  ASSERT_TRUE(os::remove_tree(files, this->at("moved")).has_value());
  ASSERT_TRUE(os::remove_tree(files, this->at("moved")).has_value());
  EXPECT_THAT(files.list(this->fixture_.root).value(), ElementsAre("x"));
  ASSERT_TRUE(this->create("x/f")->sync_data().has_value());
  EXPECT_EQ(os::create_directories(files, this->at("x/f")).error().os_errno(), ENOTDIR);
}

TYPED_TEST(FileSystemConformance, LocksByFileForOneHandle) {
  auto first = this->create("f");
  ASSERT_TRUE(this->files_.link(this->at("f"), this->at("g")).has_value());
  auto second = this->reopen("g");  // another path to the same inode
  EXPECT_EQ(first->try_lock().value(), std::nullopt);
  ASSERT_TRUE(second->try_lock().value().has_value());
  first.reset();
  EXPECT_EQ(second->try_lock().value(), std::nullopt);
  auto reader = this->files_.open(this->at("f"), {.access = os::Access::kReadOnly}).value();
  EXPECT_EQ(reader->try_lock().error().os_errno(), EBADF);
}

TYPED_TEST(FileSystemConformance, DirectAndWriteThroughKeepTheContract) {
  auto file =
      this->files_
          .open(this->at("f"),
                {.creation = os::Creation::kCreateNew, .direct = true, .write_through = true})
          .value();
  alignas(os::kDirectAlignment) static std::array<std::byte, 2 * os::kDirectAlignment> buffer{};
  buffer.fill(std::byte{'d'});
  ASSERT_TRUE(file->write_at(os::kDirectAlignment, buffer).has_value());
  buffer.fill(std::byte{0});
  EXPECT_EQ(file->read_at(0, buffer).value(), buffer.size());
  EXPECT_EQ(buffer[0], std::byte{0});
  EXPECT_EQ(buffer[os::kDirectAlignment], std::byte{'d'});
}

// What an array of bytes would do, against what the file does.
TYPED_TEST(FileSystemConformance, AgreesWithAModelUnderRandomCalls) {
  Prng prng(test_seed());
  auto file = this->create("f");
  std::string model;
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t offset = prng.below(60'000);
    const std::uint64_t length = 1 + prng.below(prng.chance(4) ? 30'000 : 700);
    switch (prng.below(6)) {
      case 0:
        ASSERT_TRUE(file->allocate(offset, length).has_value());
        model.resize(std::max(model.size(), offset + length), '\0');
        break;
      case 1: {
        ASSERT_TRUE(file->punch_hole(offset, length).has_value());
        const std::uint64_t end = std::min(model.size(), offset + length);
        std::fill(model.begin() + static_cast<std::ptrdiff_t>(std::min(offset, end)),
                  model.begin() + static_cast<std::ptrdiff_t>(end), '\0');
        break;
      }
      case 2:
        ASSERT_TRUE(file->truncate(offset).has_value());
        model.resize(offset, '\0');
        break;
      case 3:
        ASSERT_TRUE(file->sync_data().has_value());
        break;
      default: {
        const std::string text(length, static_cast<char>('a' + prng.below(26)));
        ASSERT_TRUE(file->write_at(offset, as_bytes(text)).has_value());
        model.resize(std::max(model.size(), offset + length), '\0');
        model.replace(offset, length, text);
      }
    }
    ASSERT_EQ(this->read(*file, 0, 100'000), model) << "after call " << i;
    ASSERT_EQ(file->info().value().size_bytes, model.size());
  }
}

}  // namespace
}  // namespace rookery::testing
