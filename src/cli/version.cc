// SPDX-License-Identifier: Apache-2.0
#include "rookery/api/version.h"

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "commands.h"

namespace rookery::cli {

std::string version_text() {
  return fmt::format("rookery {} (speaks protocol {})\nbuild: {} {}, {}, allocator {}, commit {}\n",
                     api::kProductVersion, api::kProtocolVersion, RK_BUILD_COMPILER, __VERSION__,
                     RK_BUILD_TYPE, RK_BUILD_ALLOCATOR, RK_BUILD_COMMIT);
}

void print_error(const Error& error) {
  fmt::print(stderr, "rookery: {}\n", error.message());
}

}  // namespace rookery::cli
