// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "rookery/base/result.h"

#include "client.h"
#include "recorder.h"

// Purpose. Many clients at once against a server process that is killed again and again. The
// history goes on over the restarts; at the end the server is killed once more, and everything is
// read.

namespace rookery::history {

struct RunOptions {
  std::uint64_t seed = 1;
  std::string binary;
  std::string folder;  // made; must not be there
  std::uint32_t clients = 16;
  std::chrono::seconds time{10};
  std::uint32_t kills = 3;
  // Killed at the n-th system call of a kind that changes files (by strace), recovery included,
  // instead of at some moment.
  bool at_calls = false;
  Workload workload;
};

struct RunReport {
  std::uint32_t kills = 0;
  std::uint32_t kills_at_calls = 0;       // of these
  std::uint32_t kills_while_opening = 0;  // of these
};

// Errors: io, if the server doesn't start, or ends by itself.
[[nodiscard]] Result<RunReport> record_run(const RunOptions& options, Recorder& recorder);

}  // namespace rookery::history
