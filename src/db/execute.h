// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rookery/base/result.h"
#include "rookery/db/command.h"
#include "rookery/doc/writer.h"

// Purpose. Runs the commands of one batch, in order, in the transaction of `writer`. Stops at the
// first that fails; what was done before is then still in the transaction (see
// DocumentWriter::change_count()). BatchResult::txn is left to the caller.

namespace rookery::db {

[[nodiscard]] Result<BatchResult> execute_batch(doc::DocumentWriter& writer,
                                                const std::vector<Command>& commands);

// Deletes only: such a batch may draw on the reserve of a full disk.
[[nodiscard]] bool only_deletes(const std::vector<Command>& commands) noexcept;

// About what the batch holds in memory.
[[nodiscard]] std::uint64_t batch_bytes(const std::vector<Command>& commands) noexcept;

}  // namespace rookery::db
