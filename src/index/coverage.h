// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rookery/base/result.h"
#include "rookery/doc/reader.h"
#include "rookery/index/definition.h"
#include "rookery/index/info.h"

// Purpose. Which documents and tombstones concern an index, by etag.
// Threads: as the reader's transaction.

namespace rookery::index {

[[nodiscard]] Result<void> scan_documents(const Definition& definition,
                                          const doc::DocumentReader& documents,
                                          std::uint64_t from_etag,
                                          const doc::DocumentReader::Visitor& visit);
[[nodiscard]] Result<void> scan_tombstones(const Definition& definition,
                                           const doc::DocumentReader& documents,
                                           std::uint64_t from_etag,
                                           const doc::DocumentReader::Visitor& visit);

// Whether anything that concerns the index has a higher etag than the index has seen. Two seeks.
[[nodiscard]] Result<bool> is_behind(const Definition& definition,
                                     const doc::DocumentReader& documents, const Progress& seen);

// Whether tombstones that the index has not seen were purged: nothing tells it any more what to
// take out.
[[nodiscard]] Result<bool> has_missed_deletions(const Definition& definition,
                                                const doc::DocumentReader& documents,
                                                const Progress& seen);

}  // namespace rookery::index
