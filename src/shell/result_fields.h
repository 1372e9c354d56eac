// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/value/document.h"

// Purpose. Which columns a set of results has.
// Threads: one owner.

namespace rookery::shell {

// The column of a document's id, and of a result that is no object.
inline constexpr std::string_view kIdColumn = "@id";
inline constexpr std::string_view kValueColumn = "value";

class ResultFields {
 public:
  // The fields of one more result. The names of those that it is the first to have.
  std::vector<std::string> add(value::View result);

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::vector<std::string> names_;
  std::set<std::string, std::less<>> known_;
};

// What a result has in a column. Projections have no id of their own to show: the query says what
// it wants.
[[nodiscard]] std::optional<value::View> field_of(value::View result, std::string_view column);

}  // namespace rookery::shell
