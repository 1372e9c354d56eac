// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/search/analyzer.h"
#include "rookery/search/term.h"
#include "rookery/store/environment.h"

// Purpose. Puts entries into an index and takes them out, within one store transaction.
// Threads: as its transaction: one thread at a time.
// Owns: nothing; borrows the transaction.
// Source: docs/format/search.md.

namespace rookery::search {

// What one entry has in one field: either plain terms, or the words of texts with positions. An
// entry that names a field has it (Exists), even without any term: an empty array, an object.
// A field is one or the other for good; which, the first put decides.
struct FieldValues {
  std::string_view field;
  std::vector<Term> terms;
  std::vector<Token> tokens;
  bool is_text = false;
};

inline constexpr std::size_t kEntryKeySizeMax = 1024;   // at least 1
inline constexpr std::size_t kFieldNameSizeMax = 1024;  // at least 1

class IndexWriter {
 public:
  [[nodiscard]] static Result<IndexWriter> open(store::WriteTxn& txn);

  // Inserts the entry, or replaces the one with this key. `key` orders and finds (a folded id),
  // `stored` is given back with hits (the id as it was written, and what else the caller needs).
  // Errors: invalid_argument for a bad key, field or term (constants above; a field twice, or
  //   of the other kind than before), corrupt, and those of the store.
  [[nodiscard]] Result<void> put(std::string_view key, std::string_view stored,
                                 std::span<const FieldValues> fields);
  // False if there was none.
  [[nodiscard]] Result<bool> erase(std::string_view key);
  // Postings are gathered in memory and written here, in the order of terms. Requires: called
  // before the transaction commits, if anything was put or erased.
  [[nodiscard]] Result<void> finish();
  // The same, until `is_over`, asked now and then, says so. True: all is written. Requires: nothing
  // is put or erased between the first call and that.
  [[nodiscard]] Result<bool> finish_some(const std::function<bool()>& is_over);
  // The memory of what waits for finish(); the caller bounds its batches by it.
  [[nodiscard]] std::uint64_t pending_bytes() const noexcept;
  // The pages that finish() will have changed, about, and rather more than fewer.
  [[nodiscard]] Result<std::uint64_t> pending_page_bytes();

 private:
  class State;
  explicit IndexWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;

 public:
  ~IndexWriter();
  IndexWriter(IndexWriter&&) noexcept;
  IndexWriter& operator=(IndexWriter&&) noexcept;
};

}  // namespace rookery::search
