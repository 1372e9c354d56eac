// SPDX-License-Identifier: Apache-2.0
// compare() is a total order, and agrees with the values that numbers stand for.
#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rookery/plan/scalar.h"

namespace rookery::plan {
namespace {

// Numbers crowd around the places where an integer and a double are hard to tell apart.
rc::Gen<Scalar> any_scalar() {
  const auto near_integer = rc::gen::apply(
      [](int power, int offset) {
        const auto base =
            static_cast<std::int64_t>(std::uint64_t{1} << static_cast<unsigned>(power));
        return Scalar(base + offset);
      },
      rc::gen::inRange(0, 62), rc::gen::inRange(-2, 3));
  const auto near_double = rc::gen::apply(
      [](int power, int offset, bool negative) {
        const double value = std::ldexp(1.0, power) + offset * 0.5;
        return Scalar(negative ? -value : value);
      },
      rc::gen::inRange(-3, 66), rc::gen::inRange(-3, 4), rc::gen::arbitrary<bool>());
  return rc::gen::oneOf(
      rc::gen::just(Scalar(nullptr)),
      rc::gen::map(rc::gen::arbitrary<bool>(), [](bool value) { return Scalar(value); }),
      rc::gen::map(rc::gen::arbitrary<std::int64_t>(),
                   [](std::int64_t value) { return Scalar(value); }),
      near_integer, near_double,
      rc::gen::map(rc::gen::arbitrary<std::string>(),
                   [](std::string value) { return Scalar(std::move(value)); }));
}

RC_GTEST_PROP(ScalarProperty, OrderIsTotal, ()) {
  const Scalar a = *any_scalar();
  const Scalar b = *any_scalar();
  const Scalar c = *any_scalar();
  RC_ASSERT((compare(a, a) == 0));
  RC_ASSERT((compare(a, b) == (0 <=> compare(b, a))));
  if (compare(a, b) <= 0 && compare(b, c) <= 0) {
    RC_ASSERT((compare(a, c) <= 0));
  }
  if (compare(a, b) == 0) {
    RC_ASSERT((compare(a, c) == compare(b, c)));
  }
}

// long double has 64 bits of mantissa here, so both convert to it without loss.
static_assert(std::numeric_limits<long double>::digits >= 64);

RC_GTEST_PROP(ScalarProperty, NumbersGoByTheirValue, ()) {
  const Scalar a = *rc::gen::suchThat(
      any_scalar(), [](const Scalar& value) { return scalar_kind(value) == ScalarKind::kNumber; });
  const Scalar b = *rc::gen::suchThat(
      any_scalar(), [](const Scalar& value) { return scalar_kind(value) == ScalarKind::kNumber; });
  const auto exact = [](const Scalar& value) {
    const auto* const integer = std::get_if<std::int64_t>(&value);
    return integer != nullptr ? static_cast<long double>(*integer)
                              : static_cast<long double>(std::get<double>(value));
  };
  RC_ASSERT((compare(a, b) < 0) == (exact(a) < exact(b)));
  RC_ASSERT((compare(a, b) == 0) == (exact(a) == exact(b)));
}

}  // namespace
}  // namespace rookery::plan
