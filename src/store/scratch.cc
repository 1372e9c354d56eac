// SPDX-License-Identifier: Apache-2.0
#include "scratch.h"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "rookery/store/ids.h"
#include "rookery/store/memory_budget.h"

#include "bit_runs.h"

#if defined(__SANITIZE_ADDRESS__)
#define RK_STORE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RK_STORE_ASAN 1
#endif
#endif
#if defined(RK_STORE_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace rookery::store {
namespace {

constexpr std::uint32_t kMemoryChunkPages = 64;
constexpr std::uint32_t kFileChunkPages = 1024;
constexpr std::align_val_t kChunkAlignment{4096};

// A released run that somebody still reads is a bug that must not depend on luck to be seen.
void poison(const std::byte* data, std::size_t size) noexcept {
#if defined(RK_STORE_ASAN)
  ASAN_POISON_MEMORY_REGION(data, size);
#else
  static_cast<void>(data);
  static_cast<void>(size);
#endif
}

void unpoison(const std::byte* data, std::size_t size) noexcept {
#if defined(RK_STORE_ASAN)
  ASAN_UNPOISON_MEMORY_REGION(data, size);
#else
  static_cast<void>(data);
  static_cast<void>(size);
#endif
}

}  // namespace

struct ScratchChunk {
  std::byte* data = nullptr;
  std::uint32_t page_count = 0;
  std::uint32_t free_count = 0;
  std::vector<std::uint64_t> free_bits;  // set: free
  std::unique_ptr<os::Mapping> mapping;  // null: anonymous memory
  std::string path;
  std::list<std::unique_ptr<ScratchChunk>>::iterator self;

  [[nodiscard]] std::uint64_t size_bytes() const noexcept {
    return std::uint64_t{page_count} * kPageSize;
  }

  void reset(std::byte* bytes, std::uint32_t pages) {
    data = bytes;
    page_count = pages;
    free_count = pages;
    free_bits.assign((pages + 63) / 64, 0);
    set_bits(free_bits, 0, pages);
    poison(data, size_bytes());
  }
};

ScratchPool::ScratchPool(os::Platform& platform, std::string temp_path, const ScratchLimits& limits)
    : platform_(platform), temp_path_(std::move(temp_path)), limits_(limits) {}

ScratchPool::~ScratchPool() {
  const os::MutexLock lock(mutex_);
  while (!chunks_.empty()) {
    drop_chunk(chunks_.front().get());
  }
}

std::byte* ScratchPool::take_from_chunks(std::uint32_t page_count, ScratchRun& run) {
  for (const auto& chunk : chunks_) {
    if (chunk->free_count < page_count) {
      continue;
    }
    const auto first = find_set_run(chunk->free_bits, page_count, 0);
    if (!first) {
      continue;
    }
    clear_bits(chunk->free_bits, *first, page_count);
    chunk->free_count -= page_count;
    run = {chunk->data + *first * kPageSize, chunk.get(), static_cast<std::uint32_t>(*first),
           page_count};
    unpoison(run.data, page_count * kPageSize);
    return run.data;
  }
  return nullptr;
}

// Of two environments at the same time both may be let in: the budget is then off by a chunk each.
bool ScratchPool::memory_allows(std::uint64_t bytes) const {
  return memory_bytes_ + bytes <= limits_.memory_bytes_max &&
         (limits_.budget == nullptr ||
          limits_.budget->used() + bytes <= limits_.budget->bytes_max());
}

Result<ScratchChunk*> ScratchPool::add_memory_chunk(std::uint32_t page_count) {
  const std::uint32_t pages = std::max(page_count, kMemoryChunkPages);
  auto* data =
      static_cast<std::byte*>(::operator new(pages* kPageSize, kChunkAlignment, std::nothrow));
  if (data == nullptr) {
    return Error(ErrorCode::out_of_memory, fmt::format("scratch: {} pages", pages));
  }
  chunks_.push_front(std::make_unique<ScratchChunk>());
  ScratchChunk* chunk = chunks_.front().get();
  chunk->self = chunks_.begin();
  chunk->reset(data, pages);
  memory_bytes_ += chunk->size_bytes();
  if (limits_.budget != nullptr) {
    limits_.budget->take(chunk->size_bytes());
  }
  return chunk;
}

