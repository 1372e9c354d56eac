// SPDX-License-Identifier: Apache-2.0
// The main of every test binary: prints one seed, taken from --seed=N, RK_TEST_SEED or the entropy
// of the system, and hands it to gtest (shuffling), RapidCheck and rookery::test_seed().
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rookery/base/test_seed.h"

namespace rookery {
namespace {
std::uint64_t seed_of_run = 0;  // written once, before the tests start
}  // namespace

std::uint64_t test_seed() noexcept {
  return seed_of_run;
}

}  // namespace rookery

int main(int argc, char** argv) {
  std::uint64_t seed = std::random_device{}();
  if (const char* from_environment = std::getenv("RK_TEST_SEED"); from_environment != nullptr) {
    seed = std::strtoull(from_environment, nullptr, 10);
  }
  constexpr std::string_view kFlag = "--seed=";
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with(kFlag)) {
      seed = std::strtoull(argv[i] + kFlag.size(), nullptr, 10);
    }
  }
  rookery::seed_of_run = seed;
  if (std::getenv("RC_PARAMS") == nullptr) {
    setenv("RC_PARAMS", ("seed=" + std::to_string(seed)).c_str(), 1);
  }
  std::printf("seed %llu (repeat with --seed=%llu)\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(seed));
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
