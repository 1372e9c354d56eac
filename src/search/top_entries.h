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

// The same by scores alone, without a key for each.
class TopScores {
 public:
  struct Scored {
    double score = 0;
    std::uint64_t number = 0;
  };

  TopScores(std::uint64_t limit, bool descending) : limit_(limit), descending_(descending) {}

  // Requires: numbers ascend; of equal scores the lower number comes first.
  void add(Scored scored);
  // In order. Nothing is left.
  [[nodiscard]] std::vector<Scored> take();

 private:
  [[nodiscard]] bool is_before(const Scored& a, const Scored& b) const noexcept {
    if (a.score != b.score) {
      return descending_ ? a.score > b.score : a.score < b.score;
    }
    return a.number < b.number;
  }

  std::uint64_t limit_;
  bool descending_;
  std::vector<Scored> scored_;  // a heap, the last in order first, once there are `limit_`
};

}  // namespace rookery::search
