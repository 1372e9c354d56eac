// SPDX-License-Identifier: Apache-2.0
#include "rookery/os/memory_limit.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rookery/os/memory_file_system.h"
#include "rookery/os/platform.h"

namespace rookery::os {
namespace {

class MemoryLimit : public ::testing::Test {
 protected:
  void write(const std::string& path, std::string_view text) {
    ASSERT_TRUE(create_directories(files_, parent_path(path)).has_value());
    auto file = files_.open(path, {.creation = Creation::kCreateNew});
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE((*file)->write_at(0, as_bytes(text)).has_value());
  }

  MemoryFileSystem files_;
};

TEST_F(MemoryLimit, IsUnknownWhereNothingCanBeRead) {
  EXPECT_EQ(memory_limit_bytes(files_), std::nullopt);
}

TEST_F(MemoryLimit, IsTheMachinesWithoutGroups) {
  write("/proc/meminfo", "MemTotal:       16 kB\nMemFree:         2 kB\n");
  EXPECT_EQ(memory_limit_bytes(files_), 16U * 1024);
}

TEST_F(MemoryLimit, IsTheLeastOfTheGroupsAbove) {
  write("/proc/meminfo", "MemTotal:       1000 kB\n");
  write("/proc/self/cgroup", "0::/a/b\n");
  write("/sys/fs/cgroup/memory.max", "max\n");
  write("/sys/fs/cgroup/a/memory.max", "5000\n");
  write("/sys/fs/cgroup/a/b/memory.max", "7000\n");
  EXPECT_EQ(memory_limit_bytes(files_), 5000U);
}

TEST_F(MemoryLimit, IsReadFromTheFirstVersionToo) {
  write("/proc/meminfo", "MemTotal:       1000 kB\n");
  write("/proc/self/cgroup",
        "9:name=systemd:/\n5:cpu,memory,pids:/docker/x\n4:cpuset:/y\n0::/\ngarbage\n");
  write("/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "4096\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_limit_bytes(files_), 4096U);
}

// In a container the path is the host's, and the mount shows the container's group as its root.
TEST_F(MemoryLimit, IsFoundWhereThePathIsOfTheWorldOutside) {
  write("/proc/self/cgroup", "0::/kubepods/pod1/c1\n");
  write("/sys/fs/cgroup/memory.max", "12345\n");
  EXPECT_EQ(memory_limit_bytes(files_), 12345U);
}

TEST(MemoryLimitOfThisMachine, IsSensible) {
  const auto limit = memory_limit_bytes(real_platform().files);
  ASSERT_TRUE(limit.has_value());
  EXPECT_GT(*limit, 64U << 20U);
  EXPECT_LT(*limit, std::uint64_t{1} << 50U);
}

}  // namespace
}  // namespace rookery::os
