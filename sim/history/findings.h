// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "anomaly.h"

namespace rookery::history {

// The position of an operation in History::operations.
using OpNo = std::uint32_t;

struct Finding {
  Anomaly anomaly;
  std::string text;                // which documents, which versions
  std::vector<OpNo> operations{};  // that prove it, in the order of the argument
};

// Purpose. Findings by class: all are counted, the first of each class are kept.
class Findings {
 public:
  static constexpr std::size_t kKeptMax = 10;

  void add(Finding finding) {
    if (++counts_.at(static_cast<std::size_t>(finding.anomaly)) <= kKeptMax) {
      kept_.push_back(std::move(finding));
    }
  }

  [[nodiscard]] const std::vector<Finding>& kept() const noexcept { return kept_; }

  [[nodiscard]] std::uint64_t count(Anomaly anomaly) const {
    return counts_.at(static_cast<std::size_t>(anomaly));
  }

  [[nodiscard]] bool empty() const noexcept { return kept_.empty(); }

 private:
  std::array<std::uint64_t, kAnomalyCount> counts_{};
  std::vector<Finding> kept_;
};

}  // namespace rookery::history
