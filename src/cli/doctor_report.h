// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Purpose. What `rookery doctor` found, and how it is shown.
// Threads: one.

namespace rookery::cli {

enum class Level : std::uint8_t {
  kGood,
  kNote,     // worth knowing; nothing to do
  kWarning,  // works, but not as well or as safely as it could
  kProblem,  // the promises do not hold here, or it will not work
};

[[nodiscard]] std::string_view level_name(Level level) noexcept;

struct Finding {
  Level level = Level::kGood;
  std::string_view area;  // a literal: "volume", "durability", "limits" ...
  std::string name;
  std::string value;
  std::string advice{};  // why it matters and what to do; empty where that is nothing
};

class DoctorReport {
 public:
  explicit DoctorReport(std::string folder) : folder_(std::move(folder)) {}

  void add(Finding finding) { findings_.push_back(std::move(finding)); }

  [[nodiscard]] const std::vector<Finding>& findings() const noexcept { return findings_; }

  // The worst of all.
  [[nodiscard]] Level level() const noexcept;
  // 0: nothing to do; 1: a warning; 2: a problem.
  [[nodiscard]] int exit_code() const noexcept;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;

 private:
  std::string folder_;
  std::vector<Finding> findings_;
};

// "1.5 GB", "16 KB".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

}  // namespace rookery::cli