Result<ScratchChunk*> ScratchPool::add_file_chunk(std::uint32_t page_count) {
  const std::uint32_t pages = std::max(page_count, kFileChunkPages);
  const std::uint64_t size = std::uint64_t{pages} * kPageSize;
  const std::string path = os::join_path(temp_path_, fmt::format("scratch.{:06}", next_file_++));
  RK_TRY_ASSIGN(auto file, platform_.files.open(path, {.creation = os::Creation::kCreateNew}));
  auto allocated = file->allocate(0, size);
  auto mapping = allocated ? file->map(size, os::Access::kReadWrite)
                           : Result<std::unique_ptr<os::Mapping>>(allocated.error());
  temp_full_.store(!mapping && mapping.error().code() == ErrorCode::no_space);
  if (!mapping) {
    static_cast<void>(platform_.files.remove_file(path));
    return mapping.error();
  }
  chunks_.push_back(std::make_unique<ScratchChunk>());
  ScratchChunk* chunk = chunks_.back().get();
  chunk->self = std::prev(chunks_.end());
  chunk->mapping = std::move(mapping).value();
  chunk->path = path;
  chunk->reset(chunk->mapping->writable_data(), pages);
  file_bytes_ += size;
  return chunk;
}

void ScratchPool::drop_chunk(ScratchChunk* chunk) {
  unpoison(chunk->data, chunk->size_bytes());
  if (chunk->mapping == nullptr) {
    memory_bytes_ -= chunk->size_bytes();
    if (limits_.budget != nullptr) {
      limits_.budget->give_back(chunk->size_bytes());
    }
    ::operator delete(chunk->data, kChunkAlignment);
  } else {
    file_bytes_ -= chunk->size_bytes();
    chunk->mapping.reset();
    // Temp/ is emptied at the next open in any case.
    static_cast<void>(platform_.files.remove_file(chunk->path));
  }
  chunks_.erase(chunk->self);
}

Result<ScratchRun> ScratchPool::allocate(std::uint32_t page_count) {
  RK_CHECK(page_count > 0);
  const os::MutexLock lock(mutex_);
  ScratchRun run;
  if (take_from_chunks(page_count, run) != nullptr) {
    return run;
  }
  const std::uint64_t memory = std::uint64_t{std::max(page_count, kMemoryChunkPages)} * kPageSize;
  const std::uint64_t in_file = std::uint64_t{std::max(page_count, kFileChunkPages)} * kPageSize;
  if (memory_allows(memory) && memory_bytes_ + file_bytes_ + memory <= limits_.total_bytes_max) {
    RK_TRY(add_memory_chunk(page_count));
  } else if (memory_bytes_ + file_bytes_ + in_file <= limits_.total_bytes_max) {
    RK_TRY(add_file_chunk(page_count));
  } else {
    return Error(
        ErrorCode::no_space,
        fmt::format("scratch: {} bytes hold pages that are not synced yet, the bound is {}",
                    memory_bytes_ + file_bytes_, limits_.total_bytes_max));
  }
  RK_CHECK(take_from_chunks(page_count, run) != nullptr);
  return run;
}

Result<ScratchRun> ScratchPool::allocate_always(std::uint32_t page_count) {
  RK_CHECK(page_count > 0);
  const os::MutexLock lock(mutex_);
  ScratchRun run;
  if (take_from_chunks(page_count, run) != nullptr) {
    return run;
  }
  const std::uint64_t memory = std::uint64_t{std::max(page_count, kMemoryChunkPages)} * kPageSize;
  if (memory_allows(memory) || limits_.memory_only || !add_file_chunk(page_count)) {
    RK_TRY(add_memory_chunk(page_count));
  }
  RK_CHECK(take_from_chunks(page_count, run) != nullptr);
  return run;
}

void ScratchPool::release(const ScratchRun& run) noexcept {
  const os::MutexLock lock(mutex_);
  ScratchChunk* chunk = run.chunk;
  RK_CHECK(chunk != nullptr);
  RK_CHECK(!any_set(chunk->free_bits, run.first, run.page_count));
  set_bits(chunk->free_bits, run.first, run.page_count);
  chunk->free_count += run.page_count;
  poison(run.data, run.page_count * kPageSize);
  // One chunk of memory is kept, so that a quiet environment does not map and unmap at each commit.
  const bool keep = chunk->mapping == nullptr && chunk->page_count == kMemoryChunkPages &&
                    memory_bytes_ == chunk->size_bytes();
  if (chunk->free_count == chunk->page_count && !keep) {
    drop_chunk(chunk);
  }
}

void ScratchPool::release_unused() {
  const os::MutexLock lock(mutex_);
  for (auto next = chunks_.begin(); next != chunks_.end();) {
    ScratchChunk* chunk = (next++)->get();
    if (chunk->free_count == chunk->page_count) {
      drop_chunk(chunk);
    }
  }
}

std::uint64_t ScratchPool::used_bytes() const {
  const os::MutexLock lock(mutex_);
  std::uint64_t free_pages = 0;
  for (const auto& chunk : chunks_) {
    free_pages += chunk->free_count;
  }
  return memory_bytes_ + file_bytes_ - free_pages * kPageSize;
}

}  // namespace rookery::store
