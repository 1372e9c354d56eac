// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/plan/condition.h"
#include "rookery/value/json.h"

// Purpose. What `select` shows of each document.
// Threads: any; plain values.
// Source: docs/rql.md "What select shows".

namespace rookery::plan {

struct ProjectedField {
  std::string name;  // the key in the answer; each once, and none is `@metadata`
  // A field of the document, or a literal.
  std::variant<Field, Scalar> what;
};

struct Projection {
  bool distinct = false;
  std::vector<ProjectedField> fields;
};

// Names: the alias, or the path as written without the alias of `from`, `id()`, the parameter's
// name, the literal's text. Errors: as compile_condition, and invalid_query for a name twice.
// Requires: `select` is a list, not a script and not `*`.
[[nodiscard]] Result<Projection> compile_projection(const query::Select& select,
                                                    const Scope& scope);

// Writes the members (no braces, no metadata) that the projection takes from the document. A field
// that is missing is written as null; one whose path leads through arrays as an array of all that
// it reaches.
void write_projection(value::JsonWriter& writer, const Projection& projection,
                      const DocumentFacts& document);

}  // namespace rookery::plan
