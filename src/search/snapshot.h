// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/search/index_reader.h"
#include "rookery/search/index_writer.h"
#include "rookery/store/environment.h"

#include "layout.h"
#include "posting_list.h"
#include "record.h"

// Purpose. The parts of an index in one transaction, and what reading them costs.
// Threads: one at a time.
// Owns: nothing of the store; borrows the transaction.

namespace rookery::search {

// Purpose. Counts the pages that are asked of another reader.
class CountingReader final : public store::PageReader {
 public:
  CountingReader(store::PageReader& pages, std::uint64_t& count) : pages_(&pages), count_(&count) {}

  [[nodiscard]] Result<store::PageView> page(store::PageNo number) override {
    ++*count_;
    return pages_->page(number);
  }

 private:
  store::PageReader* pages_;
  std::uint64_t* count_;
};

class Snapshot {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Snapshot>> open(store::ReadTxn& txn);

  [[nodiscard]] const IndexState& state() const noexcept { return state_; }

  // Null if no entry ever had it.
  [[nodiscard]] const FieldFacts* field(std::string_view name) const;

  [[nodiscard]] const std::map<std::string, FieldFacts, std::less<>>& fields() const noexcept {
    return fields_;
  }

  [[nodiscard]] const store::Tree& keys() const noexcept { return *keys_; }

  [[nodiscard]] const store::Tree& entries() const noexcept { return *entries_; }

  [[nodiscard]] const store::Tree& lists() const noexcept { return *lists_; }

  [[nodiscard]] const store::Tree& chunks() const noexcept { return *chunks_; }

  [[nodiscard]] Result<store::Tree> terms(std::uint32_t field);

  // Absent lists are empty ones.
  [[nodiscard]] Result<PostingList> list(ListOf what, std::uint32_t field);
  [[nodiscard]] Result<PostingList> postings(std::uint32_t field, std::string_view term);

  [[nodiscard]] PostingCursor walk(const PostingList& list) {
    return {*chunks_, list, counters_.postings};
  }

  [[nodiscard]] Result<std::optional<std::uint64_t>> number_of(std::string_view key);
  // Of an entry that a posting names. Lives as long as the transaction.
  [[nodiscard]] Result<RecordView> record(std::uint64_t number);

  [[nodiscard]] Counters& counters() noexcept { return counters_; }

  // Counters begin at zero; `is_cancelled` may be empty, and is borrowed until the next call.
  void begin_search(const std::function<bool()>* is_cancelled) noexcept;
  // Called for every bit of work; `work` 1 is looking at a term or a posting's block, some hundred
  // nanoseconds. Asks whether to go on once in so much of it. Errors: cancelled.
  [[nodiscard]] Result<void> tick(std::uint64_t work = 1);
  // Asks now. For work that is not counted, such as that on whole sets. Errors: cancelled.
  [[nodiscard]] Result<void> check() const;

 private:
  explicit Snapshot(store::ReadTxn& txn) : txn_(&txn), pages_(txn, counters_.pages) {}

  [[nodiscard]] Result<store::Tree> tree(std::string_view name);

  store::ReadTxn* txn_;
  Counters counters_;
  CountingReader pages_;
  IndexState state_;
  std::map<std::string, FieldFacts, std::less<>> fields_;
  std::map<std::uint32_t, store::Tree> terms_;
  std::optional<store::Tree> keys_;
  std::optional<store::Tree> entries_;
  std::optional<store::Tree> lists_;
  std::optional<store::Tree> chunks_;
  const std::function<bool()>* is_cancelled_ = nullptr;
  std::uint64_t ticks_ = 0;  // since the last question
};

}  // namespace rookery::search
