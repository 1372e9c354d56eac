// SPDX-License-Identifier: Apache-2.0
#include "rookery/plan/scalar.h"

#include <array>
#include <cmath>

#include "rookery/value/text.h"

namespace rookery::plan {

namespace {

// Beyond these a double is outside of int64's range. Both are exact.
constexpr double kInt64Above = 9223372036854775808.0;
constexpr double kInt64Min = -9223372036854775808.0;

[[nodiscard]] std::strong_ordering compare_doubles(double a, double b) noexcept {
  if (std::isnan(a) || std::isnan(b)) {
    // false < true, so NaN comes first.
    return !std::isnan(a) <=> !std::isnan(b);
  }
  if (a == b) {
    return std::strong_ordering::equal;
  }
  return a < b ? std::strong_ordering::less : std::strong_ordering::greater;
}

// Without going through a double, which would round large integers.
[[nodiscard]] std::strong_ordering compare_mixed(std::int64_t a, double b) noexcept {
  if (std::isnan(b) || b < kInt64Min) {
    return std::strong_ordering::greater;
  }
  if (b >= kInt64Above) {
    return std::strong_ordering::less;
  }
  const double whole = std::trunc(b);
  const auto order = a <=> static_cast<std::int64_t>(whole);
  return order != 0 ? order : compare_doubles(0.0, b - whole);
}

[[nodiscard]] std::strong_ordering compare_numbers(const Scalar& a, const Scalar& b) noexcept {
  const auto* const a_integer = std::get_if<std::int64_t>(&a);
  const auto* const b_integer = std::get_if<std::int64_t>(&b);
  if (a_integer != nullptr && b_integer != nullptr) {
    return *a_integer <=> *b_integer;
  }
  if (a_integer != nullptr) {
    return compare_mixed(*a_integer, *std::get_if<double>(&b));
  }
  if (b_integer != nullptr) {
    return 0 <=> compare_mixed(*b_integer, *std::get_if<double>(&a));
  }
  return compare_doubles(*std::get_if<double>(&a), *std::get_if<double>(&b));
}

}  // namespace

ScalarKind scalar_kind(const Scalar& value) noexcept {
  constexpr std::array kKinds = {ScalarKind::kNull, ScalarKind::kBool, ScalarKind::kNumber,
                                 ScalarKind::kNumber, ScalarKind::kString};
  static_assert(kKinds.size() == std::variant_size_v<Scalar>);
  return kKinds[value.index()];
}

std::string_view scalar_kind_name(ScalarKind kind) noexcept {
  constexpr std::array<std::string_view, 4> kNames = {"null", "a boolean", "a number", "a string"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<Scalar> to_scalar(value::View view) {
  switch (view.type()) {
    case value::Type::kNull:
      return Scalar(nullptr);
    case value::Type::kBool:
      return Scalar(view.as_bool().value_or(false));
    case value::Type::kInt:
      return Scalar(view.as_int64().value_or(0));
    case value::Type::kNumber: {
      const double number = view.as_double().value_or(0.0);
      return std::isfinite(number) ? std::optional<Scalar>(number) : std::nullopt;
    }
    case value::Type::kString:
      return Scalar(std::string(view.as_string().value_or("")));
    case value::Type::kArray:
    case value::Type::kObject:
      return std::nullopt;
  }
  return std::nullopt;
}

std::strong_ordering compare(const Scalar& a, const Scalar& b) noexcept {
  const ScalarKind kind = scalar_kind(a);
  if (const auto order = kind <=> scalar_kind(b); order != 0) {
    return order;
  }
  switch (kind) {
    case ScalarKind::kNull:
      return std::strong_ordering::equal;
    case ScalarKind::kBool:
      return *std::get_if<bool>(&a) <=> *std::get_if<bool>(&b);
    case ScalarKind::kNumber:
      return compare_numbers(a, b);
    case ScalarKind::kString:
      break;
  }
  return std::get_if<std::string>(&a)->compare(*std::get_if<std::string>(&b)) <=> 0;
}

Scalar folded(Scalar value) {
  if (auto* const text = std::get_if<std::string>(&value)) {
    *text = value::fold_case(*text);
  }
  return value;
}

std::optional<value::Date> date_of(const Scalar& value) noexcept {
  const auto* const text = std::get_if<std::string>(&value);
  return text != nullptr ? value::parse_date(*text) : std::nullopt;
}

}  // namespace rookery::plan
