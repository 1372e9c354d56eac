// SPDX-License-Identifier: Apache-2.0
// What only the real files do; the contract common to all is tested in src/testing.
#include "rookery/os/posix_file_system.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rookery/os/platform.h"

namespace rookery::os {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// ThreadSanitizer leaves a program about a terabyte of addresses.
#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kHugeMapBytes = 1ULL << 34U;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr std::uint64_t kHugeMapBytes = 1ULL << 34U;
#else
constexpr std::uint64_t kHugeMapBytes = 1ULL << 40U;
#endif
#else
constexpr std::uint64_t kHugeMapBytes = 1ULL << 40U;
#endif

class PosixFileSystemTest : public ::testing::Test {
 protected:
  PosixFileSystemTest() {
    std::string name = "/tmp/rookery_os_XXXXXX";
    root_ = mkdtemp(name.data());
  }

  ~PosixFileSystemTest() override { EXPECT_TRUE(remove_tree(files_, root_).has_value()); }

  std::string at(std::string_view name) const { return join_path(root_, name); }

  std::unique_ptr<File> create(std::string_view name) {
    return files_.open(at(name), {.creation = Creation::kCreateNew}).value();
  }

  static mode_t mode(const std::string& path) {
    struct stat facts {};

    EXPECT_EQ(stat(path.c_str(), &facts), 0);
    return facts.st_mode & 0777U;
  }

