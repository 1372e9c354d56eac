// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"
#include "rookery/os/sync.h"

// Purpose. Where pages live between their commit and the sync that makes them durable at home:
// anonymous memory up to a budget, then files in Temp/ that are allocated before they are mapped,
// so that a full disk is an error and never a signal.
// Threads: all methods may be called from several threads.
// Owns: every run that was not released.
// Source: STORE-INVARIANTS I15.

namespace rookery::store {

class MemoryBudget;
struct ScratchChunk;

// A piece of scratch for one run of pages. A value; release() it once.
struct ScratchRun {
  std::byte* data = nullptr;
  ScratchChunk* chunk = nullptr;
  std::uint32_t first = 0;
  std::uint32_t page_count = 0;
};

struct ScratchLimits {
  std::uint64_t memory_bytes_max = 0;
  std::uint64_t total_bytes_max = 0;
  bool memory_only = false;        // nothing may be written, into Temp/ neither
  MemoryBudget* budget = nullptr;  // of the process; may be null
};

class ScratchPool {
 public:
  ScratchPool(os::Platform& platform, std::string temp_path, const ScratchLimits& limits);
  ~ScratchPool();

  ScratchPool(const ScratchPool&) = delete;
  ScratchPool& operator=(const ScratchPool&) = delete;

  // Contents are undefined. Errors: no_space (the budget, or the volume of Temp/), io,
  // out_of_memory.
  [[nodiscard]] Result<ScratchRun> allocate(std::uint32_t page_count);
  // The same, beyond the budget if it must be, in memory if Temp/ is full: what recovery found in
  // the journals has to fit.
  [[nodiscard]] Result<ScratchRun> allocate_always(std::uint32_t page_count);
  void release(const ScratchRun& run) noexcept;

  // Gives back the chunk that is kept for the next commit, if nothing is in it. For an environment
  // that may be quiet for long.
  void release_unused();

  // Units: bytes of runs given out.
  [[nodiscard]] std::uint64_t used_bytes() const;

  [[nodiscard]] std::uint64_t total_bytes_max() const noexcept { return limits_.total_bytes_max; }

  // The last time that Temp/ was asked for room there was none: memory is all there is.
  [[nodiscard]] bool is_temp_full() const noexcept { return temp_full_.load(); }

 private:
  [[nodiscard]] std::byte* take_from_chunks(std::uint32_t page_count, ScratchRun& run)
      RK_REQUIRES(mutex_);
  [[nodiscard]] bool memory_allows(std::uint64_t bytes) const RK_REQUIRES(mutex_);
  [[nodiscard]] Result<ScratchChunk*> add_memory_chunk(std::uint32_t page_count)
      RK_REQUIRES(mutex_);
  [[nodiscard]] Result<ScratchChunk*> add_file_chunk(std::uint32_t page_count) RK_REQUIRES(mutex_);
  void drop_chunk(ScratchChunk* chunk) RK_REQUIRES(mutex_);

  os::Platform& platform_;
  const std::string temp_path_;
  const ScratchLimits limits_;

  std::atomic<bool> temp_full_{false};
  mutable os::Mutex mutex_;
  std::list<std::unique_ptr<ScratchChunk>> chunks_ RK_GUARDED_BY(mutex_);
  std::uint64_t memory_bytes_ RK_GUARDED_BY(mutex_) = 0;
  std::uint64_t file_bytes_ RK_GUARDED_BY(mutex_) = 0;
  std::uint64_t next_file_ RK_GUARDED_BY(mutex_) = 1;
};

}  // namespace rookery::store
