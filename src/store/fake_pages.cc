// SPDX-License-Identifier: Apache-2.0
#include "fake_pages.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "rookery/base/checksum.h"

#if defined(__SANITIZE_ADDRESS__)
#define RK_FAKE_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RK_FAKE_POISON 1
#endif
#endif
#if defined(RK_FAKE_POISON)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) (static_cast<void>(address))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) (static_cast<void>(address))
#endif

namespace rookery::store {

struct FakePages::Run {
  explicit Run(std::uint32_t pages, std::uint64_t txn_made)
      : page_count(pages), txn(txn_made), bytes(new std::byte[size()]) {
    std::memset(bytes.get(), 0, size());
    ASAN_POISON_MEMORY_REGION(trailer(), kPageTrailerSize);
  }

  ~Run() { ASAN_UNPOISON_MEMORY_REGION(bytes.get(), size()); }

  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  [[nodiscard]] std::size_t size() const { return page_count * kPageSize; }

  [[nodiscard]] std::byte* trailer() const { return bytes.get() + size() - kPageTrailerSize; }

  [[nodiscard]] Bytes readable() const { return {bytes.get(), size() - kPageTrailerSize}; }

  [[nodiscard]] bool trailer_is_clean() const {
    ASAN_UNPOISON_MEMORY_REGION(trailer(), kPageTrailerSize);
    const bool clean = std::all_of(trailer(), trailer() + kPageTrailerSize,
                                   [](std::byte byte) { return byte == std::byte{0}; });
    ASAN_POISON_MEMORY_REGION(trailer(), kPageTrailerSize);
    return clean;
  }

  std::uint32_t page_count;
  std::uint64_t txn;
  std::uint64_t checksum = 0;  // when committed or freed
  std::unique_ptr<std::byte[]> bytes;
};

FakePages::FakePages() = default;
FakePages::~FakePages() = default;

Result<void> FakePages::count_call() {
  ++call_count_;
  if (calls_left_ == kNever || calls_left_ == kFailed) {
    return {};
  }
  if (calls_left_ == 0) {
    calls_left_ = kFailed;
    return failure_;
  }
  --calls_left_;
  return {};
}

Result<std::shared_ptr<FakePages::Run>> FakePages::find(PageNo number, std::string_view caller) {
  const auto found = current_.find(number.value());
  if (found == current_.end()) {
    if (!lenient_) {
      violations_.push_back(fmt::format("{} of page {}, not in use", caller, number.value()));
    }
    return Error(ErrorCode::corrupt, "no such page");
  }
  return found->second;
}

Result<PageView> FakePages::page(PageNo number) {
  RK_TRY(count_call());
  RK_TRY_ASSIGN(const auto run, find(number, "page()"));
  if (load<PageHeader>(run->bytes.get()).page_no != number.value()) {
    return Error(ErrorCode::corrupt, "names another page");
  }
  return PageView{.data = run->bytes.get(), .page_count = run->page_count};
}

Result<MutablePage> FakePages::modify(PageNo number) {
  RK_TRY(count_call());
  RK_TRY_ASSIGN(auto run, find(number, "modify()"));
  if (run->txn != txn_) {
    auto copy = std::make_shared<Run>(run->page_count, txn_);
    std::memcpy(copy->bytes.get(), run->bytes.get(), run->readable().size());
    current_[number.value()] = copy;
    run = std::move(copy);
  }
  return MutablePage{.number = number, .data = run->bytes.get(), .page_count = run->page_count};
}

std::uint64_t FakePages::free_number(std::uint32_t page_count) const {
  std::uint64_t candidate = 1;
  for (const auto& [number, run] : current_) {
    if (candidate + page_count <= number) {
      break;
    }
    candidate = number + run->page_count;
  }
  return candidate;
}

Result<MutablePage> FakePages::allocate(const AllocateOptions& options) {
  RK_TRY(count_call());
  RK_CHECK(options.page_count > 0);
  const std::uint64_t number = free_number(options.page_count);
  auto run = std::make_shared<Run>(options.page_count, txn_);
  const PageHeader header{.checksum = 0,
                          .page_no = number,
                          .txn = txn_,
                          .owner = options.owner,
                          .type = options.type,
                          .flags = 0,
                          .page_count = static_cast<std::uint16_t>(
                              options.page_count > 0xFFFF ? 0 : options.page_count)};
  save(run->bytes.get(), header);
  const MutablePage page{
      .number = PageNo(number), .data = run->bytes.get(), .page_count = options.page_count};
  current_[number] = std::move(run);
  return page;
}

Result<void> FakePages::free(PageNo number) {
  RK_TRY(count_call());
  RK_TRY_ASSIGN(auto run, find(number, "free()"));
  current_.erase(number.value());
  bury(std::move(run));
  return {};
}

void FakePages::bury(std::shared_ptr<Run> run) {
  run->checksum = checksum64(run->readable());
  ASAN_POISON_MEMORY_REGION(run->bytes.get(), run->size());
  graveyard_.push_back(std::move(run));
}

void FakePages::dig_up() {
  for (const auto& run : graveyard_) {
    ASAN_UNPOISON_MEMORY_REGION(run->bytes.get(), run->size() - kPageTrailerSize);
    if (checksum64(run->readable()) != run->checksum) {
      violations_.push_back("a freed page was written to");
    }
  }
  graveyard_.clear();
}

void FakePages::check_committed() {
  dig_up();
  if (lenient_) {
    return;
  }
  for (const auto& [number, run] : committed_) {
    if (checksum64(run->readable()) != run->checksum) {
      violations_.push_back(fmt::format("page {} was changed without modify()", number));
    }
  }
  for (const auto& [number, run] : current_) {
    if (!run->trailer_is_clean()) {
      violations_.push_back(fmt::format("the trailer of page {} was written to", number));
    }
  }
}

void FakePages::commit() {
  check_committed();
  for (const auto& entry : current_) {
    Run& run = *entry.second;
    if (run.txn == txn_) {
      auto header = load<PageHeader>(run.bytes.get());
      header.txn = txn_;
      save(run.bytes.get(), header);
      run.checksum = checksum64(run.readable());
    }
  }
  committed_ = current_;
  ++txn_;
}

void FakePages::rollback() {
  check_committed();
  current_ = committed_;
  ++txn_;
}

void FakePages::fail_call(std::uint64_t n, ErrorCode code) {
  calls_left_ = n;
  failure_ = code;
}

std::map<std::uint64_t, std::uint32_t> FakePages::runs() const {
  std::map<std::uint64_t, std::uint32_t> counts;
  for (const auto& [number, run] : current_) {
    counts[number] = run->page_count;
  }
  return counts;
}

std::uint64_t FakePages::page_count() const {
  std::uint64_t count = 0;
  for (const auto& entry : current_) {
    count += entry.second->page_count;
  }
  return count;
}

std::uint64_t FakePages::modified_pages() const {
  std::uint64_t count = 0;
  for (const auto& entry : current_) {
    count += entry.second->txn == txn_ ? entry.second->page_count : 0;
  }
  return count;
}

std::vector<std::string> FakePages::violations() {
  check_committed();
  return violations_;
}

std::byte* FakePages::corrupt_bytes(PageNo number) {
  lenient_ = true;
  const auto found = current_.find(number.value());
  return found == current_.end() ? nullptr : found->second->bytes.get();
}

}  // namespace rookery::store
