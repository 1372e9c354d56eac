// SPDX-License-Identifier: Apache-2.0
#include "rookery/api/log.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "rookery/api/http.h"
#include "rookery/os/sync.h"

namespace rookery::api {

namespace {

constexpr std::string_view kFileName = "rookery.log";
constexpr std::size_t kValueBytesMax = 4096;

constexpr std::array<std::string_view, 3> kModeNames = {"None", "Operations", "Information"};

std::string timestamp(os::WallTime now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now - seconds).count();
  return fmt::format("{:%FT%T}.{:06}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                     micros);
}

void append_value(std::string& line, std::string_view value) {
  const std::string_view shown = value.substr(0, kValueBytesMax);
  const bool plain = !shown.empty() && std::all_of(shown.begin(), shown.end(), [](char c) {
    return c > ' ' && c != '"' && c != '=' && c != '\\' && c != 0x7F;
  });
  if (plain) {
    line += shown;
    return;
  }
  line += '"';
  for (const char c : shown) {
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      line += c;
    }
  }
  line += '"';
}

}  // namespace

std::string_view log_mode_name(LogMode mode) noexcept {
  return kModeNames[static_cast<std::size_t>(mode)];
}

Result<LogMode> parse_log_mode(std::string_view text) {
  for (std::size_t i = 0; i < kModeNames.size(); ++i) {
    if (equal_ignoring_case(text, kModeNames[i])) {
      return static_cast<LogMode>(i);
    }
  }
  return Error(ErrorCode::invalid_argument,
               fmt::format("'{}' is not a log mode (None, Operations, Information)", text));
}

// Purpose. Where lines go. Threads: serialised by its own mutex.
class Log::Sink {
 public:
  Sink(os::Platform& platform, const LogOptions& options)
      : platform_(platform), options_(options), retention_(options.retention) {}

  [[nodiscard]] std::chrono::nanoseconds retention() const noexcept {
    return retention_.load(std::memory_order_relaxed);
  }

  void set_retention(std::chrono::nanoseconds retention) noexcept {
    retention_.store(retention, std::memory_order_relaxed);
  }

  Result<void> open_file() {
    if (options_.directory.empty()) {
      return {};
    }
    RK_TRY(os::create_directories(platform_.files, options_.directory));
    const os::MutexLock lock(mutex_);
    return open_current();
  }

  Result<void> append(std::string_view line) {
    const os::MutexLock lock(mutex_);
    if (options_.directory.empty()) {
      const std::size_t written = std::fwrite(line.data(), 1, line.size(), stderr);
      return written == line.size() ? Result<void>() : Result<void>(ErrorCode::io);
    }
    if (size_ >= options_.rotate_above_bytes) {
      RK_TRY(rotate());
    }
    RK_TRY(file_->write_at(size_, std::as_bytes(std::span(line))));
    size_ += line.size();
    return {};
  }

 private:
  Result<void> open_current() RK_REQUIRES(mutex_) {
    const std::string path = os::join_path(options_.directory, kFileName);
    RK_TRY_ASSIGN(file_, platform_.files.open(path, {.creation = os::Creation::kOpenOrCreate}));
    RK_TRY_ASSIGN(const os::FileInfo info, file_->info());
    size_ = info.size_bytes;
    return {};
  }

  Result<void> rotate() RK_REQUIRES(mutex_) {
    const auto now = std::chrono::floor<std::chrono::microseconds>(platform_.clock.wall());
    const std::string target = rotated_name(now.time_since_epoch().count());
    RK_TRY(platform_.files.rename(os::join_path(options_.directory, kFileName),
                                  os::join_path(options_.directory, target)));
    RK_TRY(open_current());
    const auto oldest = now - std::chrono::floor<std::chrono::microseconds>(retention());
    return remove_oldest(rotated_name(oldest.time_since_epoch().count()));
  }

  static std::string rotated_name(std::int64_t microseconds) {
    return fmt::format("rookery.{:020}.log", std::max<std::int64_t>(0, microseconds));
  }

  // Rotated files below the name `oldest`, or too many of them.
  Result<void> remove_oldest(const std::string& oldest) RK_REQUIRES(mutex_) {
    RK_TRY_ASSIGN(std::vector<std::string> names, platform_.files.list(options_.directory));
    std::erase_if(names, [](const std::string& name) {
      return !name.starts_with("rookery.") || !name.ends_with(".log") || name == kFileName;
    });
    // The name carries the time in fixed width: sorted by name is sorted by age.
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i + options_.rotated_count_max >= names.size() && names[i] >= oldest) {
        continue;
      }
      RK_TRY(platform_.files.remove_file(os::join_path(options_.directory, names[i])));
    }
    return {};
  }

  os::Platform& platform_;
  const LogOptions options_;
  std::atomic<std::chrono::nanoseconds> retention_;
  os::Mutex mutex_;
  std::unique_ptr<os::File> file_ RK_GUARDED_BY(mutex_);
  std::uint64_t size_ RK_GUARDED_BY(mutex_) = 0;
};

Log::Log(os::Platform& platform, const LogOptions& options, std::unique_ptr<Sink> sink)
    : platform_(platform), options_(options), mode_(options.mode), sink_(std::move(sink)) {}

Log::~Log() = default;

Result<std::unique_ptr<Log>> Log::open(os::Platform& platform, const LogOptions& options) {
  auto sink = std::make_unique<Sink>(platform, options);
  RK_TRY(sink->open_file());
  return std::unique_ptr<Log>(new Log(platform, options, std::move(sink)));
}

std::chrono::nanoseconds Log::retention() const noexcept {
  return sink_->retention();
}

void Log::set_retention(std::chrono::nanoseconds retention) noexcept {
  sink_->set_retention(retention);
}

void Log::write(LogMode level, std::string_view event, std::initializer_list<LogPair> pairs) {
  if (!enabled(level)) {
    return;
  }
  std::string line = timestamp(platform_.clock.wall());
  line += level == LogMode::kOperations ? " level=operations event=" : " level=information event=";
  append_value(line, event);
  for (const LogPair& pair : pairs) {
    line += ' ';
    line += pair.key;
    line += '=';
    append_value(line, pair.value);
  }
  line += '\n';
  if (!sink_->append(line).has_value()) {
    lost_.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace rookery::api
