// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/search/query.h"

#include "record.h"
#include "snapshot.h"

// Purpose. Whether the words of a phrase are in an entry's text at the distances they should have.
// Threads: one at a time.

namespace rookery::search {

// The words' displacements (where a word is, less where it should be) may be `slop` apart at most;
// no place in the text serves two words of the phrase. `positions`: of each word, ascending.
// `snapshot` is asked whether to go on: a text may have a word very often. Errors: cancelled.
[[nodiscard]] Result<bool> phrase_matches(
    const std::vector<std::uint32_t>& wanted,
    const std::vector<const std::vector<std::uint32_t>*>& positions, std::uint32_t slop,
    Snapshot& snapshot);

class PhraseMatcher {
 public:
  explicit PhraseMatcher(const Phrase& phrase);

  [[nodiscard]] Result<bool> matches(const RecordFieldView& field, Snapshot& snapshot);

 private:
  std::vector<Term> terms_;            // each once, ascending
  std::vector<std::size_t> term_of_;   // of each word
  std::vector<std::uint32_t> wanted_;  // each word's place in the phrase
  std::uint32_t slop_;
};

}  // namespace rookery::search
