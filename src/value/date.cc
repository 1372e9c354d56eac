// SPDX-License-Identifier: Apache-2.0
#include "rookery/value/date.h"

#include <cstdint>
#include <limits>

#include "rookery/base/check.h"

namespace rookery::value {

namespace {

using std::chrono::days;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::int64_t kTicksPerSecond = 10'000'000;  // what a seventh digit counts
constexpr std::int64_t kDay = std::chrono::nanoseconds(days(1)).count();
constexpr std::size_t kFractionDigitsMax = 9;

void append_digits(std::string& to, std::uint64_t value, std::size_t width) {
  const std::size_t begin = to.size();
  to.append(width, '0');
  for (std::size_t i = width; i > 0; --i) {
    to[begin + i - 1] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  RK_DCHECK(value == 0);
}

// Takes text from the front; every step after one that failed fails too.
class Scanner {
 public:
  explicit Scanner(std::string_view text) noexcept : rest_(text) {}

  [[nodiscard]] bool done() const noexcept { return ok_ && rest_.empty(); }

  [[nodiscard]] bool ok() const noexcept { return ok_; }

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

  [[nodiscard]] bool at(char c) const noexcept { return !rest_.empty() && rest_.front() == c; }

  // Exactly `width` digits.
  [[nodiscard]] int digits(std::size_t width) noexcept {
    int value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      ok_ = ok_ && at_digit();
      if (!ok_) {
        return 0;
      }
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  void expect(char c) noexcept {
    ok_ = ok_ && at(c);
    if (ok_) {
      rest_.remove_prefix(1);
    }
  }

  // One to nine digits of a second.
  [[nodiscard]] nanoseconds fraction() noexcept {
    std::int64_t value = 0;
    std::size_t count = 0;
    while (at_digit() && count < kFractionDigitsMax) {
      value = value * 10 + digits(1);
      ++count;
    }
    ok_ = ok_ && count > 0;
    for (; count < kFractionDigitsMax; ++count) {
      value *= 10;
    }
    return nanoseconds(value);
  }

 private:
  [[nodiscard]] bool at_digit() const noexcept {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }

  std::string_view rest_;
  bool ok_ = true;
};

// hh:mm:ss[.f]; nullopt unless it is within a day.
[[nodiscard]] std::optional<nanoseconds> take_time(Scanner& scan) noexcept {
  const int hour = scan.digits(2);
  scan.expect(':');
  const int minute = scan.digits(2);
  scan.expect(':');
  const int second = scan.digits(2);
  nanoseconds fraction(0);
  if (scan.at('.')) {
    scan.expect('.');
    fraction = scan.fraction();
  }
  if (!scan.ok() || hour > 23 || minute > 59 || second > 59) {
    return std::nullopt;
  }
  return std::chrono::hours(hour) + std::chrono::minutes(minute) + seconds(second) + fraction;
}

// Z, +hh:mm, -hh:mm or nothing: what to subtract to be in UTC.
[[nodiscard]] std::optional<std::chrono::minutes> take_zone(Scanner& scan) noexcept {
  if (scan.at_end()) {
    return std::chrono::minutes(0);
  }
  if (scan.at('Z')) {
    scan.expect('Z');
    return std::chrono::minutes(0);
  }
  const bool west = scan.at('-');
  scan.expect(west ? '-' : '+');
  const int hour = scan.digits(2);
  scan.expect(':');
  const int minute = scan.digits(2);
  if (!scan.ok() || hour > 23 || minute > 59) {
    return std::nullopt;
  }
  const std::chrono::minutes offset(hour * 60 + minute);
  return west ? -offset : offset;
}

}  // namespace

std::string format_date(Date date) {
  // In plain integers: <chrono> would step beyond the first day that a Date has.
  const std::int64_t since_epoch = date.time_since_epoch().count();
  const std::int64_t within = since_epoch % kDay;
  const std::int64_t day = since_epoch / kDay - (within < 0 ? 1 : 0);
  const std::chrono::year_month_day civil{std::chrono::sys_days(days(day))};
  const auto ticks = static_cast<std::uint64_t>(within < 0 ? within + kDay : within) / 100;
  const std::uint64_t second = ticks / kTicksPerSecond;
  std::string text;
  text.reserve(28);
  append_digits(text, static_cast<std::uint64_t>(static_cast<int>(civil.year())), 4);
  text += '-';
  append_digits(text, static_cast<unsigned>(civil.month()), 2);
  text += '-';
  append_digits(text, static_cast<unsigned>(civil.day()), 2);
  text += 'T';
  append_digits(text, second / 3600, 2);
  text += ':';
  append_digits(text, second / 60 % 60, 2);
  text += ':';
  append_digits(text, second % 60, 2);
  text += '.';
  append_digits(text, ticks % kTicksPerSecond, 7);
  text += 'Z';
  return text;
}

std::optional<Date> parse_date(std::string_view text) noexcept {
  Scanner scan(text);
  const int year = scan.digits(4);
  scan.expect('-');
  const int month = scan.digits(2);
  scan.expect('-');
  const int day = scan.digits(2);
  const std::chrono::year_month_day civil{std::chrono::year(year),
                                          std::chrono::month(static_cast<unsigned>(month)),
                                          std::chrono::day(static_cast<unsigned>(day))};
  // A Date spans 1677-09-21 to 2262-04-11; whole years keep the arithmetic below from overflowing.
  if (!scan.ok() || !civil.ok() || year < 1678 || year > 2261) {
    return std::nullopt;
  }
  nanoseconds since_midnight(0);
  std::chrono::minutes zone(0);
  if (!scan.at_end()) {
    scan.expect('T');
    const std::optional<nanoseconds> time = take_time(scan);
    const std::optional<std::chrono::minutes> offset = time ? take_zone(scan) : std::nullopt;
    if (!offset || !scan.done()) {
      return std::nullopt;
    }
    since_midnight = *time;
    zone = *offset;
  }
  return Date(std::chrono::sys_days(civil)) + since_midnight - zone;
}

}  // namespace rookery::value
