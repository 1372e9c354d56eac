// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

// Purpose. Dates as documents spell them, in the proleptic Gregorian calendar without leap seconds.

namespace rookery::value {

// Since 1970-01-01T00:00:00Z; the same type as os::WallTime.
using Date = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

// "2026-11-30T12:34:56.1234567Z": always seven digits of a second, the rest cut off.
[[nodiscard]] std::string format_date(Date date);

// Reads `yyyy-MM-dd` and `yyyy-MM-ddTHH:mm:ss[.f...][Z|+hh:mm|-hh:mm]` with up to nine digits of a
// second; without a zone it is UTC. nullopt for all else, for days that do not exist, and for years
// a Date cannot hold (before 1678, after 2261).
[[nodiscard]] std::optional<Date> parse_date(std::string_view text) noexcept;

}  // namespace rookery::value
