// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fake_pages.h"
#include "structure_check.h"

// Purpose. For tests: walks structures over FakePages and says everything that is wrong with them,
// pages that nobody refers to, or that two refer to, included.

namespace rookery::store {

class StructureAudit {
 public:
  explicit StructureAudit(FakePages& pages) : pages_(pages) {}

  void tree(const TreeRoot& root) { take(check_tree(pages_, root, visitor())); }

  void fixed_tree(const TreeRoot& root) { take(check_fixed_tree(pages_, root, visitor())); }

  void table(const TableState& state, const TableSchema* schema) {
    take(check_table(pages_, state, schema, visitor()));
  }

  // One line a problem; empty: every page of the fake is reachable exactly once and all is sound.
  [[nodiscard]] std::string report() {
    if (seen_ != pages_.runs()) {
      for (const auto& [number, count] : pages_.runs()) {
        if (!seen_.contains(number)) {
          problems_ +=
              fmt::format("page {} (run of {}) is reachable from nowhere\n", number, count);
        }
      }
    }
    for (const std::string& violation : pages_.violations()) {
      problems_ += violation + "\n";
    }
    return problems_;
  }

 private:
  [[nodiscard]] StructureVisitor visitor() {
    return {.visit_page = [this](PageNo number, std::uint32_t count) -> Result<bool> {
              if (!seen_.emplace(number.value(), count).second) {
                problems_ += fmt::format("page {} is reachable twice\n", number.value());
                return false;
              }
              return true;
            },
            .problem = [this](std::string problem) { problems_ += problem + "\n"; }};
  }

  void take(const Result<void>& result) {
    if (!result.has_value()) {
      problems_ += result.error().to_string() + "\n";
    }
  }

  FakePages& pages_;
  std::map<std::uint64_t, std::uint32_t> seen_;
  std::string problems_;
};

template <typename T>
[[nodiscard]] std::optional<Error> error_of(const Result<T>& result) {
  return result.has_value() ? std::nullopt : std::optional<Error>(result.error());
}

[[nodiscard]] inline std::string audit_tree(FakePages& pages, const TreeRoot& root) {
  StructureAudit audit(pages);
  audit.tree(root);
  return audit.report();
}

[[nodiscard]] inline std::string audit_fixed_tree(FakePages& pages, const TreeRoot& root) {
  StructureAudit audit(pages);
  audit.fixed_tree(root);
  return audit.report();
}

}  // namespace rookery::store
