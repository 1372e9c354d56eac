// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "rookery/store/ids.h"

#include "scratch.h"

// Purpose. The page table: for each page whose newest committed version is not yet synced in the
// data file, where that version is. A persistent radix trie: each transaction copies the nodes that
// it changes, so that a snapshot is one pointer and readers need no lock.
// Threads: a PageTable may be read from any thread while its state lives; a PageTableEdit belongs
//   to one thread.
// Owns: nodes and images belong to the edit that made them until it is taken; then to the chain of
//   states, which disposes of what a state retired once nobody can see the states before it.
// Source: STORE-INVARIANTS I5, I7, I8.

namespace rookery::store {

// One version of a run of pages, in scratch.
struct PageImage {
  std::uint64_t txn = 0;
  std::uint64_t edit = 0;         // the edit that made it
  std::size_t created_index = 0;  // in that edit's list, while it is open
  ScratchRun run;

  [[nodiscard]] std::uint32_t page_count() const noexcept { return run.page_count; }
};

// A slot of the table: nothing (look in the file), an image, or a tombstone: the page was freed, or
// is inside a run, at a transaction; nobody may read it and flush must not write it.
class PageEntry {
 public:
  constexpr PageEntry() noexcept = default;

  explicit PageEntry(PageImage* image) noexcept : bits_(reinterpret_cast<std::uintptr_t>(image)) {}

  [[nodiscard]] static PageEntry tombstone(std::uint64_t txn) noexcept {
    return PageEntry((txn << 1U) | 1U);
  }

  [[nodiscard]] static PageEntry from_bits(std::uint64_t bits) noexcept { return PageEntry(bits); }

  [[nodiscard]] bool empty() const noexcept { return bits_ == 0; }

  [[nodiscard]] bool is_tombstone() const noexcept { return (bits_ & 1U) != 0; }

  // Null for an empty entry and a tombstone.
  [[nodiscard]] PageImage* image() const noexcept {
    return is_tombstone() ? nullptr : reinterpret_cast<PageImage*>(bits_);
  }

  // Requires: not empty.
  [[nodiscard]] std::uint64_t txn() const noexcept {
    return is_tombstone() ? bits_ >> 1U : image()->txn;
  }

  [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }

 private:
  explicit constexpr PageEntry(std::uint64_t bits) noexcept : bits_(bits) {}

  std::uint64_t bits_ = 0;
};

struct PageTableNode {
  static constexpr std::uint32_t kFanOutBits = 6;
  static constexpr std::uint32_t kFanOut = 1U << kFanOutBits;

  std::uint64_t edit = 0;                      // the edit that made it, and may change it in place
  std::array<std::uint64_t, kFanOut> slots{};  // children, or entries at the lowest level
};

// A value; copies share the nodes.
struct PageTable {
  PageTableNode* root = nullptr;
  std::uint32_t height = 0;  // levels; 0 while empty
  std::uint64_t image_pages = 0;
  std::uint64_t entries = 0;  // images and tombstones

  [[nodiscard]] PageEntry find(PageNo number) const noexcept;
  // The first entry at or after `from`.
  [[nodiscard]] std::optional<std::pair<PageNo, PageEntry>> next(PageNo from) const noexcept;
};

// Nodes and images on their way to be freed.
struct PageTableGarbage {
  std::vector<PageTableNode*> nodes;
  std::vector<PageImage*> images;

  // Frees everything in it. Requires: nobody can reach any of it.
  void dispose(ScratchPool& scratch) noexcept;
};

// What an edit made and what it replaced.
struct PageTableDelta {
  PageTable table;
  PageTableGarbage created;  // to dispose of if the edit's state comes to nothing
  PageTableGarbage retired;  // to dispose of when nobody sees the states before
};

// Purpose. The changes of one transaction to the page table. Destroyed without take(): undone.
class PageTableEdit {
 public:
  // `edit` is never used twice in the life of an environment.
  PageTableEdit(const PageTable& base, std::uint64_t edit, ScratchPool& scratch);
  ~PageTableEdit();

  PageTableEdit(const PageTableEdit&) = delete;
  PageTableEdit& operator=(const PageTableEdit&) = delete;

  [[nodiscard]] PageEntry find(PageNo number) const noexcept { return table_.find(number); }

  [[nodiscard]] const PageTable& table() const noexcept { return table_; }

  [[nodiscard]] std::uint64_t edit() const noexcept { return edit_; }

  // Puts an image of `run` at `number`, and tombstones at the other pages of the run. Takes the
  // run.
  PageImage* put_image(PageNo number, std::uint64_t txn, const ScratchRun& run);
  void put_tombstones(PageNo first, std::uint64_t count, std::uint64_t txn);
  // Drops every entry of transaction `up_to` or before: the file has them now.
  // Requires: nothing was put before.
  void trim(std::uint64_t up_to);

  [[nodiscard]] PageTableDelta take();

 private:
  void put(PageNo number, PageEntry entry);
  void drop_entry(PageEntry old);
  [[nodiscard]] PageTableNode* own(PageTableNode* node);
  [[nodiscard]] PageTableNode* new_node();
  void grow_to(std::uint64_t key);
  [[nodiscard]] PageTableNode* trimmed(PageTableNode* node, std::uint32_t level,
                                       std::uint64_t up_to);

  ScratchPool& scratch_;
  const std::uint64_t edit_;
  PageTable table_;
  PageTableGarbage created_;
  PageTableGarbage retired_;
};

// Frees every node and image of the table. Requires: it is the last one.
void dispose_page_table(const PageTable& table, ScratchPool& scratch) noexcept;

}  // namespace rookery::store
