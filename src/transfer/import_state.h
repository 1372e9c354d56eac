// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/result.h"

// Purpose. How far an import has come: what the server has confirmed as durable, and by what it is
// known again. Small, and replaced as a whole: after a kill -9 it is the one before or this one.

namespace rookery::transfer {

struct ImportState {
  // What must be the same when an import goes on: where to, and by which rules.
  std::string target;
  std::uint64_t record_count = 0;    // read and dealt with
  std::uint64_t document_count = 0;  // of them stored
  std::uint64_t reject_count = 0;    // and the others
  std::uint64_t rejects_bytes = 0;   // of the file of rejects
  std::uint64_t hash = 0;            // over the texts of the records, in order
};

// The hash of the texts so far and one more.
[[nodiscard]] std::uint64_t add_to_hash(std::uint64_t hash, std::string_view record) noexcept;

// nullopt: there is no such file. Errors: io, malformed.
[[nodiscard]] Result<std::optional<ImportState>> load_state(const std::string& path);
// Durable when it returns. Errors: io.
[[nodiscard]] Result<void> save_state(const std::string& path, const ImportState& state);
// Errors: io, but not that there is none.
[[nodiscard]] Result<void> remove_file(const std::string& path);

}  // namespace rookery::transfer
