// SPDX-License-Identifier: Apache-2.0
// Transfers that the kernel interrupts or ends early. The linker leads the calls of this binary
// here first (--wrap): each may fail with EINTR, or transfer less than it was asked to, by seed.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"
#include "rookery/os/posix_file_system.h"

namespace {

// What happens to the calls of the running test, which has one thread.
struct Interference {
  rookery::Prng prng{1};
  bool on = false;
  bool writes_nothing = false;  // every write returns 0
  std::uint64_t interrupted = 0;
  std::uint64_t shortened = 0;
  std::uint64_t syncs = 0;
  std::uint64_t syncs_to_interrupt = 0;
};

Interference interference;  // NOLINT: the wrapped functions have nowhere else to look

bool interrupt() {
  if (!interference.on || !interference.prng.chance(3)) {
    return false;
  }
  ++interference.interrupted;
  errno = EINTR;
  return true;
}

std::size_t shorten(std::size_t size) {
  if (!interference.on || size < 2 || !interference.prng.chance(2)) {
    return size;
  }
  ++interference.shortened;
  return 1 + static_cast<std::size_t>(interference.prng.below(size - 1));
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the linker's names
extern "C" {
ssize_t __real_pread(int descriptor, void* into, std::size_t size, off_t offset);
ssize_t __real_pwrite(int descriptor, const void* from, std::size_t size, off_t offset);
ssize_t __real_pwritev(int descriptor, const iovec* parts, int count, off_t offset);
int __real_fallocate(int descriptor, int mode, off_t offset, off_t length);
int __real_fdatasync(int descriptor);

ssize_t __wrap_pread(int descriptor, void* into, std::size_t size, off_t offset) {
  return interrupt() ? -1 : __real_pread(descriptor, into, shorten(size), offset);
}

ssize_t __wrap_pwrite(int descriptor, const void* from, std::size_t size, off_t offset) {
  if (interference.writes_nothing) {
    return 0;
  }
  return interrupt() ? -1 : __real_pwrite(descriptor, from, shorten(size), offset);
}

ssize_t __wrap_pwritev(int descriptor, const iovec* parts, int count, off_t offset) {
  if (interference.writes_nothing) {
    return 0;
  }
  if (interrupt()) {
    return -1;
  }
  std::size_t size = 0;
  for (int i = 0; i < count; ++i) {
    size += parts[i].iov_len;
  }
  std::size_t left = shorten(size);
  std::vector<iovec> fewer;
  for (int i = 0; i < count && left > 0; ++i) {
    fewer.push_back({parts[i].iov_base, std::min(left, parts[i].iov_len)});
    left -= fewer.back().iov_len;
  }
  return __real_pwritev(descriptor, fewer.data(), static_cast<int>(fewer.size()), offset);
}

int __wrap_fallocate(int descriptor, int mode, off_t offset, off_t length) {
  return interrupt() ? -1 : __real_fallocate(descriptor, mode, offset, length);
}

int __wrap_fdatasync(int descriptor) {
  ++interference.syncs;
  if (interference.syncs_to_interrupt > 0) {
    --interference.syncs_to_interrupt;
    errno = EINTR;
    return -1;
  }
  return __real_fdatasync(descriptor);
}
}

// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

namespace rookery::os {
namespace {

class InterruptedCalls : public ::testing::Test {
 protected:
  InterruptedCalls() {
    std::string name = "/tmp/rookery_os_XXXXXX";
    root_ = mkdtemp(name.data());
    file_ = files_.open(join_path(root_, "f"), {.creation = Creation::kCreateNew}).value();
    interference = Interference{};
    interference.prng = Prng(test_seed());
  }

  ~InterruptedCalls() override {
    interference = Interference{};
    file_.reset();
    EXPECT_TRUE(remove_tree(files_, root_).has_value());
  }

  std::vector<std::byte> random_bytes(std::size_t size) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) {
      byte = static_cast<std::byte>(prng_.below(256));
    }
    return bytes;
  }

  std::vector<std::byte> read(std::uint64_t offset, std::size_t size) {
    std::vector<std::byte> bytes(size);
    EXPECT_EQ(file_->read_at(offset, bytes).value(), size);
    return bytes;
  }

  Prng prng_{test_seed()};
  PosixFileSystem files_;
  std::string root_;
  std::unique_ptr<File> file_;
};

TEST_F(InterruptedCalls, TransferEveryByteAllTheSame) {
  interference.on = true;
  for (int round = 0; round < 200; ++round) {
    const auto bytes = random_bytes(1 + prng_.below(20'000));
    const std::uint64_t offset = prng_.below(5000);
    ASSERT_TRUE(file_->write_at(offset, bytes).has_value());
    ASSERT_EQ(read(offset, bytes.size()), bytes);
  }
  EXPECT_GT(interference.interrupted, 100U);
  EXPECT_GT(interference.shortened, 100U);
}

TEST_F(InterruptedCalls, WriteEveryPartOfAVector) {
  interference.on = true;
  for (int round = 0; round < 100; ++round) {
    std::vector<std::vector<std::byte>> parts;
    std::vector<Bytes> views;
    std::vector<std::byte> all;
    for (std::uint64_t i = 1 + prng_.below(8); i > 0; --i) {
      parts.push_back(random_bytes(prng_.below(3000)));  // some are empty
      all.insert(all.end(), parts.back().begin(), parts.back().end());
    }
    for (const auto& part : parts) {
      views.emplace_back(part);
    }
    ASSERT_TRUE(file_->write_vector_at(100, views).has_value());
    ASSERT_EQ(read(100, all.size()), all);
  }
  EXPECT_GT(interference.interrupted, 50U);
  EXPECT_GT(interference.shortened, 50U);
}

TEST_F(InterruptedCalls, GiveSpace) {
  interference.on = true;
  for (std::uint64_t i = 1; i <= 30; ++i) {
    ASSERT_TRUE(file_->allocate(0, i * 4096).has_value());
    EXPECT_EQ(file_->info().value().size_bytes, i * 4096);
  }
  EXPECT_GT(interference.interrupted, 0U);
}

TEST_F(InterruptedCalls, EndInAnErrorWhereNothingIsWritten) {
  interference.writes_nothing = true;
  const auto bytes = random_bytes(10);
  const auto written = file_->write_at(0, bytes);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code(), ErrorCode::io);
  const Bytes part(bytes);
  EXPECT_EQ(file_->write_vector_at(0, {&part, 1}).error().code(), ErrorCode::io);
}

// The kernel may have told of a lost page and forgotten it (I13): the second call would say yes.
TEST_F(InterruptedCalls, OfASyncAreNeverRepeated) {
  ASSERT_TRUE(file_->write_at(0, random_bytes(10)).has_value());
  interference.syncs_to_interrupt = 1;
  EXPECT_FALSE(file_->sync_data().has_value());
  EXPECT_EQ(interference.syncs, 1U);
}

}  // namespace
}  // namespace rookery::os
