// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/index/definition.h"
#include "rookery/plan/condition.h"
#include "rookery/search/query.h"

// Purpose. From conditions on documents to conditions on terms, and which fields of an index they
// need. What an entry holds (entry.h) and what is asked of it here are two sides of one contract:
// the answer is what plan::matches() says of the document.
// Threads: any; plain values.

namespace rookery::index {

struct Translation {
  search::Node where;
  std::vector<IndexedField> fields;  // in the order of their first use
  // search(), fuzzy(), proximity(), boost(): without an order the best hits come first.
  bool is_scored = false;
};

// One index must hold all fields of a query, and is asked for each of them.
inline constexpr std::size_t kQueryFieldsMax = 1000;

// Errors: invalid_query, if there are more than kQueryFieldsMax.
[[nodiscard]] Result<void> check_field_count(const std::vector<IndexedField>& fields);

// Errors: invalid_query (proximity() of one word; too many fields).
[[nodiscard]] Result<Translation> translate(const plan::Condition& condition);

// An index that finds documents by their keys alone answers these without any field: conditions on
// id() joined by nothing.
[[nodiscard]] bool is_by_id(const plan::Condition& condition);

// Edits that fuzzy() allows at a similarity between 0 and 1: as many as leave more than that share
// of the text's code points untouched.
[[nodiscard]] std::uint32_t fuzzy_edits(std::string_view text, double similarity);

}  // namespace rookery::index
