// SPDX-License-Identifier: Apache-2.0
#include "number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>

#include "rookery/base/check.h"

namespace rookery::value {

namespace {

[[nodiscard]] bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// Index of the first character at or after `from` that is no digit.
[[nodiscard]] std::size_t skip_digits(std::string_view text, std::size_t from) noexcept {
  while (from < text.size() && is_digit(text[from])) {
    ++from;
  }
  return from;
}

// A number as 0.d1d2d3... * 10^exponent, its digits (d1 and the last one not zero) being those of
// `digits`, where a point may stand among them and counts for nothing. Zero has no digits.
struct Decimal {
  bool negative = false;
  std::string_view digits;
  // The exponent as written, whose text may exceed 64 bits, and what the point adds to it.
  bool exponent_negative = false;
  std::string_view exponent;  // without sign and leading zeros
  std::int64_t shift = 0;
};

[[nodiscard]] Decimal read_decimal(std::string_view text) noexcept {
  Decimal d;
  if (text.front() == '-') {
    d.negative = true;
    text.remove_prefix(1);
  }
  const std::size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  if (e != std::string_view::npos) {
    std::string_view exponent = text.substr(e + 1);
    if (exponent.front() == '+' || exponent.front() == '-') {
      d.exponent_negative = exponent.front() == '-';
      exponent.remove_prefix(1);
    }
    const std::size_t first = exponent.find_first_not_of('0');
    d.exponent = first == std::string_view::npos ? std::string_view() : exponent.substr(first);
    if (d.exponent.empty()) {
      d.exponent_negative = false;
    }
  }
  const std::size_t first = mantissa.find_first_not_of("0.");
  if (first == std::string_view::npos) {
    return Decimal{};
  }
  const std::size_t last = mantissa.find_last_not_of("0.");
  d.digits = mantissa.substr(first, last - first + 1);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  d.shift = first < point ? static_cast<std::int64_t>(point - first)
                          : -static_cast<std::int64_t>(first - point - 1);
  return d;
}

// The value of an exponent of up to 18 digits; nullopt beyond.
[[nodiscard]] std::optional<std::int64_t> short_exponent(const Decimal& d) noexcept {
  if (d.exponent.size() > 18) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  for (const char c : d.exponent) {
    value = value * 10 + (c - '0');
  }
  return d.exponent_negative ? -value : value;
}

[[nodiscard]] bool digits_equal(std::string_view a, std::string_view b) noexcept {
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    i += i < a.size() && a[i] == '.' ? 1U : 0U;
    j += j < b.size() && b[j] == '.' ? 1U : 0U;
    if (i == a.size() || j == b.size()) {
      return i == a.size() && j == b.size();
    }
    if (a[i] != b[j]) {
      return false;
    }
    ++i;
    ++j;
  }
}

}  // namespace

bool is_json_number(std::string_view text) noexcept {
  std::size_t at = !text.empty() && text.front() == '-' ? 1 : 0;
  if (at == text.size() || !is_digit(text[at])) {
    return false;
  }
  at = text[at] == '0' ? at + 1 : skip_digits(text, at);
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = skip_digits(text, at + 1);
    if (end == at + 1) {
      return false;
    }
    at = end;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    at += at < text.size() && (text[at] == '+' || text[at] == '-') ? 1U : 0U;
    const std::size_t end = skip_digits(text, at);
    if (end == at) {
      return false;
    }
    at = end;
  }
  return at == text.size();
}

std::optional<std::int64_t> number_as_int64(std::string_view text) noexcept {
  constexpr std::size_t kLengthMax = std::string_view("-9223372036854775808").size();
  if (text.size() > kLengthMax || text == "-0") {
    return std::nullopt;
  }
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return value;
}

double number_to_double(std::string_view text) noexcept {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc()) {
    RK_DCHECK(stop == end);
    return value;
  }
  // Out of range: from_chars does not say on which side.
  const Decimal d = read_decimal(text);
  const std::optional<std::int64_t> exponent = short_exponent(d);
  const bool huge = exponent ? *exponent + d.shift > 0 : !d.exponent_negative;
  const double magnitude = huge ? std::numeric_limits<double>::infinity() : 0.0;
  return d.negative ? -magnitude : magnitude;
}

bool numbers_equal(std::string_view a, std::string_view b) noexcept {
  const Decimal x = read_decimal(a);
  const Decimal y = read_decimal(b);
  if (x.digits.empty() || y.digits.empty()) {
    return x.digits.empty() && y.digits.empty();
  }
  if (x.negative != y.negative || !digits_equal(x.digits, y.digits)) {
    return false;
  }
  const std::optional<std::int64_t> p = short_exponent(x);
  const std::optional<std::int64_t> q = short_exponent(y);
  if (p && q) {
    return *p + x.shift == *q + y.shift;
  }
  return x.exponent == y.exponent && x.exponent_negative == y.exponent_negative &&
         x.shift == y.shift;
}

std::string_view write_int64(NumberText& to, std::int64_t value) noexcept {
  const auto [end, error] = std::to_chars(to.data(), to.data() + to.size(), value);
  RK_CHECK(error == std::errc());
  return {to.data(), static_cast<std::size_t>(end - to.data())};
}

std::string_view write_uint64(NumberText& to, std::uint64_t value) noexcept {
  const auto [end, error] = std::to_chars(to.data(), to.data() + to.size(), value);
  RK_CHECK(error == std::errc());
  return {to.data(), static_cast<std::size_t>(end - to.data())};
}

std::string_view write_double(NumberText& to, double value) noexcept {
  if (!std::isfinite(value)) {
    return "null";
  }
  const auto [end, error] = std::to_chars(to.data(), to.data() + to.size(), value);
  RK_CHECK(error == std::errc());
  return {to.data(), static_cast<std::size_t>(end - to.data())};
}

}  // namespace rookery::value
