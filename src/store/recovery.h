// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"

#include "header_file.h"
#include "journal.h"
#include "page_table.h"
#include "scratch.h"

// Purpose. From a header and the journals to the newest durable state: a page table, and nothing
// written. Whatever is there is either replayed, or provably a write that nobody was told of, or an
// error.
// Threads: one, before anyone else has the environment.
// Errors: corrupt, naming file and batch; io; out_of_memory.
// Source: STORE-INVARIANTS I2, I3, I18, I24, I25; docs/format/journal.md.

namespace rookery::store {

struct RecoveryInput {
  std::string journal_directory;
  HeaderRecord header;
  // Only one header was whole: incarnations that it does not know yet may have written since.
  bool other_header_unreadable = false;
};

// A batch that was read whole but that no one ever said is durable: it is written again, in place,
// before anybody relies on it.
struct TailBatch {
  std::string path;
  std::uint64_t offset = 0;
  std::vector<std::byte> bytes;  // empty: nothing to do
};

struct Recovered {
  Meta meta;
  PageTable table;
  JournalPosition last;         // of the chain, batch or first block of a file
  JournalPosition last_commit;  // the batch that ends with meta.txn
  std::uint64_t epoch_newest = 0;
  std::uint64_t next_seq = 1;
  std::vector<ClosedJournal> files;  // oldest first
  std::vector<Uuid> incarnations;    // whose transactions were replayed
  TailBatch tail;
  std::uint64_t batches_replayed = 0;
  std::uint64_t torn_tails = 0;
};

// `edit`: the number that the page table's nodes carry.
[[nodiscard]] Result<Recovered> recover(os::Platform& platform, const RecoveryInput& input,
                                        std::uint64_t edit, ScratchPool& scratch);

}  // namespace rookery::store
