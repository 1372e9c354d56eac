// SPDX-License-Identifier: Apache-2.0
// What only files in memory do; the contract common to all is tested in src/testing.
#include "rookery/os/memory_file_system.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/os/posix_file_system.h"
#include "rookery/os/shared_memory.h"

namespace rookery::os {
namespace {

// ThreadSanitizer leaves a program about a terabyte of addresses.
#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kViewBytes = 1ULL << 24U;
constexpr int kFiles = 300;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr std::uint64_t kViewBytes = 1ULL << 24U;
constexpr int kFiles = 300;
#else
constexpr std::uint64_t kViewBytes = 1ULL << 32U;
constexpr int kFiles = 5000;  // a thousand databases
#endif
#else
constexpr std::uint64_t kViewBytes = 1ULL << 32U;
constexpr int kFiles = 5000;  // a thousand databases
#endif

std::unique_ptr<File> create(FileSystem& files, std::string_view path) {
  return files.open(path, {.creation = Creation::kCreateNew}).value();
}

TEST(MemoryFileSystem, CountsItsCapacity) {
  MemoryFileSystem files(8 * 4096);
  auto file = create(files, "f");
  ASSERT_TRUE(file->allocate(0, 6 * 4096).has_value());
  EXPECT_EQ(files.used_bytes(), 6U * 4096U);
  const Result<void> refused = file->write_at(5 * 4096, as_bytes(std::string(4 * 4096, 'x')));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::no_space);
  EXPECT_EQ(files.used_bytes(), 6U * 4096U);
  EXPECT_EQ(file->info().value().size_bytes, 6U * 4096U);
  EXPECT_TRUE(file->write_at(0, as_bytes("overwriting needs none")).has_value());
  ASSERT_TRUE(file->punch_hole(0, 2 * 4096).has_value());
  EXPECT_TRUE(file->write_at(5 * 4096, as_bytes(std::string(4 * 4096, 'x'))).has_value());
  EXPECT_EQ(files.space("/").value().available_bytes, 4096U);
  files.set_capacity(4096);
  EXPECT_EQ(files.space("/").value().available_bytes, 0U);
  EXPECT_FALSE(file->write_at(100 * 4096, as_bytes("x")).has_value());
}

TEST(MemoryFileSystem, GivesSpaceBackWithTheLastNameAndHandle) {
  MemoryFileSystem files;
  auto file = create(files, "f");
  ASSERT_TRUE(file->write_at(0, as_bytes("x")).has_value());
  auto map = file->map(4096, Access::kReadOnly).value();
  ASSERT_TRUE(files.link("f", "g").has_value());
  ASSERT_TRUE(files.remove_file("f").has_value());
  ASSERT_TRUE(files.remove_file("g").has_value());
  EXPECT_EQ(files.used_bytes(), 4096U);  // still open
  file.reset();
  EXPECT_EQ(files.used_bytes(), 0U);
  EXPECT_EQ(map->data()[0], std::byte{'x'});  // a view lives on
}

std::size_t open_descriptors() {
  PosixFileSystem posix;
  return posix.list("/proc/self/fd").value().size();
}

TEST(MemoryFileSystem, SpendsNoDescriptors) {
  MemoryFileSystem files;
  const std::size_t before = open_descriptors();
  std::vector<std::unique_ptr<File>> kept;
  std::vector<std::unique_ptr<Mapping>> maps;
  for (int i = 0; i < kFiles; ++i) {
    kept.push_back(create(files, "f" + std::to_string(i)));
    ASSERT_TRUE(kept.back()->write_at(0, as_bytes(std::to_string(i))).has_value());
    if (i % 2 == 0) {
      maps.push_back(kept.back()->map(kViewBytes, Access::kReadOnly).value());
    }
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(maps[7]->data()[1], std::byte{'4'});  // file 14
}

TEST(MemoryFileSystem, TooLargeIsAnErrorNotADeath) {
  MemoryFileSystem files;
  auto file = create(files, "f");
  EXPECT_EQ(file->write_at(SharedMemory::kMaxBytes, as_bytes("x")).error().code(),
            ErrorCode::too_large);
  EXPECT_EQ(file->map(SharedMemory::kMaxBytes + 1, Access::kReadOnly).error().code(),
            ErrorCode::too_large);
  EXPECT_TRUE(file->write_at(1ULL << 36U, as_bytes("sparse")).has_value());
  EXPECT_EQ(files.used_bytes(), 4096U);
}

}  // namespace
}  // namespace rookery::os
