// SPDX-License-Identifier: Apache-2.0
#include "sim_content.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rookery/base/check.h"

namespace rookery::testing {
namespace {

constexpr std::uint64_t kSectorsPerBlock = kBlock / kSector;

std::uint64_t blocks_for(std::uint64_t bytes) noexcept {
  return (bytes + kBlock - 1) / kBlock;
}

bool all_zero(Bytes bytes) noexcept {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

void DurableContent::put_sector(std::uint64_t sector, const Sector& bytes) {
  const std::uint64_t number = sector / kSectorsPerBlock;
  if (allocated.size() <= number) {
    allocated.resize(number + 1);
  }
  allocated[number] = true;
  const auto found = blocks.find(number);
  if (found == blocks.end() && all_zero(bytes)) {
    return;
  }
  std::shared_ptr<Block> block;
  if (found == blocks.end()) {
    block = std::make_shared<Block>();
    blocks.emplace(number, block);
  } else if (found->second.use_count() > 1) {
    block = std::make_shared<Block>(*found->second);
    found->second = block;
  } else {
    // Made as non-const, here or above, and not shared. NOLINTNEXTLINE
    block = std::const_pointer_cast<Block>(found->second);
  }
  std::memcpy(block->data() + sector % kSectorsPerBlock * kSector, bytes.data(), kSector);
}

Sector DurableContent::sector(std::uint64_t sector) const {
  Sector bytes{};
  const auto found = blocks.find(sector / kSectorsPerBlock);
  if (found != blocks.end()) {
    std::memcpy(bytes.data(), found->second->data() + sector % kSectorsPerBlock * kSector, kSector);
  }
  return bytes;
}

void DurableContent::settle_allocation() {
  for (auto at = blocks.begin(); at != blocks.end();) {
    const std::uint64_t number = at->first;
    const bool hole = number >= allocated.size() || !allocated[number];
    if (hole && all_zero(*at->second)) {
      at = blocks.erase(at);
      continue;
    }
    if (hole) {
      allocated.resize(std::max<std::uint64_t>(allocated.size(), number + 1));
      allocated[number] = true;
    }
    ++at;
  }
}

void DurableContent::trim() {
  blocks.erase(blocks.lower_bound(blocks_for(size_bytes)), blocks.end());
  allocated.resize(std::min<std::uint64_t>(allocated.size(), blocks_for(size_bytes)));
  const std::uint64_t inside = size_bytes % kBlock;
  const auto last = blocks.find(size_bytes / kBlock);
  if (inside != 0 && last != blocks.end()) {
    auto copy = std::make_shared<Block>(*last->second);
    std::memset(copy->data() + inside, 0, kBlock - inside);
    last->second = std::move(copy);
  }
}

SimContent::SimContent(DurableContentPtr durable)
    : durable_(std::move(durable)),
      size_bytes_(durable_->size_bytes),
      allocated_(durable_->allocated) {
  allocated_blocks_ = count_allocated();
}

std::uint64_t SimContent::count_allocated() const {
  return static_cast<std::uint64_t>(std::count(allocated_.begin(), allocated_.end(), true));
}

Result<void> SimContent::load(std::string_view path) {
  if (loaded_) {
    return {};
  }
  RK_TRY(memory_.reach(path, std::max<std::uint64_t>(size_bytes_, 1)));
  for (const auto& [number, block] : durable_->blocks) {
    const std::uint64_t offset = number * kBlock;
    RK_TRY(memory_.reach(path, offset + kBlock));
    std::memcpy(memory_.window() + offset, block->data(), kBlock);
  }
  loaded_ = true;
  return {};
}

std::size_t SimContent::read(std::uint64_t offset, MutableBytes into) noexcept {
  if (offset >= size_bytes_ || into.empty()) {
    return 0;
  }
  const std::size_t count = std::min<std::uint64_t>(into.size(), size_bytes_ - offset);
  std::memcpy(into.data(), memory_.window() + offset, count);
  return count;
}

std::uint64_t SimContent::missing_blocks(std::uint64_t offset, std::uint64_t end) const {
  std::uint64_t missing = 0;
  for (std::uint64_t i = offset / kBlock; i < blocks_for(end); ++i) {
    missing += i < allocated_.size() && allocated_[i] ? 0U : 1U;
  }
  return missing;
}

void SimContent::allocate_blocks(std::uint64_t offset, std::uint64_t end) {
  if (allocated_.size() < blocks_for(end)) {
    allocated_.resize(blocks_for(end));
  }
  for (std::uint64_t i = offset / kBlock; i < blocks_for(end); ++i) {
    allocated_blocks_ += allocated_[i] ? 0U : 1U;
    allocated_[i] = true;
  }
}

Result<void> SimContent::reach(std::string_view path, std::uint64_t end) {
  // Whole sectors are read back, so the window covers them.
  return memory_.reach(path, blocks_for(end) * kBlock);
}

Sector SimContent::visible_sector(std::uint64_t sector) noexcept {
  Sector bytes{};
  std::memcpy(bytes.data(), memory_.window() + sector * kSector, kSector);
  return bytes;
}

// The sector as it looks now is what the last change wrote.
void SimContent::note_sector(std::uint64_t sector) {
  lost_.erase(sector);
  pending_[sector].push_back({.sequence = sequence_, .bytes = visible_sector(sector)});
}

void SimContent::note_size(std::uint64_t began) {
  if (!pending_sizes_.empty() && pending_sizes_.back().sequence > began) {
    pending_sizes_.back() = {.sequence = sequence_, .size_bytes = size_bytes_};
  } else {
    pending_sizes_.push_back({.sequence = sequence_, .size_bytes = size_bytes_});
  }
}

void SimContent::write_piece(std::uint64_t offset, Bytes piece, std::uint64_t began, Fate fate) {
  const std::uint64_t sector = offset / kSector;
  RK_CHECK(!piece.empty() && (offset + piece.size() - 1) / kSector == sector);
  ++sequence_;
  std::memcpy(memory_.window() + offset, piece.data(), piece.size());
  if (fate == Fate::kPending) {
    note_sector(sector);
  } else {
    lost_.insert(sector);
  }
  if (offset + piece.size() > size_bytes_) {
    size_bytes_ = offset + piece.size();
    note_size(began);
  }
}

void SimContent::grow(std::uint64_t size_bytes) {
  if (size_bytes > size_bytes_) {
    const std::uint64_t began = sequence_++;
    size_bytes_ = size_bytes;
    note_size(began);
  }
}

// Only allocated blocks can hold anything but zeros, and looking at a hole would fill it.
void SimContent::zero_range(std::uint64_t offset, std::uint64_t end) {
  std::uint64_t at = offset;
  while (at < end) {
    const std::uint64_t stop = std::min(end, (at / kSector + 1) * kSector);
    const std::uint64_t block = at / kBlock;
    if (block >= allocated_.size()) {
      return;
    }
    if (!allocated_[block]) {
      at = (block + 1) * kBlock;
      continue;
    }
    if (!all_zero(Bytes(memory_.window() + at, stop - at))) {
      std::memset(memory_.window() + at, 0, stop - at);
      note_sector(at / kSector);
    }
    at = stop;
  }
}

void SimContent::shrink(std::uint64_t size_bytes) {
  RK_CHECK(size_bytes <= size_bytes_);
  absorb_map_writes();
  const std::uint64_t began = sequence_++;
  zero_range(size_bytes, blocks_for(size_bytes_) * kBlock);
  allocated_.resize(std::min<std::uint64_t>(allocated_.size(), blocks_for(size_bytes)));
  allocated_blocks_ = count_allocated();
  memory_.clear(blocks_for(size_bytes) * kBlock, memory_.window_bytes());
  size_bytes_ = size_bytes;
  note_size(began);
}

std::uint64_t SimContent::punch(std::uint64_t offset, std::uint64_t end) {
  absorb_map_writes();
  ++sequence_;
  zero_range(offset, std::min(end, blocks_for(size_bytes_) * kBlock));
  const std::uint64_t before = allocated_blocks_;
  for (std::uint64_t i = blocks_for(offset); i < std::min(end / kBlock, allocated_.size()); ++i) {
    allocated_[i] = false;
  }
  memory_.clear(offset, end);
  allocated_blocks_ = count_allocated();
  return before - allocated_blocks_;
}

DurableContent& SimContent::durable_for_change() {
  // Only this object holds it unless a disk was copied meanwhile.
  if (durable_.use_count() > 1) {
    durable_ = std::make_shared<DurableContent>(*durable_);
  }
  return const_cast<DurableContent&>(*durable_);  // NOLINT: made as non-const, and not shared
}

void SimContent::settle_size(std::uint64_t sequence) {
  std::size_t settled = 0;
  while (settled < pending_sizes_.size() && pending_sizes_[settled].sequence <= sequence) {
    ++settled;
  }
  if (settled > 0) {
    DurableContent& durable = durable_for_change();
    durable.size_bytes = pending_sizes_[settled - 1].size_bytes;
    durable.trim();
    pending_sizes_.erase(pending_sizes_.begin(),
                         pending_sizes_.begin() + static_cast<std::ptrdiff_t>(settled));
  }
}

void SimContent::make_durable(std::uint64_t sequence) {
  absorb_map_writes();
  make_durable_range(0, ~std::uint64_t{0}, sequence);
  DurableContent& durable = durable_for_change();
  durable.allocated = allocated_;
  durable.settle_allocation();
}

void SimContent::make_durable_range(std::uint64_t offset, std::uint64_t end,
                                    std::uint64_t sequence) {
  // The size first: it trims, and what is written beyond an older size must stay.
  settle_size(sequence);
  DurableContent& durable = durable_for_change();
  auto at = pending_.lower_bound(offset / kSector);
  while (at != pending_.end() && at->first * kSector < end) {
    std::vector<SectorVersion>& versions = at->second;
    std::size_t settled = 0;
    while (settled < versions.size() && versions[settled].sequence <= sequence) {
      ++settled;
    }
    if (settled > 0) {
      durable.put_sector(at->first, versions[settled - 1].bytes);
      versions.erase(versions.begin(), versions.begin() + static_cast<std::ptrdiff_t>(settled));
    }
    at = versions.empty() ? pending_.erase(at) : std::next(at);
  }
}

void SimContent::make_some_durable(Prng& prng) {
  absorb_map_writes();
  if (prng.chance(2)) {
    settle_size(sequence_);
  }
  std::vector<std::uint64_t> sectors;
  for (const auto& [sector, versions] : pending_) {
    if (prng.chance(2)) {
      sectors.push_back(sector);
    }
  }
  for (const std::uint64_t sector : sectors) {
    durable_for_change().put_sector(sector, pending_[sector].back().bytes);
    pending_.erase(sector);
  }
}

void SimContent::forget_pending() {
  absorb_map_writes();
  for (const auto& [sector, versions] : pending_) {
    lost_.insert(sector);
  }
  pending_.clear();
}

void SimContent::drop_lost() noexcept {
  for (const std::uint64_t sector : lost_) {
    if ((sector + 1) * kSector <= memory_.window_bytes()) {
      const Sector bytes = durable_->sector(sector);
      std::memcpy(memory_.window() + sector * kSector, bytes.data(), kSector);
    }
  }
  lost_.clear();
}

void SimContent::flip_bits(std::uint64_t offset, std::uint8_t mask) {
  RK_CHECK(offset < size_bytes_);
  const std::uint64_t sector = offset / kSector;
  const std::uint64_t inside = offset % kSector;
  memory_.window()[offset] ^= std::byte{mask};
  Sector bytes = durable_->sector(sector);
  bytes[inside] ^= std::byte{mask};
  durable_for_change().put_sector(sector, bytes);
  if (const auto found = pending_.find(sector); found != pending_.end()) {
    for (SectorVersion& version : found->second) {
      version.bytes[inside] ^= std::byte{mask};
    }
  }
}

void SimContent::absorb_map_writes() {
  if (!mapped_writable_) {
    return;
  }
  ++sequence_;
  for (std::uint64_t block = 0; block < allocated_.size(); ++block) {
    if (!allocated_[block]) {
      continue;
    }
    for (std::uint64_t i = 0; i < kSectorsPerBlock; ++i) {
      const std::uint64_t sector = block * kSectorsPerBlock + i;
      const auto found = pending_.find(sector);
      const Sector known =
          found != pending_.end() ? found->second.back().bytes : durable_->sector(sector);
      if (lost_.count(sector) == 0 && visible_sector(sector) != known) {
        note_sector(sector);
      }
    }
  }
}

Result<std::unique_ptr<os::Mapping>> SimContent::view(std::string_view path, std::uint64_t length,
                                                      os::Access access) {
  mapped_writable_ = mapped_writable_ || access == os::Access::kReadWrite;
  return memory_.view(path, length, access);
}

DurableContentPtr SimContent::survivors(Survival survival, Prng& prng) {
  if (loaded_) {
    absorb_map_writes();
  }
  // Many runs lose or keep a whole file; torn ones alone would hide what needs the extremes.
  if (survival == Survival::kSubset && prng.chance(2)) {
    survival = prng.chance(2) ? Survival::kNothing : Survival::kEverything;
  }
  if (survival == Survival::kNothing) {
    return durable_;
  }
  auto result = std::make_shared<DurableContent>(*durable_);
  const bool everything = survival == Survival::kEverything;
  if (!pending_sizes_.empty()) {
    const std::uint64_t choice =
        everything ? pending_sizes_.size() : prng.below(pending_sizes_.size() + 1);
    if (choice > 0) {
      result->size_bytes = pending_sizes_[choice - 1].size_bytes;
    }
  }
  for (const auto& [sector, versions] : pending_) {
    const std::uint64_t choice = everything ? versions.size() : prng.below(versions.size() + 1);
    if (choice > 0) {
      result->put_sector(sector, versions[choice - 1].bytes);
    }
  }
  if (everything || prng.chance(2)) {
    result->allocated = allocated_;
    result->settle_allocation();
  }
  result->trim();
  return result;
}

}  // namespace rookery::testing
