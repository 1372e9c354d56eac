// SPDX-License-Identifier: Apache-2.0
#include "data_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace rookery::store {
namespace {

constexpr std::uint64_t kFirstTierBytes = 4ULL << 30U;
constexpr std::uint64_t kTierFactor = 16;
constexpr std::uint64_t kGrowthFirstBytes = 256 * 1024;
constexpr std::uint64_t kGrowthStepMaxBytes = 1ULL << 30U;

std::uint64_t tier_for(std::uint64_t size_bytes) noexcept {
  std::uint64_t tier = kFirstTierBytes;
  while (tier < size_bytes) {
    tier *= kTierFactor;
  }
  return tier;
}

}  // namespace

DataMap::DataMap(std::unique_ptr<os::Mapping> mapping)
    : mapping_(std::move(mapping)),
      verified_((mapping_->size() / kPageSize + kBlockWords * 64 - 1) / (kBlockWords * 64)) {}

DataMap::~DataMap() {
  for (auto& block : verified_) {
    delete block.load();
  }
}

std::atomic<std::uint64_t>& DataMap::verified_word(std::uint64_t number) const {
  std::atomic<Block*>& place = verified_[static_cast<std::size_t>(number / (kBlockWords * 64))];
  Block* block = place.load();
  if (block == nullptr) {
    auto fresh = std::make_unique<Block>();
    if (place.compare_exchange_strong(block, fresh.get())) {
      block = fresh.release();
    }
  }
  return (*block)[static_cast<std::size_t>(number / 64 % kBlockWords)];
}

Result<PageView> DataMap::page(const PageExpectation& expected) const {
  const std::uint64_t number = expected.number.value();
  const std::uint64_t readable = std::min(readable_pages_.load(), mapping_->size() / kPageSize);
  if (number >= readable || number >= expected.page_limit) {
    return Error(ErrorCode::corrupt,
                 fmt::format("page {} lies behind the end: the file has {} pages, the snapshot {}",
                             number, readable, expected.page_limit));
  }
  const std::byte* data = mapping_->data() + number * kPageSize;
  const auto header = load<PageHeader>(data);
  if (mapping_->faulted()) {
    return Error(ErrorCode::io, fmt::format("page {}: reading the data file failed", number));
  }
  RK_TRY(check_page_header(header, expected));
  if (number + header.page_count > readable) {
    return Error(ErrorCode::corrupt, fmt::format("page {}: its run lies behind the end", number));
  }
  std::atomic<std::uint64_t>& word = verified_word(number);
  const std::uint64_t bit = std::uint64_t{1} << (number % 64);
  if ((word.load(std::memory_order_relaxed) & bit) == 0) {  // relaxed: see verified_
    const bool holds = page_checksum_holds(data, header.page_count);
    if (mapping_->faulted()) {
      return Error(ErrorCode::io, fmt::format("page {}: reading the data file failed", number));
    }
    if (!holds) {
      return Error(ErrorCode::corrupt, fmt::format("page {}: wrong checksum", number));
    }
    word.fetch_or(bit, std::memory_order_relaxed);  // relaxed: see verified_
  }
  return PageView{data, header.page_count};
}

void DataMap::forget(PageNo number) const noexcept {
  if (number.value() < mapping_->size() / kPageSize) {
    verified_word(number.value())
        .fetch_and(~(std::uint64_t{1} << (number.value() % 64)),
                   std::memory_order_relaxed);  // relaxed: see verified_
  }
}

DataFile::DataFile(os::Platform& platform, std::string path, std::unique_ptr<os::File> file)
    : platform_(platform), path_(std::move(path)), lock_file_(std::move(file)) {}

