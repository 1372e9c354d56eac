// SPDX-License-Identifier: Apache-2.0
#include "numbers.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace rookery::history {

void check_numbers(const History& history, Findings& findings) {
  std::vector<OpNo> given;
  for (OpNo number = 0; number < history.operations.size(); ++number) {
    const Operation& operation = history.operations[number];
    if ((operation.kind == Kind::kIdentity || operation.kind == Kind::kHiLo) &&
        operation.outcome == Outcome::kOk) {
      given.push_back(number);
    }
  }
  const auto key = [&](OpNo number) {
    const Operation& operation = history.operations[number];
    return std::tuple(operation.kind, operation.name, operation.low, operation.from);
  };
  std::sort(given.begin(), given.end(), [&](OpNo a, OpNo b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < given.size(); ++i) {
    const Operation& before = history.operations[given[i - 1]];
    const Operation& here = history.operations[given[i]];
    if (before.kind == here.kind && before.name == here.name && here.low <= before.high) {
      findings.add({Anomaly::kNumberReused,
                    std::to_string(here.low) + " of '" +
                        std::string(history.names.text(here.name)) + "' was handed out twice",
                    {given[i - 1], given[i]}});
    }
  }
}

}  // namespace rookery::history
