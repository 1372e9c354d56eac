// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"

// Purpose. The server's log: one line an event, `time level=... event=... key=value ...`, to stderr
// or to files that are rotated by size. Values are quoted and escaped where they hold a blank, a
// quote or a control character, so that a line stays a line whatever a client sends.

namespace rookery::api {

enum class LogMode : std::uint8_t {
  kNone,         // nothing
  kOperations,   // starts, stops, failures
  kInformation,  // each request too
};

[[nodiscard]] std::string_view log_mode_name(LogMode mode) noexcept;
// "None", "Operations" or "Information", without case.
[[nodiscard]] Result<LogMode> parse_log_mode(std::string_view text);

struct LogPair {
  std::string_view key;
  std::string value;
};

struct LogOptions {
  LogMode mode = LogMode::kOperations;
  std::string directory{};  // empty: stderr
  std::uint64_t rotate_above_bytes = 128ULL * 1024 * 1024;
  // Rotated files beyond this many are removed, the oldest first, and so are those that are older
  // than the retention; looked at whenever a file is rotated.
  std::uint32_t rotated_count_max = 10;
  std::chrono::seconds retention{3 * 24 * 3600};
};

// Purpose. See the file's head.
// Threads: any; lines never mix. A failure to write is counted and never reaches the caller: a full
//   disk must not stop the database.
class Log {
 public:
  // Errors: what the file system says about the directory and the first file.
  [[nodiscard]] static Result<std::unique_ptr<Log>> open(os::Platform& platform,
                                                         const LogOptions& options);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log();

  [[nodiscard]] bool enabled(LogMode level) const noexcept {
    return level <= mode_.load(std::memory_order_relaxed);
  }

  // `level` is kOperations or kInformation.
  void write(LogMode level, std::string_view event, std::initializer_list<LogPair> pairs);

  [[nodiscard]] LogMode mode() const noexcept { return mode_.load(std::memory_order_relaxed); }

  // Until the next start; the configured mode stays what it was.
  void set_mode(LogMode mode) noexcept { mode_.store(mode, std::memory_order_relaxed); }

  [[nodiscard]] const LogOptions& options() const noexcept { return options_; }

  // As set_mode(): until the next start.
  [[nodiscard]] std::chrono::nanoseconds retention() const noexcept;
  void set_retention(std::chrono::nanoseconds retention) noexcept;

  [[nodiscard]] std::uint64_t lost_count() const noexcept {
    return lost_.load(std::memory_order_relaxed);
  }

 private:
  class Sink;
  Log(os::Platform& platform, const LogOptions& options, std::unique_ptr<Sink> sink);

  os::Platform& platform_;
  const LogOptions options_;
  std::atomic<LogMode> mode_;
  std::atomic<std::uint64_t> lost_{0};
  std::unique_ptr<Sink> sink_;
};

}  // namespace rookery::api
