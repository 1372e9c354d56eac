// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string_view>

#include "rookery/value/document.h"

#include "number.h"
#include "reader.h"

namespace rookery::value {

namespace {

[[nodiscard]] bool same_number(View a, View b) {
  const std::optional<std::int64_t> x = a.as_int64();
  const std::optional<std::int64_t> y = b.as_int64();
  if (x && y) {
    return *x == *y;
  }
  NumberText x_text;
  NumberText y_text;
  return numbers_equal(x ? write_int64(x_text, *x) : Reader::text(a),
                       y ? write_int64(y_text, *y) : Reader::text(b));
}

// Scalars of the same type, but for numbers under equal().
[[nodiscard]] bool same_scalar(View a, View b) {
  switch (a.type()) {
    case Type::kBool:
      return a.as_bool() == b.as_bool();
    case Type::kInt:
      return a.as_int64() == b.as_int64();
    case Type::kNumber:
    case Type::kString:
      return Reader::text(a) == Reader::text(b);
    default:
      return true;
  }
}

}  // namespace

// Recursion is bounded by kDepthMax, here and below.
bool equal(View a, View b) {
  if (a.is_number() && b.is_number()) {
    return same_number(a, b);
  }
  const Type type = a.type();
  if (type != b.type() || a.size() != b.size()) {
    return false;
  }
  if (type == Type::kArray) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!equal(a.at(i), b.at(i))) {
        return false;
      }
    }
    return true;
  }
  if (type == Type::kObject) {
    // Keys are distinct, so equal sizes and each key of one found in the other make equal sets.
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::string_view key = a.key_at(i);
      const std::optional<View> other =
          b.key_at(i) == key ? std::optional(b.value_at(i)) : b.find(key);
      if (!other || !equal(a.value_at(i), *other)) {
        return false;
      }
    }
    return true;
  }
  return same_scalar(a, b);
}

bool identical(View a, View b) {
  const Type type = a.type();
  if (type != b.type() || a.size() != b.size()) {
    return false;
  }
  if (type == Type::kArray) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!identical(a.at(i), b.at(i))) {
        return false;
      }
    }
    return true;
  }
  if (type == Type::kObject) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a.key_at(i) != b.key_at(i) || !identical(a.value_at(i), b.value_at(i))) {
        return false;
      }
    }
    return true;
  }
  return same_scalar(a, b);
}

}  // namespace rookery::value
