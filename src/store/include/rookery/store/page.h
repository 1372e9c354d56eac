// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/store/ids.h"

// Purpose. What a page is, and how structures get at pages: PageReader and PageWriter are the whole
// contract between the engine (journal, page table, recovery) and the trees and tables above it.
// Source: docs/format/page.md; STORE-INVARIANTS I5, I8, I10, I28.

namespace rookery::store {

enum class PageType : std::uint8_t {
  kFree = 0,
  kFreeMap = 1,
  kTreeBranch = 2,
  kTreeLeaf = 3,
  kFixedTreeBranch = 4,
  kFixedTreeLeaf = 5,
  kOverflow = 6,  // one value over a run of pages
  kRaw = 7,       // slotted rows of a table
  kRawLarge = 8,  // one row over a run of pages
};

// The first 32 bytes of every run of pages (most runs are one page long).
//
//  0        8        16       24      28    29    30      32
//  +--------+--------+--------+-------+-----+-----+-------+
//  |checksum|page no |  txn   | owner |type |flags|count  |
//  +--------+--------+--------+-------+-----+-----+-------+
//
// `checksum` covers bytes 8 to the end of the run, trailer included; it is set when the page is
// journaled and checked when it is read from the file. `page_count` is the run's length in pages,
// 1 to 32,767: a run lies inside one region of the free map.
struct PageHeader {
  std::uint64_t checksum;
  std::uint64_t page_no;
  std::uint64_t txn;
  std::uint32_t owner;  // the structure's id in the catalog; 0 for the engine's own
  PageType type;
  std::uint8_t flags;
  std::uint16_t page_count;
};

static_assert(sizeof(PageHeader) == kPageHeaderSize);
static_assert(std::is_trivially_copyable_v<PageHeader>);

// A run of pages as a reader sees it. Owns: nothing; lives as long as the transaction it came from.
struct PageView {
  const std::byte* data = nullptr;  // the header's first byte
  std::uint32_t page_count = 0;

  [[nodiscard]] PageHeader header() const noexcept { return load<PageHeader>(data); }

  [[nodiscard]] Bytes content() const noexcept {
    return {data + kPageHeaderSize, page_run_capacity(page_count)};
  }
};

// A run of pages that the open write transaction owns and may change until it commits.
struct MutablePage {
  PageNo number;
  std::byte* data = nullptr;
  std::uint32_t page_count = 0;

  [[nodiscard]] PageView view() const noexcept { return {data, page_count}; }

  [[nodiscard]] MutableBytes content() const noexcept {
    return {data + kPageHeaderSize, page_run_capacity(page_count)};
  }
};

// Threads: one transaction, one thread at a time.
// Errors: corrupt (checksum, wrong number, newer than the snapshot, type or count that cannot be),
//   io (the map faulted), snapshot_too_old.
class PageReader {
 public:
  PageReader() = default;
  PageReader(const PageReader&) = delete;
  PageReader& operator=(const PageReader&) = delete;
  virtual ~PageReader() = default;

  [[nodiscard]] virtual Result<PageView> page(PageNo number) = 0;
};

struct AllocateOptions {
  std::uint32_t page_count = 1;
  PageType type = PageType::kFree;
  std::uint32_t owner = 0;
};

// Errors: as PageReader; no_space (the scratch budget or the volume is full), out_of_memory. After
//   any error of a mutating call the transaction must be rolled back.
class PageWriter : public PageReader {
 public:
  // A private copy of the run, made on the first call in this transaction; the same address after.
  // Views of the old version stay valid, and stay old.
  [[nodiscard]] virtual Result<MutablePage> modify(PageNo number) = 0;
  // A new run with its header set and its content zeroed. too_large: more than 32,767 pages.
  [[nodiscard]] virtual Result<MutablePage> allocate(const AllocateOptions& options) = 0;
  // Gives the whole run back. Its views and MutablePages are dead.
  [[nodiscard]] virtual Result<void> free(PageNo number) = 0;
};

}  // namespace rookery::store
