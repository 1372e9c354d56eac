// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

// Purpose. The methods that RQL itself has, by name, and the one fact about them that the grammar
// needs: whether a quoted first argument means a field.
// Source: docs/rql-grammar.md "Methods".

namespace rookery::query {

enum class Method : std::uint8_t {
  kFunction,  // none of ours: a function that the query declares, or a mistake
#define RK_RQL_METHOD(enumerator, name, first_is_field) enumerator,
#include "rookery/query/methods.def"
#undef RK_RQL_METHOD
};

// Names are compared without regard to ASCII case: clients write both array(...) and Array(...).
[[nodiscard]] Method method_named(std::string_view name) noexcept;

// The name as the documentation spells it; empty for kFunction.
[[nodiscard]] std::string_view method_name(Method method) noexcept;

// True if the first argument is a field path, so that quotes around it quote a name, not a value:
// the clients write search('order', $p0) for the field `order`.
[[nodiscard]] bool takes_field(Method method) noexcept;

}  // namespace rookery::query
