// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rookery/base/result.h"

#include "document_maker.h"
#include "record_reader.h"
#include "server.h"

// Purpose. After an import: every document of the input is loaded, and compared with its record.

namespace rookery::transfer {

struct VerifyCounts {
  std::uint64_t equal_count = 0;
  std::uint64_t difference_count = 0;
};

// Reads on from where `reader` stands, which is record 1. Records that cannot be documents do not
// count. The first differences are told on standard error. Errors: of the reader and the server.
[[nodiscard]] Result<VerifyCounts> verify_documents(RecordReader& reader, DocumentMaker& maker,
                                                    const Server& server);

}  // namespace rookery::transfer
