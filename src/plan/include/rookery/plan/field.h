// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/query/ast.h"
#include "rookery/value/document.h"

// Purpose. What a name in a query reaches in a document.
// Threads: any; there is no state.
// Source: docs/rql.md "What a name reaches".

namespace rookery::plan {

// A document as expressions see it.
// Owns: nothing.
struct DocumentFacts {
  std::string_view id;
  value::View body;
  std::string_view collection;     // empty: none
  std::string_view last_modified;  // as documents spell dates
  std::string_view change_vector;
};

// Requires of `path`: a leading alias is gone; at least one segment if kPath.
struct Field {
  enum class Kind : std::uint8_t {
    kId,      // id()
    kPath,    // of the body; "@metadata" first: of the metadata, the server's own keys included
    kScore,   // orders only
    kRandom,  // orders only
  };
  Kind kind = Kind::kPath;
  query::Path path;
  // One name for one field, as indexes call it: `id()`, `address.city`, `lines[].product`,
  // `@metadata.@x`; quotes only around a segment that could be misread: `'a.b'.c`.
  [[nodiscard]] std::string name() const;

  bool operator==(const Field& other) const = default;
};

// Calls `visit` for every value that the field reaches, in document order; the views live for the
// call. A step into an array goes into each element, however deep the arrays nest, with `[]` or
// without; `[3]` takes one. An array at the end is visited element by element, arrays inside it
// likewise, and, empty, as the array itself. Nothing is visited if the field is missing.
// Requires: kId or kPath.
void visit_values(const DocumentFacts& document, const Field& field,
                  const std::function<void(value::View)>& visit);

// As visit_values, but arrays at the end are given whole: what a projection shows. True if the path
// led through an array, so that there may be any number of values.
bool visit_whole_values(const DocumentFacts& document, const Field& field,
                        const std::function<void(value::View)>& visit);

}  // namespace rookery::plan
