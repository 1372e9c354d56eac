// SPDX-License-Identifier: Apache-2.0
#include "header_file.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rookery/base/checksum.h"

namespace rookery::store {
namespace {

constexpr std::uint64_t kMagic = 0x3130524448524B52;  // "RKRHDR01"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kChecksumOffset = kHeaderSize - sizeof(std::uint64_t);
constexpr std::array<std::string_view, 2> kNames{"header.one", "header.two"};

struct HeaderBytes {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t record_size;
  // A program that does not know a set bit: may go on (compatible), may only read (read_only), must
  // not open (incompatible).
  std::uint64_t compatible_bits;
  std::uint64_t read_only_bits;
  std::uint64_t incompatible_bits;
  std::array<std::byte, 32> mac;  // zeros without encryption
  HeaderRecord record;
};

static_assert(sizeof(HeaderBytes) <= kChecksumOffset);
static_assert(std::has_unique_object_representations_v<HeaderBytes>);

}  // namespace

void encode_header(const HeaderRecord& record, MutableBytes to) {
  RK_CHECK(to.size() == kHeaderSize);
  std::memset(to.data(), 0, to.size());
  save(to.data(), HeaderBytes{kMagic, kVersion, sizeof(HeaderRecord), 0, 0, 0, {}, record});
  save(to.data() + kChecksumOffset, checksum64(to.first(kChecksumOffset)));
}

Result<std::optional<HeaderRecord>> decode_header(Bytes bytes, bool read_only) {
  if (bytes.size() != kHeaderSize || load<std::uint64_t>(bytes.data() + kChecksumOffset) !=
                                         checksum64(bytes.first(kChecksumOffset))) {
    return std::optional<HeaderRecord>();
  }
  const auto header = load<HeaderBytes>(bytes.data());
  if (header.magic != kMagic) {
    return std::optional<HeaderRecord>();
  }
  if (header.version != kVersion || header.record_size != sizeof(HeaderRecord) ||
      header.incompatible_bits != 0) {
    return Error(ErrorCode::incompatible,
                 fmt::format("header of version {}, features {:#x}; this program knows version {}",
                             header.version, header.incompatible_bits, kVersion));
  }
  if (header.read_only_bits != 0 && !read_only) {
    return Error(ErrorCode::incompatible,
                 fmt::format("features {:#x}: this program may only read", header.read_only_bits));
  }
  const HeaderRecord& record = header.record;
  if (record.incarnation_count > kIncarnationsMax || record.start_retired > 1 ||
      record.has_fence > 1 ||
      std::max({record.epoch, record.counter, record.next_seq, record.meta.txn}) > kCountMax) {
    return Error(ErrorCode::corrupt, "header: its checksum holds but its counts cannot be");
  }
  return std::optional(record);
}

HeaderFiles::HeaderFiles(os::Platform& platform, std::string directory)
    : platform_(platform), directory_(std::move(directory)) {}

std::string HeaderFiles::path(std::size_t index) const {
  return os::join_path(directory_, kNames[index]);
}

Result<HeaderFiles::Loaded> HeaderFiles::load(bool read_only) {
  std::array<std::optional<HeaderRecord>, 2> records;
  for (std::size_t i = 0; i < 2; ++i) {
    auto file = platform_.files.open(path(i), {.access = os::Access::kReadOnly});
    if (!file && file.error().code() == ErrorCode::not_found) {
      if (i == 0) {
        return file.error();
      }
      continue;
    }
    if (!file) {
      return std::move(file).error();
    }
    std::vector<std::byte> bytes(kHeaderSize);
    RK_TRY_ASSIGN(const std::size_t size, (*file)->read_at(0, bytes));
    RK_TRY_ASSIGN(records[i], decode_header(Bytes(bytes).first(size), read_only));
  }
  if (!records[0] && !records[1]) {
    return Error(ErrorCode::corrupt,
                 fmt::format("{}: neither header.one nor header.two is whole", directory_));
  }
  const bool both = records[0] && records[1];
  if (both && records[0]->environment_id != records[1]->environment_id) {
    return Error(ErrorCode::corrupt,
                 fmt::format("{}: the two headers are of different environments", directory_));
  }
  newer_ = both ? (records[0]->counter > records[1]->counter ? 0 : 1) : (records[0] ? 0 : 1);
  alike_ = false;
  if (both) {
    HeaderRecord twin = *records[1 - newer_];
    twin.counter = records[newer_]->counter;
    alike_ = std::memcmp(&twin, &*records[newer_], sizeof(HeaderRecord)) == 0;
  }
  return Loaded{*records[newer_], !both};
}

Result<void> HeaderFiles::harden(const HeaderRecord& loaded) {
  return alike_ ? Result<void>() : write_slot(newer_, loaded);
}

Result<void> HeaderFiles::create(const HeaderRecord& record) {
  std::vector<std::byte> bytes(kHeaderSize);
  HeaderRecord second = record;
  second.counter = record.counter + 1;
  const std::string making = path(0) + ".creating";
  const std::array<std::pair<std::string, const HeaderRecord*>, 2> steps{
      std::pair{path(1), &record}, std::pair{making, static_cast<const HeaderRecord*>(&second)}};
  for (const auto& [where, what] : steps) {
    RK_TRY_ASSIGN(auto file,
                  platform_.files.open(where, {.creation = os::Creation::kOpenOrCreate}));
    encode_header(*what, bytes);
    RK_TRY(file->write_at(0, bytes));
    RK_TRY(file->sync_data());
  }
  RK_TRY(platform_.files.sync_directory(directory_));
  RK_TRY(platform_.files.rename(making, path(0)));
  newer_ = 0;
  return platform_.files.sync_directory(directory_);
}

Result<void> HeaderFiles::create_unguarded(const HeaderRecord& record) {
  std::vector<std::byte> bytes(kHeaderSize);
  HeaderRecord next = record;
  for (std::size_t i = 2; i-- > 0; ++next.counter) {
    RK_TRY_ASSIGN(auto file, platform_.files.open(path(i), {.creation = os::Creation::kCreateNew}));
    encode_header(next, bytes);
    RK_TRY(file->write_at(0, bytes));
    RK_TRY(file->sync_data());
  }
  return platform_.files.sync_directory(directory_);
}

Result<void> HeaderFiles::write_slot(std::size_t index, const HeaderRecord& record) {
  // header.two may be missing after a copy by hand: it is made again. Opened anew each time: an
  // idle environment holds no descriptor for it, and a failure is not believed away later.
  RK_TRY_ASSIGN(
      auto file,
      platform_.files.open(path(index), {.creation = index == 1 ? os::Creation::kOpenOrCreate
                                                                : os::Creation::kOpenExisting}));
  std::vector<std::byte> bytes(kHeaderSize);
  encode_header(record, bytes);
  RK_TRY(file->write_at(0, bytes));
  return file->sync_data();
}

Result<void> HeaderFiles::write(HeaderRecord& record) {
  const std::size_t older = 1 - newer_;
  ++record.counter;
  RK_TRY(write_slot(older, record));
  newer_ = older;
  return {};
}

Result<void> HeaderFiles::write_both(HeaderRecord& record) {
  RK_TRY(write(record));
  return write(record);
}

}  // namespace rookery::store
