// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rookery/base/result.h"

// Purpose. The statements of earlier runs, in a file that only its owner can read: one JSON string
// a line, the newest last. Shells that run at once add to it in turn.
// Errors: io.

namespace rookery::shell {

inline constexpr std::size_t kHistoryEntriesMax = 1000;

// Where it is: in $XDG_STATE_HOME/rookery, or ~/.local/state/rookery. Empty if neither is set.
[[nodiscard]] std::string default_history_path();

class HistoryFile {
 public:
  // Makes the file and its folders, and shortens a file that has grown to twice the entries kept.
  [[nodiscard]] static Result<HistoryFile> open(const std::string& path);

  // The newest kHistoryEntriesMax, oldest first. Lines that are none of ours are passed over.
  [[nodiscard]] const std::vector<std::string>& entries() const noexcept { return entries_; }

  Result<void> add(const std::string& statement);

 private:
  explicit HistoryFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::vector<std::string> entries_;
};

}  // namespace rookery::shell
