// SPDX-License-Identifier: Apache-2.0
#include "naive_value.h"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <utility>

namespace rookery::twin {

namespace {

constexpr auto kLetters = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"\u00c9", "\u00e9"},
    {"\u00c4", "\u00e4"},
    {"\u03a3", "\u03c3"},
    {"\u03c2", "\u03c3"},
    {"\u1e9e", "\u00df"},
});

[[nodiscard]] int sign(int value) {
  return value < 0 ? -1 : (value > 0 ? 1 : 0);
}

// Holds every int64 and every double without loss.
static_assert(sizeof(long double) > sizeof(double));

[[nodiscard]] long double exact_number(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    // Beyond int64 numbers are doubles.
    return number > static_cast<std::uint64_t>(INT64_MAX)
               ? static_cast<long double>(static_cast<double>(number))
               : static_cast<long double>(number);
  }
  return value.is_number_integer() ? static_cast<long double>(value.get<std::int64_t>())
                                   : static_cast<long double>(value.get<double>());
}

[[nodiscard]] bool all_digits(std::string_view text) {
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      return false;
    }
  }
  return !text.empty();
}

[[nodiscard]] std::int64_t number(std::string_view digits) {
  std::int64_t value = 0;
  for (const char c : digits) {
    value = value * 10 + (c - '0');
  }
  return value;
}

[[nodiscard]] bool is_leap(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

[[nodiscard]] std::int64_t days_of_month(std::int64_t year, std::int64_t month) {
  constexpr std::array<std::int64_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap(year) ? 1 : 0);
}

// By counting, one year and month after another.
[[nodiscard]] std::int64_t days_since_1970(std::int64_t year, std::int64_t month,
                                           std::int64_t day) {
  std::int64_t days = day - 1;
  for (std::int64_t y = 1970; y < year; ++y) {
    days += is_leap(y) ? 366 : 365;
  }
  for (std::int64_t y = year; y < 1970; ++y) {
    days -= is_leap(y) ? 366 : 365;
  }
  for (std::int64_t m = 1; m < month; ++m) {
    days += days_of_month(year, m);
  }
  return days;
}

// Minutes east of UTC; nullopt if `text` is no zone.
[[nodiscard]] std::optional<std::int64_t> zone(std::string_view text) {
  if (text.empty() || text == "Z") {
    return 0;
  }
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':' ||
      !all_digits(text.substr(1, 2)) || !all_digits(text.substr(4, 2))) {
    return std::nullopt;
  }
  const std::int64_t minutes = number(text.substr(1, 2)) * 60 + number(text.substr(4, 2));
  return text[0] == '-' ? -minutes : minutes;
}

}  // namespace

std::string fold(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    bool found = false;
    for (const auto& [upper, lower] : kLetters) {
      if (text.starts_with(upper)) {
        result += lower;
        text.remove_prefix(upper.size());
        found = true;
        break;
      }
    }
    if (!found) {
      const auto byte = static_cast<unsigned char>(text[0]);
      result += byte < 0x80 ? static_cast<char>(std::tolower(byte)) : text[0];
      text.remove_prefix(1);
    }
  }
  return result;
}

bool is_scalar(const Json& value) {
  return !value.is_array() && !value.is_object();
}

int kind(const Json& value) {
  if (value.is_null()) {
    return 0;
  }
  if (value.is_boolean()) {
    return 1;
  }
  return value.is_number() ? 2 : 3;
}

int order(const Json& a, const Json& b) {
  if (kind(a) != kind(b)) {
    return kind(a) < kind(b) ? -1 : 1;
  }
  switch (kind(a)) {
    case 0:
      return 0;
    case 1:
      return static_cast<int>(a.get<bool>()) - static_cast<int>(b.get<bool>());
    case 2: {
      const long double x = exact_number(a);
      const long double y = exact_number(b);
      return x < y ? -1 : (x > y ? 1 : 0);
    }
    default:
      return sign(a.get<std::string>().compare(b.get<std::string>()));
  }
}

