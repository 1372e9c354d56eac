// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rookery/base/result.h"

#include "posting_list.h"
#include "snapshot.h"

// Purpose. The entries of several lists in the order of their numbers, read no further than asked.
// Threads: one at a time.
// Owns: nothing; borrows the lists and the snapshot.
// Requires: no entry is in two of the lists.

namespace rookery::search {

class MergedLists {
 public:
  [[nodiscard]] static Result<MergedLists> open(Snapshot& snapshot,
                                                std::span<const PostingList> lists);

  // nullopt at the end.
  [[nodiscard]] Result<std::optional<std::uint64_t>> next();

 private:
  struct Source {
    PostingCursor cursor;
    std::size_t at = 0;  // in the cursor's block
  };

  // A source's next entry, and which source.
  using Head = std::pair<std::uint64_t, std::size_t>;

  std::vector<Source> sources_;
  std::vector<Head> heads_;  // a heap, least first
};

}  // namespace rookery::search
