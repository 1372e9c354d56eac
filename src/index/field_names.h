// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rookery/plan/field.h"

// Purpose. The fields that a document's field becomes in the index. Names of documents' fields with
// parentheses are quoted by plan::Field::name(), so these cannot collide.

namespace rookery::index {

// Scalars, strings case folded.
[[nodiscard]] inline std::string scalar_field(const plan::Field& field) {
  return field.name();
}

// Scalars as they are.
[[nodiscard]] inline std::string exact_field(const plan::Field& field) {
  return "exact(" + field.name() + ")";
}

// Words of texts.
[[nodiscard]] inline std::string search_field(const plan::Field& field) {
  return "search(" + field.name() + ")";
}

// Dates, as nanoseconds since 1970.
[[nodiscard]] inline std::string time_field(const plan::Field& field) {
  return "time(" + field.name() + ")";
}

}  // namespace rookery::index
