// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "chains.h"
#include "history_file.h"
#include "moments.h"
#include "numbers.h"

namespace rookery::history {

namespace {

void count_concurrency(const History& history, Counts& counts) {
  std::vector<const Operation*> order;
  for (const Operation& operation : history.operations) {
    if (operation.kind != Kind::kCrash) {
      order.push_back(&operation);
    }
  }
  std::sort(order.begin(), order.end(),
            [](const Operation* a, const Operation* b) { return a->from < b->from; });
  std::vector<Time> ends;
  ends.reserve(order.size());
  for (const Operation* operation : order) {
    ends.push_back(operation->to);
  }
  std::sort(ends.begin(), ends.end());
  Time latest_end = 0;  // of those that began before
  std::size_t ended = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    while (ends[ended] < order[i]->from) {
      ++ended;
    }
    counts.concurrent_max = std::max<std::uint64_t>(counts.concurrent_max, i + 1 - ended);
    const bool overlaps_before = i > 0 && latest_end >= order[i]->from;
    const bool overlaps_next = i + 1 < order.size() && order[i + 1]->from <= order[i]->to;
    counts.overlapping += overlaps_before || overlaps_next ? 1U : 0U;
    latest_end = std::max(latest_end, order[i]->to);
  }
}

Counts count(const History& history, const Chains& chains) {
  Counts counts;
  for (OpNo number = 0; number < history.operations.size(); ++number) {
    const Operation& operation = history.operations[number];
    if (operation.kind == Kind::kCrash) {
      ++counts.crashes;
      continue;
    }
    ++counts.operations;
    counts.writes += operation.kind == Kind::kWrite ? 1U : 0U;
    const bool reads = operation.kind == Kind::kLoad || operation.kind == Kind::kPrefix ||
                       operation.kind == Kind::kQuery;
    counts.reads += reads ? 1U : 0U;
    counts.refused += operation.outcome == Outcome::kRefused ? 1U : 0U;
    if (operation.outcome == Outcome::kUnknown) {
      ++counts.unknown;
      counts.unknown_seen += chains.moment(number) != kNoMoment ? 1U : 0U;
    }
  }
  count_concurrency(history, counts);
  return counts;
}

}  // namespace

Result<Verdict> check(const History& history) {
  Verdict verdict;
  Chains chains(history, verdict.findings);
  RK_TRY(chains.build());
  Moments(history, chains, verdict.findings).check();
  check_numbers(history, verdict.findings);
  verdict.counts = count(history, chains);
  return verdict;
}

std::string counts_text(const Counts& counts) {
  const double share = counts.operations == 0 ? 0.0
                                              : 100.0 * static_cast<double>(counts.overlapping) /
                                                    static_cast<double>(counts.operations);
  return fmt::format(
      "{} operations ({} writes, {} reads), {} refused, {} of unknown outcome ({} of them seen to "
      "have happened), {} crashes\n{} at once at most, {:.1f}% overlapped another one",
      counts.operations, counts.writes, counts.reads, counts.refused, counts.unknown,
      counts.unknown_seen, counts.crashes, counts.concurrent_max, share);
}

std::string findings_text(const Findings& findings, const History& history) {
  std::string text;
  for (std::size_t i = 0; i < kAnomalyCount; ++i) {
    const auto anomaly = static_cast<Anomaly>(i);
    if (findings.count(anomaly) == 0) {
      continue;
    }
    text += fmt::format("{} ({}): {}\n", anomaly_name(anomaly), findings.count(anomaly),
                        anomaly_sentence(anomaly));
    for (const Finding& finding : findings.kept()) {
      if (finding.anomaly != anomaly) {
        continue;
      }
      text += fmt::format("  {}\n", finding.text);
      for (const OpNo operation : finding.operations) {
        text += fmt::format("    {}\n", to_line(history.operations[operation], history.names));
      }
    }
  }
  return text;
}

}  // namespace rookery::history
