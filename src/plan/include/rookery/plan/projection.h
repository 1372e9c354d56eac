// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/plan/condition.h"
#include "rookery/value/json.h"

// Purpose. What `select` shows of each document.
// Threads: any; plain values.

namespace rookery::plan {

struct ProjectedField {
  std::string name;  // the key in the answer
  // A field of the document, or a literal.
  std::variant<Field, Scalar> what;
};

struct Projection {
  bool distinct = false;
  std::vector<ProjectedField> fields;
};

// Errors: as compile_condition. Requires: `select` is a list, not a script and not `*`.
[[nodiscard]] Result<Projection> compile_projection(const query::Select& select,
                                                    const Scope& scope);

// Writes the members (no braces, no metadata) that the projection takes from the document.
[[nodiscard]] Result<void> write_projection(value::JsonWriter& writer, const Projection& projection,
                                            const DocumentFacts& document);

}  // namespace rookery::plan
