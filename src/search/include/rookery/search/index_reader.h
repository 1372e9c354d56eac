// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/search/query.h"
#include "rookery/store/environment.h"

// Purpose. Answers questions from one snapshot of an index.
// Threads: as its transaction: one thread at a time.
// Owns: nothing; borrows the transaction.
// Source: docs/format/search.md; DESIGN section 5.

namespace rookery::search {

// What a query cost. Pages are those asked of the store, counted with repetition.
struct Counters {
  std::uint64_t pages = 0;
  std::uint64_t terms = 0;      // looked at in dictionaries
  std::uint64_t postings = 0;   // decoded
  std::uint64_t entries = 0;    // whose record was read (for orders, hits, phrases)
  std::uint64_t cut_terms = 0;  // too long to have been kept whole, hence passed over by a scan
};

// One step of the executed plan: what was expected, what came. A tree, for `explain`.
struct PlanStep {
  std::string what;  // "name = 'smith'", "intersect", "walk order of age"
  std::uint64_t estimated = 0;
  std::optional<std::uint64_t> actual;  // unset if it was only planned
  std::vector<PlanStep> steps;
};

struct Hit {
  std::string key;
  std::string stored;
  double score = 0.0;
};

struct Request {
  Node where;
  std::vector<SortKey> order;  // empty: the order of insertion
  std::uint64_t skip = 0;
  std::uint64_t take = ~std::uint64_t{0};
  // Memory the answer may take for sets and heaps; too_large beyond it.
  std::uint64_t memory_bytes_max = std::uint64_t{256} << 20U;
  // Asked now and then; true ends the search with `cancelled`.
  std::function<bool()> is_cancelled;
  bool with_scores = false;  // fills Hit::score; an order by score does, too
  bool explain = false;      // fills Summary::plan
};

struct Summary {
  std::uint64_t total = 0;  // exact, whatever the page
  Counters counters;
  PlanStep plan;
};

class IndexReader {
 public:
  [[nodiscard]] static Result<IndexReader> open(store::ReadTxn& txn);

  [[nodiscard]] Result<std::uint64_t> entry_count() const;
  // Gives the page's hits in order, one by one; false stops. Reads no entry's record beyond the
  // page unless the order needs it.
  using Visitor = std::function<Result<bool>(const Hit&)>;
  [[nodiscard]] Result<Summary> search(const Request& request, const Visitor& visit) const;
  // The plan with its estimates, without running it.
  [[nodiscard]] Result<PlanStep> explain(const Request& request) const;

  // Terms of a field in order, after `from` (empty: from the first), at most `count`.
  [[nodiscard]] Result<std::vector<Term>> terms(std::string_view field, std::string_view from,
                                                std::uint64_t count) const;
  [[nodiscard]] Result<std::vector<std::string>> fields() const;

  // The terms of one entry, by field; nullopt if there is no such entry.
  struct EntryField {
    std::string field;
    std::vector<Term> terms;
  };

  [[nodiscard]] Result<std::optional<std::vector<EntryField>>> entry(std::string_view key) const;

 private:
  class State;
  explicit IndexReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;

 public:
  ~IndexReader();
  IndexReader(IndexReader&&) noexcept;
  IndexReader& operator=(IndexReader&&) noexcept;
};

// Every posting belongs to an entry that has the term, every entry's terms have its posting, counts
// agree. What is wrong, one line each; empty: sound.
[[nodiscard]] Result<std::vector<std::string>> verify(store::ReadTxn& txn);

}  // namespace rookery::search
