// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "rookery/plan/scalar.h"
#include "rookery/search/term.h"
#include "rookery/value/date.h"

// Purpose. Scalars of queries and documents as terms of the index.

namespace rookery::index {

[[nodiscard]] inline search::Term to_term(const plan::Scalar& scalar) {
  return std::visit(
      [](const auto& value) -> search::Term {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::nullptr_t>) {
          return search::null_term();
        } else if constexpr (std::is_same_v<T, bool>) {
          return search::bool_term(value);
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          return search::integer_term(value);
        } else if constexpr (std::is_same_v<T, double>) {
          return search::number_term(value);
        } else {
          return search::string_term(value);
        }
      },
      scalar);
}

[[nodiscard]] inline search::Term to_term(value::Date date) {
  return search::integer_term(date.time_since_epoch().count());
}

}  // namespace rookery::index