  PosixFileSystem files_;
  std::string root_;
};

using Fault = PosixFileSystemTest;
using FaultDeathTest = PosixFileSystemTest;

TEST_F(PosixFileSystemTest, IsPrivateToItsUser) {
  const mode_t before = umask(0);
  create("f");
  ASSERT_TRUE(files_.create_directory(at("d")).has_value());
  umask(before);
  EXPECT_EQ(mode(at("f")), 0600U);
  EXPECT_EQ(mode(at("d")), 0700U);
}

TEST_F(PosixFileSystemTest, ClosesItsDescriptorsOnExec) {
  auto file = create("f");
  int found = 0;
  for (int descriptor = 3; descriptor < 64; ++descriptor) {
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    std::string target(4096, '\0');
    const ssize_t length = readlink(link.c_str(), target.data(), target.size());
    if (length > 0 && target.substr(0, static_cast<std::size_t>(length)) == at("f")) {
      ++found;
      EXPECT_NE(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
    }
  }
  EXPECT_EQ(found, 1);
}

TEST_F(PosixFileSystemTest, ErrorsNamePathCallAndErrno) {
  auto full = files_.open("/dev/full", {}).value();
  const Result<void> written = full->write_at(0, as_bytes("x"));
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code(), ErrorCode::no_space);
  EXPECT_EQ(written.error().os_errno(), ENOSPC);
  EXPECT_THAT(std::string(written.error().message()),
              AllOf(HasSubstr("/dev/full"), HasSubstr("pwrite"), HasSubstr("ENOSPC"),
                    HasSubstr("No space left on device")));
  EXPECT_EQ(files_.remove_directory(at("none")).error().code(), ErrorCode::not_found);
}

TEST_F(PosixFileSystemTest, FallsBackWhereDirectTransfersAreRefused) {
  // Refused at the transfer: an unaligned write is EINVAL wherever O_DIRECT is taken at its word.
  auto file = files_.open(at("f"), {.creation = Creation::kCreateNew, .direct = true}).value();
  const std::string text(700, 'x');
  ASSERT_TRUE(file->write_at(3, as_bytes(text)).has_value());
  std::string back(700, '?');
  EXPECT_EQ(file->read_at(3, std::as_writable_bytes(std::span(back))).value(), 700U);
  EXPECT_EQ(back, text);
  // Refused at open: procfs knows no O_DIRECT.
  auto refused =
      files_.open("/proc/self/stat", {.access = Access::kReadOnly, .direct = true}).value();
  EXPECT_FALSE(refused->is_direct());
}

// Runs `body` in a child and returns its exit status.
template <typename Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(body());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(PosixFileSystemTest, LocksAgainstOtherProcessesAndNamesTheHolder) {
  auto file = create("f");
  ASSERT_EQ(file->try_lock().value(), std::nullopt);
  const auto holder_seen_by_child = [&] {
    auto other = files_.open(at("f"), {}).value();
    const std::optional<std::int64_t> holder = other->try_lock().value();
    return holder == getppid() ? 10 : holder.has_value() ? 11 : 12;
  };
  EXPECT_EQ(in_child(holder_seen_by_child), 10);
  {
    auto other = files_.open(at("f"), {}).value();
    EXPECT_EQ(other->try_lock().value(), getpid());
  }
  // That close has cost the hint, not the lock.
  EXPECT_EQ(in_child(holder_seen_by_child), 11);
  file.reset();
  EXPECT_EQ(in_child(holder_seen_by_child), 12);
}

TEST_F(PosixFileSystemTest, TheLockOfADeadProcessIsFree) {
  create("f");
  EXPECT_EQ(in_child([&] {
              auto file = files_.open(at("f"), {}).value();
              const bool taken = file->try_lock().value() == std::nullopt;
              _exit(taken ? 7 : 8);  // dies holding it
              return 0;
            }),
            7);
  EXPECT_EQ(files_.open(at("f"), {}).value()->try_lock().value(), std::nullopt);
}

TEST_F(Fault, ATruncatedMapReadsAsZerosAndSaysSo) {
  auto file = create("f");
  auto other_file = create("g");
  const std::string text(64 * 1024, 'x');
  ASSERT_TRUE(file->write_at(0, as_bytes(text)).has_value());
  ASSERT_TRUE(other_file->write_at(0, as_bytes(text)).has_value());
  auto map = file->map(text.size(), Access::kReadOnly).value();
  auto second = file->map(text.size(), Access::kReadOnly).value();
  auto other = other_file->map(text.size(), Access::kReadOnly).value();
  ASSERT_EQ(map->data()[60'000], std::byte{'x'});
  ASSERT_EQ(truncate(at("f").c_str(), 4096), 0);
  errno = 77;
  EXPECT_EQ(map->data()[60'000], std::byte{0});
  EXPECT_EQ(errno, 77);
  EXPECT_TRUE(map->faulted());
  EXPECT_EQ(map->data()[0], std::byte{'x'});  // what can be read still is
  EXPECT_EQ(map->data()[30'000], std::byte{0});
  EXPECT_FALSE(second->faulted());
  EXPECT_FALSE(other->faulted());
  EXPECT_EQ(other->data()[60'000], std::byte{'x'});
  map.reset();  // its slot is used again, and starts clean
  EXPECT_FALSE(other_file->map(4096, Access::kReadOnly).value()->faulted());
}

TEST_F(Fault, AWritableMapSurvivesToo) {
  auto file = create("f");
  ASSERT_TRUE(file->allocate(0, 64 * 1024).has_value());
  auto map = file->map(64 * 1024, Access::kReadWrite).value();
  ASSERT_EQ(truncate(at("f").c_str(), 0), 0);
  map->writable_data()[50'000] = std::byte{'y'};
  EXPECT_TRUE(map->faulted());
}

TEST_F(Fault, ThreadsFaultTogether) {
  auto file = create("f");
  const std::string text(256 * 1024, 'x');
  ASSERT_TRUE(file->write_at(0, as_bytes(text)).has_value());
  auto map = file->map(text.size(), Access::kReadOnly).value();
  ASSERT_EQ(truncate(at("f").c_str(), 0), 0);
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < 4; ++i) {
    threads.push_back(real_platform().threads.start("reader", [&] {
      for (std::size_t page = 0; page < text.size(); page += 4096) {
        EXPECT_EQ(map->data()[page], std::byte{0});
      }
      EXPECT_TRUE(map->faulted());
    }));
  }
}

TEST_F(FaultDeathTest, AFaultThatIsNotOursStillKills) {
  auto file = create("f");
  ASSERT_TRUE(file->write_at(0, as_bytes("x")).has_value());
  auto ours = file->map(4096, Access::kReadOnly).value();  // so the handler is in place
  const int descriptor = open(at("f").c_str(), O_RDONLY | O_CLOEXEC);
  void* foreign = mmap(nullptr, 8192, PROT_READ, MAP_SHARED, descriptor, 0);
  close(descriptor);
  ASSERT_NE(foreign, MAP_FAILED);
  EXPECT_DEATH(static_cast<void>(*(static_cast<volatile char*>(foreign) + 4096)), "");
  EXPECT_DEATH(raise(SIGBUS), "");
  munmap(foreign, 8192);
  EXPECT_FALSE(ours->faulted());
}

TEST_F(PosixFileSystemTest, MapsGoBackWhenTheyEnd) {
  auto file = create("f");
  ASSERT_TRUE(file->write_at(0, as_bytes("x")).has_value());
  // More address space than there is, unless each goes back.
  for (int i = 0; i < 300; ++i) {
    auto map = file->map(kHugeMapBytes, Access::kReadOnly).value();
    ASSERT_EQ(map->data()[0], std::byte{'x'});
  }
}

TEST_F(PosixFileSystemTest, KnowsItsSpace) {
  const SpaceInfo space = files_.space(root_).value();
  EXPECT_GT(space.total_bytes, 0U);
  EXPECT_LE(space.available_bytes, space.total_bytes);
  EXPECT_FALSE(files_.space(at("none")).has_value());
}

TEST(Paths, JoinAndSplit) {
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("/", "b"), "/b");
  EXPECT_EQ(parent_path("a/b"), "a");
  EXPECT_EQ(parent_path("a/b/"), "a");
  EXPECT_EQ(parent_path("/a"), "/");
  EXPECT_EQ(parent_path("a"), ".");
  EXPECT_EQ(parent_path("/"), "/");
}

}  // namespace
}  // namespace rookery::os
