// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

// Purpose. A seeded generator (xoshiro256**, seeded by splitmix64) for tests, simulation and
// anything that must replay. Not for secrets: those come from os::Random.
// Threads: one owner.
// Source: https://prng.di.unimi.it/ (public domain algorithms, written anew).

namespace rookery {

class Prng {
 public:
  using result_type = std::uint64_t;

  explicit Prng(std::uint64_t seed) noexcept;

  std::uint64_t next() noexcept;
  // Uniform in [0, bound). Requires: bound > 0.
  std::uint64_t below(std::uint64_t bound) noexcept;

  // True once in `one_in` on average. Requires: one_in > 0.
  bool chance(std::uint64_t one_in) noexcept { return below(one_in) == 0; }

  // UniformRandomBitGenerator, for std::shuffle.
  static constexpr std::uint64_t min() noexcept { return 0; }

  static constexpr std::uint64_t max() noexcept { return ~std::uint64_t{0}; }

  std::uint64_t operator()() noexcept { return next(); }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace rookery
