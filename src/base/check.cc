// SPDX-License-Identifier: Apache-2.0
#include "rookery/base/check.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include <execinfo.h>
#include <unistd.h>

namespace rookery {

void check_failed(const char* file, int line, const char* expression) noexcept {
  std::fprintf(stderr, "check failed: %s at %s:%d\n", expression, file, line);
  std::array<void*, 48> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
  std::abort();
}

}  // namespace rookery
