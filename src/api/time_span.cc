// SPDX-License-Identifier: Apache-2.0
#include "rookery/api/time_span.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

namespace rookery::api {

namespace {

constexpr std::int64_t kTicksPerSecond = 10'000'000;
constexpr std::int64_t kDaysMax = 10'675'198;  // what 64 bits of ticks hold in whole days

// Digits only; nullopt for anything else or too many of them.
std::optional<std::int64_t> number(std::string_view text, std::size_t digits_max) {
  if (text.empty() || text.size() > digits_max || text.front() < '0' || text.front() > '9') {
    return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> fraction_ticks(std::string_view digits) {
  auto value = number(digits, 7);
  for (std::size_t i = digits.size(); value.has_value() && i < 7; ++i) {
    *value *= 10;
  }
  return value;
}

}  // namespace

std::optional<Ticks> parse_time_span(std::string_view text) {
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative ? 1 : 0);
  const std::size_t first_colon = text.find(':');
  if (first_colon == std::string_view::npos) {
    return std::nullopt;
  }
  std::optional<std::int64_t> days = 0;
  if (const std::size_t dot = text.substr(0, first_colon).find('.');
      dot != std::string_view::npos) {
    days = number(text.substr(0, dot), 8);
    text.remove_prefix(dot + 1);
  }
  std::optional<std::int64_t> fraction = 0;
  if (const std::size_t dot = text.find('.'); dot != std::string_view::npos) {
    fraction = fraction_ticks(text.substr(dot + 1));
    text = text.substr(0, dot);
  }
  const std::size_t colon = text.find(':');
  const std::size_t last_colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == last_colon) {
    return std::nullopt;
  }
  const auto hours = number(text.substr(0, colon), 2);
  const auto minutes = number(text.substr(colon + 1, last_colon - colon - 1), 2);
  const auto seconds = number(text.substr(last_colon + 1), 2);
  if (!days || !hours || !minutes || !seconds || !fraction || *days >= kDaysMax || *hours > 23 ||
      *minutes > 59 || *seconds > 59) {
    return std::nullopt;
  }
  const std::int64_t total =
      (((*days * 24 + *hours) * 60 + *minutes) * 60 + *seconds) * kTicksPerSecond + *fraction;
  return Ticks(negative ? -total : total);
}

std::string format_time_span(Ticks span) {
  // The one value without a positive counterpart is shown as its neighbour.
  const std::int64_t count = std::max(span.count(), std::numeric_limits<std::int64_t>::min() + 1);
  const std::int64_t ticks = count < 0 ? -count : count;
  const std::int64_t seconds = ticks / kTicksPerSecond;
  std::string out = count < 0 ? "-" : "";
  if (seconds >= 24 * 3600) {
    out += fmt::format("{}.", seconds / (24 * 3600));
  }
  out += fmt::format("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  if (ticks % kTicksPerSecond != 0) {
    out += fmt::format(".{:07}", ticks % kTicksPerSecond);
  }
  return out;
}

os::Duration waiting_time(Ticks span) {
  constexpr Ticks kLongest = std::chrono::hours(100 * 365 * 24);
  return std::chrono::duration_cast<os::Duration>(std::clamp(span, -kLongest, kLongest));
}

}  // namespace rookery::api
