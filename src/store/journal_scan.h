// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"

#include "aligned_buffer.h"
#include "journal_chain.h"
#include "journal_format.h"

// Purpose. Reads the batches of one journal file that count, in order, and decides what the first
// one that is not whole means: the torn tail of a write that nobody was told of, or corruption.
// Errors: corrupt, with file and batch; io; the visitor's.
// Source: STORE-INVARIANTS I2.

namespace rookery::store {

struct ScanStart {
  // 0: from the first batch on. Else this batch, which is visited too.
  std::uint64_t batch = 0;
  std::uint64_t offset = 0;
  std::uint64_t hash = 0;
};

struct ScanResult {
  JournalPosition last;  // the last batch that counts; batch 0: none does
  bool torn_tail = false;
  Bytes last_bytes;  // of it; live until the buffer is used again
};

using BatchVisitor = std::function<Result<void>(const DecodedBatch&)>;

[[nodiscard]] Result<ScanResult> scan_journal(os::Platform& platform, const ChainLink& link,
                                              const ScanStart& start, AlignedBuffer& buffer,
                                              const BatchVisitor& visit);

}  // namespace rookery::store
