// SPDX-License-Identifier: Apache-2.0
#include "rookery/api/version.h"

#include <cstdio>
#include <string>

#include <boost/version.hpp>
#include <fmt/format.h>

#include "build_commit.h"
#include "build_facts.h"
#include "commands.h"

namespace rookery::cli {

std::string version_text() {
  return fmt::format(
      "rookery {} (speaks protocol {})\n"
      "commit: {}\n"
      "compiler: {}\n"
      "build: {}, {}, sanitizers: {}\n"
      "allocator: {}\n"
      "libraries: Boost {}.{}.{}{}\n",
      api::kProductVersion, api::kProtocolVersion, RK_BUILD_COMMIT, kBuildCompiler, kBuildType,
      kBuildSystem, kBuildSanitizers, kBuildAllocator, BOOST_VERSION / 100000,
      BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100, kBuildLibraries);
}

void print_error(const Error& error) {
  fmt::print(stderr, "rookery: {}\n", error.message());
}

}  // namespace rookery::cli
