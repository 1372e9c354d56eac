// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/os/platform.h"

#include "header_file.h"
#include "journal_format.h"

// Purpose. Which of the files in Journals/ make up the history behind a header, in order, and up to
// which batch each one counts. By the ids in their first blocks; names are hints.
// Errors: corrupt (a file of the chain is missing, damaged or short), io.
// Source: STORE-INVARIANTS I3, I18, I24.

namespace rookery::store {

struct JournalFileInfo {
  std::string path;
  JournalFileHeader header;
  std::uint64_t checksum = 0;  // of the first block
};

struct ChainLink {
  JournalFileInfo file;
  // The last batch that counts, if that is known: by the file after it, or by the header's fence.
  std::optional<std::uint64_t> fence;
  std::uint64_t fence_hash = 0;  // of that batch; 0: not known
  // Batches up to this one were durable once.
  std::uint64_t floor = 0;
};

struct JournalChain {
  std::vector<ChainLink> links;         // replay order
  std::vector<JournalFileInfo> others;  // older, or abandoned before anything was written
  std::uint64_t epoch_newest = 0;
  std::uint64_t next_seq = 1;
};

[[nodiscard]] Result<JournalChain> load_journal_chain(os::Platform& platform,
                                                      const std::string& directory,
                                                      const HeaderRecord& header);

}  // namespace rookery::store
