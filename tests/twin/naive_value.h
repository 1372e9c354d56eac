// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

// Purpose. Values as docs/rql.md says they compare, written a second time: simple, slow, and
// sharing no code with the product.

namespace rookery::twin {

using Json = nlohmann::ordered_json;

// For the letters that the generator knows; not Unicode's.
[[nodiscard]] std::string fold(std::string_view text);

[[nodiscard]] bool is_scalar(const Json& value);
// null 0, booleans 1, numbers 2, strings 3. Requires: a scalar.
[[nodiscard]] int kind(const Json& value);
// -1, 0, 1 across all kinds; strings as they are. Requires: scalars.
[[nodiscard]] int order(const Json& a, const Json& b);
[[nodiscard]] Json folded(Json value);

// Nanoseconds since 1970, of the forms that docs/rql.md calls dates.
[[nodiscard]] std::optional<std::int64_t> date(const Json& value);

// What `as string` and `as alphaNumeric` order by. Requires: a scalar, not null.
[[nodiscard]] std::string text(const Json& value);
// As `order by ... as alphaNumeric` orders texts.
[[nodiscard]] int alphanumeric_order(std::string_view a, std::string_view b);

// The words of a text: letters and digits, case folded.
[[nodiscard]] std::vector<std::string> words(std::string_view text);

}  // namespace rookery::twin
