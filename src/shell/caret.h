// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Purpose. Shows where in a query an error is.

namespace rookery::shell {

// Both from 1; the column in code points, as in query::Position.
struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  bool operator==(const Place& other) const = default;
};

// The last "line:column" that stands behind "at " in a message.
[[nodiscard]] std::optional<Place> place_in(std::string_view message);

// Two lines with their ends: the line of the query, and a caret below the place. A line that is
// wider than `width` (0: any) is cut at both sides. Empty if the query has no such place.
[[nodiscard]] std::string caret_lines(std::string_view query, const Place& place,
                                      std::size_t width);

}  // namespace rookery::shell