Json folded(Json value) {
  return value.is_string() ? Json(fold(value.get<std::string>())) : value;
}

std::optional<std::int64_t> date(const Json& value) {
  if (!value.is_string()) {
    return std::nullopt;
  }
  const auto whole = value.get<std::string>();
  const std::string_view text = whole;
  if (text.size() < 10 || text[4] != '-' || text[7] != '-' || !all_digits(text.substr(0, 4)) ||
      !all_digits(text.substr(5, 2)) || !all_digits(text.substr(8, 2))) {
    return std::nullopt;
  }
  const std::int64_t year = number(text.substr(0, 4));
  const std::int64_t month = number(text.substr(5, 2));
  const std::int64_t day = number(text.substr(8, 2));
  if (year < 1678 || year > 2261 || month < 1 || month > 12 || day < 1 ||
      day > days_of_month(year, month)) {
    return std::nullopt;
  }
  std::int64_t seconds = days_since_1970(year, month, day) * 86400;
  std::int64_t nanoseconds = 0;
  if (text.size() > 10) {
    if (text.size() < 19 || text[10] != 'T' || text[13] != ':' || text[16] != ':' ||
        !all_digits(text.substr(11, 2)) || !all_digits(text.substr(14, 2)) ||
        !all_digits(text.substr(17, 2))) {
      return std::nullopt;
    }
    seconds += number(text.substr(11, 2)) * 3600 + number(text.substr(14, 2)) * 60 +
               number(text.substr(17, 2));
    std::string_view rest = text.substr(19);
    if (rest.starts_with('.')) {
      std::size_t digits = 1;
      while (digits < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0) {
        ++digits;
      }
      std::string fraction(rest.substr(1, digits - 1));
      fraction.resize(9, '0');
      nanoseconds = number(fraction);
      rest.remove_prefix(digits);
    }
    const auto minutes = zone(rest);
    if (!minutes) {
      return std::nullopt;
    }
    seconds -= *minutes * 60;
  }
  return seconds * 1'000'000'000 + nanoseconds;
}

std::string text(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (!value.is_number()) {
    return value.dump();
  }
  const bool is_beyond =
      value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  if (value.is_number_integer() && !is_beyond) {
    return std::to_string(value.get<std::int64_t>());
  }
  constexpr double kTwoTo63 = 9223372036854775808.0;
  const auto number = value.get<double>();
  if (number >= -kTwoTo63 && number < kTwoTo63 && number == std::trunc(number)) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  std::string shown;
  for (int digits = 15; digits <= 17; ++digits) {
    std::ostringstream out;
    out << std::setprecision(digits) << number;
    shown = out.str();
    if (std::stod(shown) == number) {
      break;
    }
  }
  return shown;
}

int alphanumeric_order(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  const auto digit = [](std::string_view text, std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  const auto run = [&](std::string_view text, std::size_t& at) {
    while (digit(text, at) && text[at] == '0') {
      ++at;
    }
    const std::size_t first = at;
    while (digit(text, at)) {
      ++at;
    }
    return text.substr(first, at - first);
  };
  while (i < a.size() && j < b.size()) {
    if (digit(a, i) && digit(b, j)) {
      const std::string_view x = run(a, i);
      const std::string_view y = run(b, j);
      if (x != y) {
        return x.size() != y.size() ? (x.size() < y.size() ? -1 : 1) : sign(x.compare(y));
      }
    } else if (a[i] != b[j]) {
      return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]) ? -1 : 1;
    } else {
      ++i;
      ++j;
    }
  }
  if (i < a.size() || j < b.size()) {
    return i < a.size() ? 1 : -1;
  }
  return sign(a.compare(b));
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> all(1);
  for (const char c : fold(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) != 0) {
      all.back() += c;
    } else if (!all.back().empty()) {
      all.emplace_back();
    }
  }
  if (all.back().empty()) {
    all.pop_back();
  }
  return all;
}

}  // namespace rookery::twin
