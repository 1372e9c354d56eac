// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/doc/change_vector.h"
#include "rookery/value/document.h"

// Purpose. What the server knows about a database before opening it.
// Source: docs/format/documents.md, "System environment".

namespace rookery::db {

enum class LockMode : std::uint8_t { kUnlock, kPreventDeletesIgnore, kPreventDeletesError };

// "Unlock", "PreventDeletesIgnore", "PreventDeletesError".
[[nodiscard]] std::string_view lock_mode_name(LockMode mode) noexcept;
// Errors: invalid_argument.
[[nodiscard]] Result<LockMode> parse_lock_mode(std::string_view name);

// Purpose. One version of a database's record. `json` is the client's DatabaseRecord, in which
// DatabaseName, Disabled and LockMode always agree with the members here; Etag and Topology, which
// the server makes up when it answers, are not in it.
struct DatabaseRecord {
  std::string name;  // as it was created; names are case-insensitive
  std::uint64_t etag = 0;
  doc::DatabaseId id;
  bool disabled = false;
  LockMode lock_mode = LockMode::kUnlock;
  value::Document json;
};

inline constexpr std::size_t kDatabaseNameSizeMax = 128;

// Letters, digits, '_', '-' and '.', and anything beyond ASCII; 1 to 128 bytes of UTF-8; not
// starting with '.', and not ending in ".", ".creating" or ".deleting", which are the server's own.
// Errors: invalid_argument with a sentence for the user.
[[nodiscard]] Result<void> check_database_name(std::string_view name);

}  // namespace rookery::db
