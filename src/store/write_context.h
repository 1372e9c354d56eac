// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/store/page.h"

#include "catalog_cache.h"
#include "free_map.h"
#include "journal_format.h"
#include "page_table.h"
#include "state.h"

// Purpose. The pages of the open write transaction: what it sees, what it changed, and the record
// that the journal gets of it.
// Threads: one at a time.
// Owns: the changes, until take(); the base state is the engine's and outlives it.
// Source: STORE-INVARIANTS I5, I8.

namespace rookery::store {

class WriteContext final : public PageWriter, private FreeMapPages {
 public:
  struct Base {
    const EnvironmentState* state = nullptr;
    std::shared_ptr<DataMap> map;  // the newest: it reaches as far as the file does
    std::uint64_t seq = 0;         // of the state that this transaction makes
    std::uint64_t synced_txn = 0;  // entries up to this one are dropped from the page table
  };

  WriteContext(Base base, ScratchPool& scratch, FreeMap& free_map);
  ~WriteContext() override;

  [[nodiscard]] Result<PageView> page(PageNo number) override;
  [[nodiscard]] Result<MutablePage> modify(PageNo number) override;
  [[nodiscard]] Result<MutablePage> allocate(const AllocateOptions& options) override;
  [[nodiscard]] Result<void> free(PageNo number) override;

  [[nodiscard]] CatalogCache& catalog() noexcept { return catalog_; }

  [[nodiscard]] std::uint32_t& next_owner() noexcept { return meta_.next_owner; }

  [[nodiscard]] TxnId id() const noexcept { return TxnId(meta_.txn); }

  [[nodiscard]] const EnvironmentState& base() const noexcept { return *base_.state; }

  [[nodiscard]] std::uint64_t dirty_bytes() const noexcept { return dirty_bytes_; }

  // Writes the roots back. Call once, before the two below. Errors: that of the first call that
  // failed in this transaction; those of the pages; io, if the map has faulted: what the
  // transaction read may not be what is there.
  [[nodiscard]] Result<void> finish();

  // Of the environment, as this transaction leaves it.
  [[nodiscard]] std::uint64_t page_count() const noexcept { return meta_.page_count; }

  [[nodiscard]] bool changed() const noexcept { return !dirty_.empty() || !freed_.empty(); }

  // Seals every changed page and describes them.
  [[nodiscard]] std::string make_record();
  // The state that this transaction leaves. Nothing of it belongs to the context afterwards.
  [[nodiscard]] std::unique_ptr<EnvironmentState> take();

 private:
  [[nodiscard]] Result<Bytes> read_bitmap(std::uint64_t region) override;
  [[nodiscard]] Result<MutableBytes> modify_bitmap(std::uint64_t region) override;
  [[nodiscard]] Result<MutableBytes> create_bitmap(std::uint64_t region) override;

  [[nodiscard]] Result<PageView> find(PageNo number);
  [[nodiscard]] Result<MutablePage> copy_for_change(PageNo number);
  [[nodiscard]] Result<MutablePage> add_run(PageNo number, const AllocateOptions& options);
  void note_dirty(PageNo number, PageImage* image);
  // Remembers the first error: the transaction can only be rolled back after it.
  template <typename T>
  [[nodiscard]] Result<T> watch(Result<T> result);

  const Base base_;
  ScratchPool& scratch_;
  FreeMap& free_map_;
  Meta meta_;
  PageTableEdit edit_;
  CatalogCache catalog_;
  std::map<std::uint64_t, PageImage*> dirty_;  // in page order, as the journal has them
  std::vector<FreedRun> freed_;
  std::uint64_t dirty_bytes_ = 0;
  std::optional<Error> failed_;
  bool taken_ = false;
};

}  // namespace rookery::store
