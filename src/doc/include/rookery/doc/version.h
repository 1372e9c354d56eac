// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "rookery/base/result.h"
#include "rookery/doc/change_vector.h"
#include "rookery/os/time.h"
#include "rookery/value/document.h"

// Purpose. Documents that go from one database to another.

namespace rookery::doc {

// Purpose. What a database knew of a document when it gave it away, for the database that takes it.
struct DocumentVersion {
  ChangeVector change_vector;
  std::optional<os::WallTime> last_modified;
};

// From the metadata that clients get with a document; nullopt if it has no change vector.
// Errors: malformed, too_large.
[[nodiscard]] Result<std::optional<DocumentVersion>> version_of(value::View document);

}  // namespace rookery::doc
