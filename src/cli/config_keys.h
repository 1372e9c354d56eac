// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

// Purpose. Every configuration key that this server knows. Names are case-insensitive.

namespace rookery::cli {

struct ConfigKey {
  std::string_view name;
  std::string_view default_value;  // as it would be written; empty: none
  // False: accepted for the sake of clients and scripts, without an effect. A given one is logged.
  bool has_effect = false;
  // Never shown, wherever it came from.
  bool is_secret = false;
};

[[nodiscard]] std::span<const ConfigKey> config_keys() noexcept;
[[nodiscard]] const ConfigKey* find_config_key(std::string_view name) noexcept;

struct NearKey {
  const ConfigKey* key = nullptr;
  std::size_t distance = 0;
};

// The known key nearest to a name that is none, if it is within two edits (a letter added, dropped,
// changed, or two swapped): almost certainly a typing error.
[[nodiscard]] std::optional<NearKey> near_config_key(std::string_view name);

// Letters to add, drop, change or swap to get from one to the other, ignoring case.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace rookery::cli
