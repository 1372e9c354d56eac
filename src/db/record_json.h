// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/db/record.h"
#include "rookery/value/document.h"

// Purpose. The client's DatabaseRecord, checked and brought into the form in which it is kept.

namespace rookery::db {

// A record of `name` with what `json` (an object, or null) says; etag and id are for the caller.
// Errors: invalid_argument (types, another DatabaseName), not_supported (what asks for a kind of
// database that there is not: Encrypted, Sharding).
[[nodiscard]] Result<DatabaseRecord> make_record(std::string_view name, value::View json);

// What replaces a member of a record.
struct RecordChange {
  std::optional<bool> disabled = std::nullopt;
  std::optional<LockMode> lock_mode = std::nullopt;
  std::optional<value::View> settings = std::nullopt;
};

// A copy of `record`, etag and id included, with the change made.
[[nodiscard]] Result<DatabaseRecord> changed_record(const DatabaseRecord& record,
                                                    const RecordChange& change);

}  // namespace rookery::db
