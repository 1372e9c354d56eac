// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/os/sync.h"

#include "operation.h"

// Purpose. Where concurrent clients write down what they did.
// Threads: any; fibers too.
// Units: time is a counter. Each request takes a number before it is sent and one after it was
// answered, so what was answered before another began has the lower number, and none are equal.

namespace rookery::history {

class Recorder {
 public:
  [[nodiscard]] Time tick() noexcept { return ticks_.fetch_add(1) + 1; }

  [[nodiscard]] NameNo name(std::string_view text);
  [[nodiscard]] std::optional<Version> version(std::string_view text);
  void add(Operation operation);
  // An answer that no client should get: it ends up in the verdict.
  void complain(std::string text);
  // Why requests were refused, for the report: status and type.
  void count_refusal(const std::string& why);

  [[nodiscard]] std::uint64_t count();

  // Once nobody records any more.
  [[nodiscard]] const History& history() const noexcept { return history_; }

  [[nodiscard]] const std::vector<std::string>& complaints() const noexcept { return complaints_; }

  [[nodiscard]] const std::map<std::string, std::uint64_t>& refusals() const noexcept {
    return refusals_;
  }

 private:
  static constexpr std::size_t kComplaintsMax = 20;

  std::atomic<Time> ticks_ = 0;
  os::Mutex mutex_;
  // Guarded by mutex_, until nobody records any more.
  History history_;
  std::vector<std::string> complaints_;
  std::map<std::string, std::uint64_t> refusals_;
};

}  // namespace rookery::history
