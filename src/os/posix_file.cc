// SPDX-License-Identifier: Apache-2.0
#include "posix_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rookery/base/check.h"
#include "rookery/os/os_error.h"

#include "posix_mapping.h"

namespace rookery::os {
namespace {

constexpr std::size_t kVectorMax = 1024;  // UIO_MAXIOV, the kernel's own bound
constexpr std::uint64_t kStatBlock = 512;

// Two bytes far beyond any data. The first carries the lock itself, bound to the open file
// description. The second carries a classic lock of the holder's process: only that kind tells its
// pid, and it counts for nothing else, since any close of the file by its process drops it.
constexpr off_t kLockByte = off_t{1} << 62U;
constexpr off_t kHolderByte = kLockByte + 1;

off_t to_off(std::uint64_t value) noexcept {
  RK_CHECK(value <= static_cast<std::uint64_t>(INT64_MAX));
  return static_cast<off_t>(value);
}

struct flock whole_byte(off_t byte, short type) noexcept {
  struct flock lock {};

  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

// Drops `done` bytes from the front.
void advance(std::span<iovec>& vectors, std::size_t done) noexcept {
  while (done > 0) {
    iovec& first = vectors.front();
    if (done >= first.iov_len) {
      done -= first.iov_len;
      vectors = vectors.subspan(1);
    } else {
      first.iov_base = static_cast<std::byte*>(first.iov_base) + done;
      first.iov_len -= done;
      done = 0;
    }
  }
}

}  // namespace

FileInfo to_file_info(const struct stat& facts) noexcept {
  return {.size_bytes = static_cast<std::uint64_t>(facts.st_size),
          .allocated_bytes = static_cast<std::uint64_t>(facts.st_blocks) * kStatBlock,
          .link_count = facts.st_nlink,
          .inode = facts.st_ino,
          .device = facts.st_dev,
          .is_directory = S_ISDIR(facts.st_mode)};
}

PosixFile::PosixFile(std::string path, int descriptor, bool direct) noexcept
    : path_(std::move(path)), descriptor_(descriptor), direct_(direct) {}

// What close reports is not looked at: durability is sync_data's business, and after an error the
// descriptor is gone all the same.
PosixFile::~PosixFile() {
  static_cast<void>(::close(descriptor_));
}

// Some file systems take O_DIRECT at open and refuse it at the transfer.
bool PosixFile::leave_direct_mode() {
  if (!direct_.exchange(false, std::memory_order_relaxed)) {
    return false;
  }
  const int flags = ::fcntl(descriptor_, F_GETFL);
  return flags >= 0 && ::fcntl(descriptor_, F_SETFL, flags & ~O_DIRECT) == 0;
}

Result<std::size_t> PosixFile::read_at(std::uint64_t offset, MutableBytes into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got =
        ::pread(descriptor_, into.data() + done, into.size() - done, to_off(offset + done));
    if (got < 0) {
      if (errno == EINTR || (errno == EINVAL && leave_direct_mode())) {
        continue;
      }
      return os_error("pread", path_, errno);
    }
    if (got == 0) {
      break;
    }
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<void> PosixFile::write_at(std::uint64_t offset, Bytes from) {
  while (!from.empty()) {
    const ssize_t put = ::pwrite(descriptor_, from.data(), from.size(), to_off(offset));
    if (put < 0) {
      if (errno == EINTR || (errno == EINVAL && leave_direct_mode())) {
        continue;
      }
      return os_error("pwrite", path_, errno);
    }
    if (put == 0) {  // not promised to be impossible; looping on it would hang
      return os_error("pwrite", path_, EIO);
    }
    offset += static_cast<std::uint64_t>(put);
    from = from.subspan(static_cast<std::size_t>(put));
  }
  return {};
}

Result<void> PosixFile::write_vector_at(std::uint64_t offset, std::span<const Bytes> parts) {
  std::vector<iovec> storage;
  storage.reserve(parts.size());
  for (const Bytes part : parts) {
    if (!part.empty()) {
      // The kernel only reads from it. NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
      storage.push_back({.iov_base = const_cast<std::byte*>(part.data()), .iov_len = part.size()});
    }
  }
  std::span<iovec> left(storage);
  while (!left.empty()) {
    const int count = static_cast<int>(std::min(left.size(), kVectorMax));
    const ssize_t put = ::pwritev(descriptor_, left.data(), count, to_off(offset));
    if (put < 0) {
      if (errno == EINTR || (errno == EINVAL && leave_direct_mode())) {
        continue;
      }
      return os_error("pwritev", path_, errno);
    }
    if (put == 0) {
      return os_error("pwritev", path_, EIO);
    }
    offset += static_cast<std::uint64_t>(put);
    advance(left, static_cast<std::size_t>(put));
  }
  return {};
}

// Never repeated, not even after EINTR: the kernel may have reported and forgotten an error (I13).
Result<void> PosixFile::sync_data() {
  if (::fdatasync(descriptor_) != 0) {
    return os_error("fdatasync", path_, errno);
  }
  return {};
}

Result<void> PosixFile::allocate(std::uint64_t offset, std::uint64_t length) {
  int failed = 0;
  do {
    failed = ::fallocate(descriptor_, 0, to_off(offset), to_off(length)) == 0 ? 0 : errno;
  } while (failed == EINTR);
  if (failed == EOPNOTSUPP) {
    RK_TRY_ASSIGN(const FileInfo facts, info());
    return fill_with_zeros(std::max(offset, facts.size_bytes), offset + length);
  }
  if (failed != 0) {
    return os_error("fallocate", path_, failed);
  }
  return {};
}

Result<void> PosixFile::fill_with_zeros(std::uint64_t offset, std::uint64_t end) {
  alignas(kDirectAlignment) static constexpr std::array<std::byte, 64 * 1024> kZeros{};
  while (offset < end) {
    const std::uint64_t count = std::min<std::uint64_t>(kZeros.size(), end - offset);
    RK_TRY(write_at(offset, Bytes(kZeros).first(count)));
    offset += count;
  }
  return {};
}

Result<void> PosixFile::punch_hole(std::uint64_t offset, std::uint64_t length) {
  int failed = 0;
  do {
    failed = ::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, to_off(offset),
                         to_off(length)) == 0
                 ? 0
                 : errno;
  } while (failed == EINTR);
  if (failed != 0) {
    return os_error("fallocate(punch)", path_, failed);
  }
  return {};
}

Result<void> PosixFile::truncate(std::uint64_t size_bytes) {
  while (::ftruncate(descriptor_, to_off(size_bytes)) != 0) {
    if (errno != EINTR) {
      return os_error("ftruncate", path_, errno);
    }
  }
  return {};
}

Result<FileInfo> PosixFile::info() {
  struct stat facts {};

  if (::fstat(descriptor_, &facts) != 0) {
    return os_error("fstat", path_, errno);
  }
  return to_file_info(facts);
}

Result<std::optional<std::int64_t>> PosixFile::try_lock() {
  struct flock wanted = whole_byte(kLockByte, F_WRLCK);
  if (::fcntl(descriptor_, F_OFD_SETLK, &wanted) == 0) {
    struct flock holder = whole_byte(kHolderByte, F_WRLCK);
    static_cast<void>(::fcntl(descriptor_, F_SETLK, &holder));  // a hint; see kHolderByte
    return std::optional<std::int64_t>();
  }
  if (errno != EAGAIN && errno != EACCES) {
    return os_error("fcntl(F_OFD_SETLK)", path_, errno);
  }
  // Asked as an open file description, so that this process's own classic lock is seen too.
  struct flock holder = whole_byte(kHolderByte, F_WRLCK);
  if (::fcntl(descriptor_, F_OFD_GETLK, &holder) != 0 || holder.l_type == F_UNLCK ||
      holder.l_pid < 0) {
    return std::optional<std::int64_t>(0);
  }
  return std::optional<std::int64_t>(holder.l_pid);
}

Result<std::unique_ptr<Mapping>> PosixFile::map(std::uint64_t length, Access access) {
  return map_descriptor(descriptor_, length, access, path_);
}

}  // namespace rookery::os
