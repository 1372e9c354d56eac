// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/store/table.h"
#include "rookery/store/table_state.h"

// Purpose. What readers, writers and the checker of tables share: indexes map keys to storage ids,
// whatever their kind.

namespace rookery::store {

// An index's value. Errors: corrupt, if it has another size.
[[nodiscard]] Result<StorageId> load_storage_id(Bytes value);
// An int64 index's key as extract() left it. Errors: invalid_argument.
[[nodiscard]] Result<std::int64_t> load_int64_key(Bytes key);
// Errors: invalid_argument, for a key that the index cannot hold.
[[nodiscard]] Result<void> check_index_key(IndexKind kind, Bytes key);
// Where an index says that the row of this key lies.
[[nodiscard]] Result<std::optional<StorageId>> find_in_index(PageReader& pages, IndexKind kind,
                                                             const TreeRoot& root, Bytes key);

}  // namespace rookery::store
