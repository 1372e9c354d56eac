// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Purpose. How many columns of a terminal a text takes, and texts that fit.
// Threads: any. Units: columns, unless they say bytes.
// Requires: UTF-8.
// Source: Unicode's East Asian Width (UAX 11), by ICU, whatever the locale is.

namespace rookery::shell {

// Without control characters; those that printable() leaves count as nothing.
[[nodiscard]] std::size_t display_width(std::string_view text);

// On one line, and unable to drive the terminal: what a document holds is somebody else's. Control
// characters and those that change the direction of writing become \n, \t, \u001b and so on.
[[nodiscard]] std::string printable(std::string_view text);

// `text` if it takes at most `width`; otherwise its beginning and an ellipsis.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width);

}  // namespace rookery::shell
