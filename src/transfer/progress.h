// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/os/platform.h"

// Purpose. One line on a terminal that says how far something is, how fast, and how long it will
// still take. Silent where standard error is no terminal.

namespace rookery::transfer {

struct ProgressState {
  std::uint64_t documents = 0;
  std::uint64_t done = 0;              // of `all`, in bytes or documents
  std::optional<std::uint64_t> all{};  // nullopt: not known
  std::uint64_t rejects = 0;
};

// "[#######             ] 34% 12,000 documents, 5,600/s, 2 rejected, 0:12 left"
[[nodiscard]] std::string progress_text(const ProgressState& begin, const ProgressState& now,
                                        os::Duration elapsed);
// "1:02:03", "0:12"
[[nodiscard]] std::string time_text(std::uint64_t seconds);
[[nodiscard]] std::string with_commas(std::uint64_t number);

// Threads: one owner.
class Progress {
 public:
  // `begin`: what was done before this run; it does not count for the rate.
  explicit Progress(const ProgressState& begin);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows it, a few times a second at most.
  void show(const ProgressState& now);
  // Takes the line away, for other output.
  void clear();

  [[nodiscard]] os::Duration elapsed() const;

 private:
  const ProgressState begin_;
  const os::MonotonicTime started_;
  const bool is_terminal_;
  os::MonotonicTime shown_at_{};
  bool is_shown_ = false;
};

}  // namespace rookery::transfer
