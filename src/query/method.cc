// SPDX-License-Identifier: Apache-2.0
#include "rookery/query/method.h"

#include <array>

#include "ascii.h"

namespace rookery::query {
namespace {

struct MethodRow {
  Method method;
  std::string_view name;
  bool first_is_field;
};

constexpr std::array kMethods = {
#define RK_RQL_METHOD(enumerator, name, first_is_field) \
  MethodRow{Method::enumerator, name, first_is_field},
#include "rookery/query/methods.def"
#undef RK_RQL_METHOD
};

// The table has a row for each enumerator after kFunction, in order.
const MethodRow* row_of(Method method) noexcept {
  return method == Method::kFunction ? nullptr : &kMethods[static_cast<std::size_t>(method) - 1];
}

}  // namespace

Method method_named(std::string_view name) noexcept {
  for (const MethodRow& row : kMethods) {
    if (equal_ignoring_case(row.name, name)) {
      return row.method;
    }
  }
  return Method::kFunction;
}

std::string_view method_name(Method method) noexcept {
  const MethodRow* row = row_of(method);
  return row == nullptr ? std::string_view{} : row->name;
}

bool takes_field(Method method) noexcept {
  const MethodRow* row = row_of(method);
  return row != nullptr && row->first_is_field;
}

}  // namespace rookery::query
