// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/plan/field.h"

// Purpose. What an auto-index covers: one collection (or all of them) and the fields that queries
// asked for.
// Threads: any; plain values.
// Source: docs/indexes.md.

namespace rookery::index {

inline constexpr std::string_view kAllDocuments = "@all_docs";

// What of a field is in the index: no more than queries need.
struct IndexedField {
  plan::Field field;
  bool search = false;  // words of its texts: search()
  bool exact = false;   // scalars as they are: exact()
  bool plain = true;    // scalars, case folded, and dates by time: anything else

  bool operator==(const IndexedField& other) const = default;
};

struct Definition {
  std::string name;
  std::string collection;  // as the query spelled it; kAllDocuments: every one
  std::vector<IndexedField> fields;

  [[nodiscard]] bool covers_all_documents() const noexcept { return collection == kAllDocuments; }

  bool operator==(const Definition& other) const = default;
};

// Adds the uses of `more` to `fields`, new fields at the end.
void merge_fields(std::vector<IndexedField>& fields, const std::vector<IndexedField>& more);
// True if all uses of `wanted` are among `fields`.
[[nodiscard]] bool covers(const std::vector<IndexedField>& fields,
                          const std::vector<IndexedField>& wanted);

// `Auto/Users/BynameAndSearch(bio)`: fields in the order of their first use. exact() comes with the
// plain use, which is then not named.
[[nodiscard]] std::string auto_index_name(std::string_view collection,
                                          const std::vector<IndexedField>& fields);

// How a definition is stored, and read back. Errors: corrupt.
[[nodiscard]] std::string encode(const Definition& definition);
[[nodiscard]] Result<Definition> decode_definition(std::string_view text);

}  // namespace rookery::index
