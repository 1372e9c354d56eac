// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "rookery/base/prng.h"
#include "rookery/os/shared_memory.h"
#include "rookery/testing/sim_file_system.h"

namespace rookery::testing {

inline constexpr std::uint64_t kSector = 512;
inline constexpr std::uint64_t kBlock = 4096;  // of allocation, and of sharing between disks

using Sector = std::array<std::byte, kSector>;
using Block = std::array<std::byte, kBlock>;

// Purpose. The durable bytes of one file. A block that was never anything but zeros is absent.
struct DurableContent {
  std::uint64_t size_bytes = 0;
  std::map<std::uint64_t, std::shared_ptr<const Block>> blocks;  // shared with copies of the disk
  std::vector<bool> allocated;                                   // one a block

  // Copies the block first if somebody shares it.
  void put_sector(std::uint64_t sector, const Sector& bytes);
  [[nodiscard]] Sector sector(std::uint64_t sector) const;
  // After `allocated` was replaced: a block with bytes has its place, a hole has none.
  void settle_allocation();
  // Nothing beyond the size may come back when the file grows.
  void trim();
};

using DurableContentPtr = std::shared_ptr<const DurableContent>;

// Purpose. One file: what is visible, what is durable, and every version between.
// Threads: one at a time (the file system's lock); views of the visible bytes are read meanwhile.
class SimContent {
 public:
  explicit SimContent(DurableContentPtr durable);
  SimContent(const SimContent&) = delete;
  SimContent& operator=(const SimContent&) = delete;

  // Brings the durable bytes into view; needed before anything that touches them.
  Result<void> load(std::string_view path);

  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_bytes_; }

  [[nodiscard]] std::uint64_t allocated_blocks() const noexcept { return allocated_blocks_; }

  // Number of the last change; a sync that begins now covers everything up to it.
  [[nodiscard]] std::uint64_t sequence() const noexcept { return sequence_; }

  [[nodiscard]] std::size_t read(std::uint64_t offset, MutableBytes into) noexcept;

  // Blocks of the range that are not allocated yet.
  [[nodiscard]] std::uint64_t missing_blocks(std::uint64_t offset, std::uint64_t end) const;
  // Requires: reach() of the end succeeded.
  void allocate_blocks(std::uint64_t offset, std::uint64_t end);
  Result<void> reach(std::string_view path, std::uint64_t end);

  // What becomes of written bytes.
  enum class Fate : std::uint8_t { kPending, kLost };
  // Writes within one sector. `began`: sequence() when the whole write began.
  // Requires: reached and allocated.
  void write_piece(std::uint64_t offset, Bytes piece, std::uint64_t began, Fate fate);
  void grow(std::uint64_t size_bytes);
  void shrink(std::uint64_t size_bytes);
  // Zeros the range inside the file. Returns the blocks given back.
  std::uint64_t punch(std::uint64_t offset, std::uint64_t end);

  // Everything up to `sequence` is durable.
  void make_durable(std::uint64_t sequence);
  // As make_durable, of these sectors (and the size) only.
  void make_durable_range(std::uint64_t offset, std::uint64_t end, std::uint64_t sequence);
  // A sync that is cut: some of it has arrived.
  void make_some_durable(Prng& prng);
  // The fsync trap: what is pending becomes lost.
  void forget_pending();
  // What is lost disappears from view.
  void drop_lost() noexcept;
  void flip_bits(std::uint64_t offset, std::uint8_t mask);

  Result<std::unique_ptr<os::Mapping>> view(std::string_view path, std::uint64_t length,
                                            os::Access access);

  [[nodiscard]] DurableContentPtr survivors(Survival survival, Prng& prng);

 private:
  struct SectorVersion {
    std::uint64_t sequence = 0;
    Sector bytes{};
  };

  struct SizeVersion {
    std::uint64_t sequence = 0;
    std::uint64_t size_bytes = 0;
  };

  DurableContent& durable_for_change();
  [[nodiscard]] Sector visible_sector(std::uint64_t sector) noexcept;
  void note_sector(std::uint64_t sector);
  void note_size(std::uint64_t began);
  void zero_range(std::uint64_t offset, std::uint64_t end);
  // A writable map changes bytes without a call; they count as written when somebody looks.
  void absorb_map_writes();
  void settle_size(std::uint64_t sequence);
  [[nodiscard]] std::uint64_t count_allocated() const;

  DurableContentPtr durable_;
  bool loaded_ = false;
  bool mapped_writable_ = false;
  os::SharedMemory memory_;
  std::uint64_t size_bytes_ = 0;
  std::vector<bool> allocated_;
  std::uint64_t allocated_blocks_ = 0;

  std::uint64_t sequence_ = 0;
  std::map<std::uint64_t, std::vector<SectorVersion>> pending_;  // oldest first
  std::vector<SizeVersion> pending_sizes_;                       // oldest first
  std::set<std::uint64_t> lost_;                                 // sectors visible, never durable
};

}  // namespace rookery::testing
