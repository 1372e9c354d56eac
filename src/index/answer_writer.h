// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/doc/reader.h"
#include "rookery/value/json.h"

#include "prepared_query.h"
#include "query_budget.h"

// Purpose. Results as clients get them, one after another: whole documents or projections, pages,
// distinct rows, and the documents that they refer to.
// Threads: one thread at a time.

namespace rookery::index {

class AnswerWriter {
 public:
  struct Limits {
    std::uint64_t skip = 0;  // results before the page
    std::uint64_t take = 0;
    std::uint64_t answer_bytes_max = 0;
    std::uint64_t memory_bytes_max = 0;
  };

  // The arguments outlive the writer. Requires: `w` is inside an object.
  AnswerWriter(const PreparedQuery& query, const doc::DocumentReader& documents,
               const FindIncludes& find_includes, const QueryBudget& budget, const Limits& limits,
               std::string& out, value::JsonWriter& w);

  void begin();
  // False: the page is full. Errors: too_large; corrupt.
  [[nodiscard]] Result<bool> add(const doc::DocumentView& document, std::optional<double> score);
  // Ends the results and writes the includes. Errors: too_large; those of the budget; corrupt.
  [[nodiscard]] Result<void> finish();

  // Rows of the page that others before them equalled.
  [[nodiscard]] std::uint64_t skipped_count() const noexcept { return skipped_; }

  [[nodiscard]] std::uint64_t document_count() const noexcept { return document_count_; }

 private:
  [[nodiscard]] Result<bool> add_distinct(const doc::DocumentView& document);
  [[nodiscard]] Result<void> write_row(value::JsonWriter& w, const doc::DocumentView& document,
                                       std::optional<double> score) const;
  [[nodiscard]] Result<std::string> projected_members(const doc::DocumentView& document) const;
  [[nodiscard]] Result<void> note_includes(const doc::DocumentView& document);
  [[nodiscard]] Result<void> check_size() const;

  const PreparedQuery& query_;
  const doc::DocumentReader& documents_;
  const FindIncludes& find_includes_;
  const QueryBudget& budget_;
  const Limits limits_;
  std::string& out_;
  value::JsonWriter& w_;
  std::uint64_t position_ = 0;  // results seen
  std::uint64_t written_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t document_count_ = 0;
  std::unordered_set<std::string> rows_;  // of a distinct query
  std::uint64_t rows_bytes_ = 0;
  std::unordered_set<std::string> seen_ids_;  // folded: results and includes
  std::vector<std::string> include_ids_;
  std::uint64_t include_bytes_ = 0;
};

}  // namespace rookery::index
