// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "rookery/doc/document.h"
#include "rookery/plan/field.h"

// Purpose. A stored document as expressions see it: the same for the index and for the answer.

namespace rookery::index {

// Borrows all arguments.
[[nodiscard]] inline plan::DocumentFacts facts_of(const doc::DocumentView& document,
                                                  value::View body,
                                                  std::string_view last_modified) {
  return {
      .id = document.id,
      .body = body,
      .collection =
          document.collection == doc::kEmptyCollection ? std::string_view() : document.collection,
      .last_modified = last_modified,
      .change_vector = document.change_vector,
  };
}

}  // namespace rookery::index
