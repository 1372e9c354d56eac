// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "rookery/base/canary.h"
#include "rookery/base/check.h"

// Purpose. How a reader takes a snapshot without a lock, and how the writer knows which states
// nobody can see any more.
//
// A state has a sequence number; each published one has a greater number than all before. A slot
// holds 0 (free) or the number of the oldest state that its owner may look at.
//
//  S1  A reader stores a lower bound into its slot before it loads the published state, and uses
//      only a state loaded after that store.
//  S2  The lower bound is a number that was published when it was read, hence <= the number of any
//      state loaded later.
//  S3  The writer publishes (pointer, then number) before it scans the slots.
//  S4  The writer frees a state only if its number is below every slot of the scan and below the
//      published number.
//
// Why it holds: all four accesses (slot store, pointer load; pointer store, slot load) are seq_cst,
// so they have one order. If the scan missed the slot's store, the scan came first, so the
// pointer's store came before the reader's load: it sees the new state, which S4 keeps. If the scan
// saw it,
// S4 keeps everything from the bound on, and by S2 that includes what the reader loads.
//
// A slot belongs to a transaction, not to a thread: it may be released on another thread.
// Threads: everything may be called from several threads.
// Units: at most kChunkSlots * kChunkCount slots; chunks are never given back.
// Errors: claim() returns null when all slots are taken.
// Source: STORE-INVARIANTS I7.

namespace rookery::store {

// Plain std::atomic in production; the schedule-exploring test passes one that yields at each
// access.
struct StdAtomics {
  template <typename T>
  using Atomic = std::atomic<T>;
};

template <typename Atomics = StdAtomics, std::size_t kChunkSlots = 64,
          std::size_t kChunkCount = 256>
class SnapshotSlots {
  template <typename T>
  using Atomic = typename Atomics::template Atomic<T>;

 public:
  struct alignas(64) Slot {  // a cache line each: readers on two cores share nothing
    Atomic<std::uint64_t> oldest{0};
  };

  SnapshotSlots() = default;
  SnapshotSlots(const SnapshotSlots&) = delete;
  SnapshotSlots& operator=(const SnapshotSlots&) = delete;

  ~SnapshotSlots() {
    for (auto& chunk : chunks_) {
      delete chunk.load();
    }
  }

  // Takes a free slot and stores `bound` into it, in one step. Null: every slot is taken.
  [[nodiscard]] Slot* claim(std::uint64_t bound) {
    RK_CHECK(bound > 0);
    for (auto& place : chunks_) {
      Chunk* chunk = place.load();
      if (chunk == nullptr) {
        chunk = add_chunk(place);
      }
      for (Slot& slot : *chunk) {
        std::uint64_t expected = 0;
        if (slot.oldest.load() == 0 && slot.oldest.compare_exchange_strong(expected, bound)) {
          return &slot;
        }
      }
    }
    return nullptr;
  }

  // Raises the bound to the state that was loaded. Requires: `seq` >= the bound.
  void settle(Slot& slot, std::uint64_t seq) { slot.oldest.store(seq); }

  void release(Slot& slot) { slot.oldest.store(0); }

  // The least number in any slot, or `published` if that is less.
  [[nodiscard]] std::uint64_t oldest(std::uint64_t published) const {
    std::uint64_t least = published;
    for_each([&](std::uint64_t seq) { least = seq < least ? seq : least; });
    return least;
  }

  [[nodiscard]] std::size_t open_count() const {
    std::size_t count = 0;
    for_each([&](std::uint64_t) { ++count; });
    return count;
  }

 private:
  using Chunk = std::array<Slot, kChunkSlots>;

  [[nodiscard]] Chunk* add_chunk(Atomic<Chunk*>& place) {
    auto fresh = std::make_unique<Chunk>();
    Chunk* expected = nullptr;
    if (place.compare_exchange_strong(expected, fresh.get())) {
      return fresh.release();
    }
    return expected;  // another thread was faster
  }

  template <typename Visit>
  void for_each(Visit visit) const {
    for (const auto& place : chunks_) {
      const Chunk* chunk = place.load();
      if (chunk == nullptr) {
        return;  // chunks are added in order
      }
      for (const Slot& slot : *chunk) {
        if (const std::uint64_t seq = slot.oldest.load(); seq != 0) {
          visit(seq);
        }
      }
    }
  }

  std::array<Atomic<Chunk*>, kChunkCount> chunks_{};
};

// Purpose. The published state and the slots of those who look at it: rules S1 to S3 in one place.
// Requires: State has a member `seq`.
template <typename State, typename Atomics = StdAtomics, std::size_t kChunkSlots = 64,
          std::size_t kChunkCount = 256>
class SnapshotGate {
 public:
  using Slots = SnapshotSlots<Atomics, kChunkSlots, kChunkCount>;
  using Slot = typename Slots::Slot;

  struct Snapshot {
    State* state = nullptr;
    Slot* slot = nullptr;  // null: all slots are taken, and there is no snapshot
  };

  [[nodiscard]] Snapshot open() {
    if (canary(Canary::kSnapshotWithoutRevalidation)) {
      return open_too_early();
    }
    Slot* slot = slots_.claim(published_seq_.load());
    if (slot == nullptr) {
      return {};
    }
    State* state = published_.load();  // S1: after the slot's store
    slots_.settle(*slot, state->seq);
    return {state, slot};
  }

  void close(const Snapshot& snapshot) { slots_.release(*snapshot.slot); }

  // Requires: one publisher at a time; seq greater than before.
  void publish(State* state) {
    published_.store(state);  // S3: pointer first, so that the number is never ahead of it
    published_seq_.store(state->seq);
  }

  [[nodiscard]] State* published() const { return published_.load(); }

  [[nodiscard]] Slots& slots() noexcept { return slots_; }

  [[nodiscard]] const Slots& slots() const noexcept { return slots_; }

 private:
  // The planted fault: between the load and the claim, the state may be freed.
  [[nodiscard]] Snapshot open_too_early() {
    State* state = published_.load();
    Slot* slot = slots_.claim(state->seq);
    return slot == nullptr ? Snapshot{} : Snapshot{state, slot};
  }

  Slots slots_;
  typename Atomics::template Atomic<State*> published_{nullptr};
  typename Atomics::template Atomic<std::uint64_t> published_seq_{0};
};

}  // namespace rookery::store
