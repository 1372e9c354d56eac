// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "rookery/base/result.h"

#include "histogram.h"

// Purpose. What the benchmarks in one process share: they end at the first error, and print JSON.

namespace rookery::bench {

using Clock = std::chrono::steady_clock;

[[noreturn]] inline void fail(std::string_view what, std::string_view why) {
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(why.size()), why.data());
  std::exit(1);
}

template <typename T>
T must(std::string_view what, Result<T> result) {
  if (!result.has_value()) {
    fail(what, result.error().message());
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(result).value();
  }
}

inline std::uint64_t nanoseconds_since(Clock::time_point from) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - from).count());
}

// As a member of a JSON object, with a comma before it.
inline void print_histogram(const char* name, const Histogram& histogram) {
  std::printf(
      ",\"%s\":{\"p50_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,\"max_us\":%.1f,"
      "\"count\":%llu,\"buckets\":",
      name, static_cast<double>(histogram.quantile(0.5)) / 1e3,
      static_cast<double>(histogram.quantile(0.99)) / 1e3,
      static_cast<double>(histogram.quantile(0.999)) / 1e3,
      static_cast<double>(histogram.max()) / 1e3,
      static_cast<unsigned long long>(histogram.count()));
  const char* separator = "[";
  histogram.for_each([&](std::uint64_t bound, std::uint64_t count) {
    std::printf("%s[%llu,%llu]", separator, static_cast<unsigned long long>(bound),
                static_cast<unsigned long long>(count));
    separator = ",";
  });
  std::printf("]}");
}

}  // namespace rookery::bench
