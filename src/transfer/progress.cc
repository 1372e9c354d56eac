// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace rookery::transfer {

namespace {

constexpr std::chrono::milliseconds kShowInterval{200};
constexpr std::size_t kBarWidth = 20;
constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string time_text(std::uint64_t seconds) {
  const std::uint64_t hours = seconds / 3600;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, seconds / 60 % 60, seconds % 60)
                   : fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

std::string progress_text(const ProgressState& begin, const ProgressState& now,
                          os::Duration elapsed) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const bool has_share = now.all.has_value() && *now.all > 0;
  std::string text;
  if (has_share) {
    const std::uint64_t percent = std::min<std::uint64_t>(100, now.done * 100 / *now.all);
    const std::string bar(percent * kBarWidth / 100, '#');
    text = fmt::format("[{:<{}}] {}% ", bar, kBarWidth, percent);
  }
  text += with_commas(now.documents) + " documents";
  if (seconds > 0) {
    const double rate = static_cast<double>(now.documents - begin.documents) / seconds;
    text += ", " + with_commas(static_cast<std::uint64_t>(rate)) + "/s";
  }
  if (now.rejects > 0) {
    text += ", " + with_commas(now.rejects) + " rejected";
  }
  if (has_share && now.done > begin.done && now.done <= *now.all) {
    const double left = seconds * static_cast<double>(*now.all - now.done) /
                        static_cast<double>(now.done - begin.done);
    text += ", " + time_text(static_cast<std::uint64_t>(left)) + " left";
  }
  return text;
}

Progress::Progress(const ProgressState& begin)
    : begin_(begin),
      started_(os::real_platform().clock.monotonic()),
      is_terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  clear();
}

void Progress::show(const ProgressState& now) {
  const os::MonotonicTime time = os::real_platform().clock.monotonic();
  if (!is_terminal_ || time - shown_at_ < kShowInterval) {
    return;
  }
  shown_at_ = time;
  is_shown_ = true;
  fmt::print(stderr, "{}{}", kClearLine, progress_text(begin_, now, time - started_));
  std::fflush(stderr);
}

void Progress::clear() {
  if (is_shown_) {
    fmt::print(stderr, "{}", kClearLine);
    std::fflush(stderr);
    is_shown_ = false;
  }
}

os::Duration Progress::elapsed() const {
  return os::real_platform().clock.monotonic() - started_;
}

}  // namespace rookery::transfer
