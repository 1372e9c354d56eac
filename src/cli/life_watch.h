// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rookery/base/result.h"

// Purpose. Waits for the reason to stop: a signal, the words "shutdown no-confirmation" on the
// standard input (with or without a line end), and, where a parent process was named, the end of
// the standard input or of that process.
// Source: docs on the process contract in README.md of this folder.

namespace rookery::cli {

enum class StopReason : std::uint8_t { kSignal, kCommand, kInputEnded, kParentGone };

[[nodiscard]] std::string_view stop_reason_name(StopReason reason) noexcept;

// Purpose. Finds the words in a stream that arrives in any pieces. Keeps no more than it needs.
class ShutdownWords {
 public:
  // True once the words have been seen.
  [[nodiscard]] bool feed(std::string_view bytes);

 private:
  std::size_t matched_ = 0;
};

// Purpose. See the file's head.
// Threads: the main thread, before any other exists: the others inherit the blocked signals.
class LifeWatch {
 public:
  [[nodiscard]] static Result<LifeWatch> begin(std::optional<std::int64_t> parent_process_id);
  LifeWatch(LifeWatch&& other) noexcept;
  LifeWatch& operator=(LifeWatch&&) = delete;
  ~LifeWatch();

  // Blocks.
  [[nodiscard]] StopReason wait();
  // From now on the next SIGINT or SIGTERM ends the process at once.
  void let_signals_through();

 private:
  LifeWatch(int signals, int parent, std::optional<std::int64_t> parent_process_id)
      : signals_(signals), parent_(parent), parent_process_id_(parent_process_id) {}

  // True once the process is to stop. Clears `open` at the end of the input.
  bool read_input(bool& open);

  int signals_;  // signalfd
  int parent_;   // pidfd, or -1
  std::optional<std::int64_t> parent_process_id_;
  ShutdownWords words_;
};

}  // namespace rookery::cli
