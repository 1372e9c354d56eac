// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rookery/base/result.h"

// Purpose. The first so many of any number of keys, in memory bounded by how many, and by bytes.
// Threads: one at a time.

namespace rookery::search {

class TopEntries {
 public:
  TopEntries(std::uint64_t limit, std::uint64_t memory_bytes_max)
      : limit_(limit), memory_bytes_max_(memory_bytes_max) {}

  // Errors: too_large, with what a user can do.
  [[nodiscard]] Result<void> add(std::string key);
  // Ascending. Nothing is left.
  [[nodiscard]] std::vector<std::string> take();

 private:
  std::uint64_t limit_;
  std::uint64_t memory_bytes_max_;
  std::uint64_t memory_bytes_ = 0;
  std::vector<std::string> keys_;  // a heap, greatest first, once there are `limit_`
};

}  // namespace rookery::search
