// SPDX-License-Identifier: Apache-2.0
#include "doctor_report.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "rookery/value/json.h"

namespace rookery::cli {

namespace {

constexpr std::size_t kNameWidth = 22;
constexpr std::size_t kAdviceIndent = 11;
constexpr std::size_t kTextWidth = 100;

// What no look at a machine can find. docs/guarantees.md says more.
constexpr auto kNotProtectedAgainst = std::to_array<std::string_view>({
    "a disk, controller or hypervisor that says \"durable\" before it is",
    "a whole folder that is put back to an older state (a snapshot, a restored disk image)",
    "a copy of the folder made while the server runs: stop it, or export",
    "two machines that mount the same folder, where locks do not reach across (NFS)",
    "memory that changes bits (without ECC) before the checksum is made",
    "whoever may write to the folder, or reach the server's port",
});

void append_wrapped(std::string& out, std::string_view text) {
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (column != 0 && kAdviceIndent + column + 1 + end > kTextWidth) {
      out += '\n';
      column = 0;
    }
    out += column == 0 ? std::string(kAdviceIndent, ' ') : std::string(" ");
    out += text.substr(0, end);
    column += end + (column == 0 ? 0 : 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

void append_finding(std::string& out, const Finding& finding) {
  out += fmt::format("  {:<8} {:<{}} {}\n", level_name(finding.level), finding.name, kNameWidth,
                     finding.value);
  if (!finding.advice.empty()) {
    append_wrapped(out, finding.advice);
  }
}

}  // namespace

std::string_view level_name(Level level) noexcept {
  constexpr auto kNames = std::to_array<std::string_view>({"ok", "note", "warning", "problem"});
  return kNames[static_cast<std::size_t>(level)];
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr auto kUnits = std::to_array<std::string_view>({"bytes", "KB", "MB", "GB", "TB", "PB"});
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  const bool whole =
      unit == 0 || value >= 100 || value == static_cast<double>(std::uint64_t(value));
  return fmt::format("{:.{}f} {}", value, whole ? 0 : 1, kUnits[unit]);
}

Level DoctorReport::level() const noexcept {
  Level worst = Level::kGood;
  for (const Finding& finding : findings_) {
    worst = std::max(worst, finding.level);
  }
  return worst;
}

int DoctorReport::exit_code() const noexcept {
  return level() == Level::kProblem ? 2 : (level() == Level::kWarning ? 1 : 0);
}

std::string DoctorReport::text() const {
  std::string out = fmt::format("rookery doctor {}\n", folder_);
  std::vector<std::string_view> areas;
  for (const Finding& finding : findings_) {
    if (std::find(areas.begin(), areas.end(), finding.area) == areas.end()) {
      areas.push_back(finding.area);
    }
  }
  for (const std::string_view area : areas) {
    out += fmt::format("\n{}\n", area);
    for (const Finding& finding : findings_) {
      if (finding.area == area) {
        append_finding(out, finding);
      }
    }
  }
  out += "\nnot protected against, wherever it runs (docs/guarantees.md)\n";
  for (const std::string_view danger : kNotProtectedAgainst) {
    out += fmt::format("  - {}\n", danger);
  }
  const auto count = [&](Level level) {
    return std::count_if(findings_.begin(), findings_.end(),
                         [level](const Finding& finding) { return finding.level == level; });
  };
  out +=
      fmt::format("\nproblems: {}, warnings: {}\n", count(Level::kProblem), count(Level::kWarning));
  return out;
}

std::string DoctorReport::json() const {
  std::string out;
  value::JsonWriter w(out);
  w.begin_object();
  w.string("Folder", folder_);
  w.string("Level", level_name(level()));
  w.key("Findings");
  w.begin_array();
  for (const Finding& finding : findings_) {
    w.begin_object();
    w.string("Level", level_name(finding.level));
    w.string("Area", finding.area);
    w.string("Name", finding.name);
    w.string("Value", finding.value);
    w.string("Advice", finding.advice);
    w.end_object();
  }
  w.end_array();
  w.key("NotProtectedAgainst");
  w.begin_array();
  for (const std::string_view danger : kNotProtectedAgainst) {
    w.string(danger);
  }
  w.end_array();
  w.end_object();
  out += '\n';
  return out;
}

}  // namespace rookery::cli
