// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/os/time.h"

// Purpose. Durations as this protocol spells them: [-][d.]hh:mm:ss[.fffffff].

namespace rookery::api {

// The smallest step of the text form, 100 ns.
using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, 10'000'000>>;

[[nodiscard]] std::optional<Ticks> parse_time_span(std::string_view text);
[[nodiscard]] std::string format_time_span(Ticks span);
// To wait for: 100 years at most, either way, so that it can be added to any time.
[[nodiscard]] os::Duration waiting_time(Ticks span);

}  // namespace rookery::api