Result<std::unique_ptr<DataFile>> DataFile::open(os::Platform& platform, std::string path,
                                                 bool create) {
  const auto creation = create ? os::Creation::kOpenOrCreate : os::Creation::kOpenExisting;
  RK_TRY_ASSIGN(auto file, platform.files.open(path, {.creation = creation}));
  RK_TRY_ASSIGN(const auto holder, file->try_lock());
  if (holder) {
    return Error(ErrorCode::busy,
                 *holder > 0 ? fmt::format("{}: held by process {}", path, *holder)
                             : fmt::format("{}: held by another process or environment", path));
  }
  auto data = std::unique_ptr<DataFile>(new DataFile(platform, std::move(path), std::move(file)));
  RK_TRY_ASSIGN(data->file_, platform.files.open(data->path_, {}));
  RK_TRY_ASSIGN(const auto info, data->file_->info());
  data->size_bytes_.store(info.size_bytes);
  return data;
}

std::shared_ptr<DataMap> DataFile::map() const {
  const os::MutexLock lock(map_mutex_);
  return map_;
}

Result<void> DataFile::replace_map(std::uint64_t size_bytes) {
  RK_TRY_ASSIGN(auto mapping, file_->map(tier_for(size_bytes), os::Access::kReadOnly));
  auto fresh = std::make_shared<DataMap>(std::move(mapping));
  fresh->set_readable_pages(size_bytes_.load() / kPageSize);
  const os::MutexLock lock(map_mutex_);
  map_ = std::move(fresh);
  return {};
}

Result<void> DataFile::map_first() {
  RK_CHECK(map() == nullptr);
  const os::MutexLock lock(growth_mutex_);
  return replace_map(size_bytes_.load());
}

Result<void> DataFile::map_again() {
  const os::MutexLock lock(growth_mutex_);
  return replace_map(size_bytes_.load());
}

Result<void> DataFile::grow_to(std::uint64_t page_count) {
  const std::uint64_t needed = page_count * kPageSize;
  const os::MutexLock lock(growth_mutex_);
  const std::uint64_t size = size_bytes_.load();
  if (needed > size) {
    const std::uint64_t step = std::clamp(size, kGrowthFirstBytes, kGrowthStepMaxBytes);
    std::uint64_t target = std::max(needed, size + step);
    write_calls_.fetch_add(1);
    auto allocated = file_->allocate(size, target - size);
    if (!allocated && allocated.error().code() == ErrorCode::no_space && target > needed) {
      target = needed;
      allocated = file_->allocate(size, target - size);
    }
    RK_TRY(allocated);
    size_bytes_.store(target);
    if (map()->size_bytes() < target) {
      RK_TRY(replace_map(target));
    }
    map()->set_readable_pages(target / kPageSize);
  }
  if (map()->size_bytes() < size_bytes_.load()) {  // the map could not be made the last time
    RK_TRY(replace_map(size_bytes_.load()));
  }
  return {};
}

Result<void> DataFile::write(const std::vector<DataWrite>& runs, bool vectored) {
  RK_CHECK(!runs.empty());
  std::vector<Bytes> parts;
  parts.reserve(runs.size());
  const auto current = map();
  std::uint64_t next = runs.front().number.value();
  for (const DataWrite& run : runs) {
    RK_CHECK(run.number.value() == next);
    next += run.page_count;
    current->forget(run.number);
    parts.emplace_back(run.data, run.page_count * kPageSize);
  }
  RK_CHECK(next * kPageSize <= size_bytes_.load());
  std::uint64_t offset = runs.front().number.value() * kPageSize;
  if (vectored) {
    write_calls_.fetch_add(1);
    return file_->write_vector_at(offset, parts);
  }
  for (const Bytes part : parts) {
    write_calls_.fetch_add(1);
    RK_TRY(file_->write_at(offset, part));
    offset += part.size();
  }
  return {};
}

Result<void> DataFile::sync() {
  return file_->sync_data();
}

Result<void> DataFile::reopen() {
  const os::MutexLock lock(growth_mutex_);
  RK_TRY_ASSIGN(file_, platform_.files.open(path_, {}));
  return {};
}

std::uint64_t DataFile::allocated_bytes() const {
  auto info = lock_file_->info();
  return info ? info->allocated_bytes : 0;
}

}  // namespace rookery::store
