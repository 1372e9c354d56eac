// SPDX-License-Identifier: Apache-2.0
#include "phrase_match.h"

#include <algorithm>

namespace rookery::search {
namespace {

// Whether each word finds a place of its own whose displacement is between `low` and `low` + slop.
// Words that are alike take theirs in the order of the phrase, the first that fits: their windows
// move on with them, so no later word could have used an earlier place better.
bool fits(const std::vector<std::uint32_t>& wanted,
          const std::vector<const std::vector<std::uint32_t>*>& positions, std::uint32_t slop,
          std::int64_t low) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::vector<std::uint32_t>& places = *positions[i];
    // How many places the words before it that are alike have taken or passed.
    std::size_t from = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      if (positions[j] != positions[i]) {
        continue;
      }
      const std::int64_t first = low + wanted[j];
      const auto at =
          std::lower_bound(places.begin() + static_cast<std::ptrdiff_t>(from), places.end(), first);
      from = static_cast<std::size_t>(at - places.begin());
      if (from == places.size() || places[from] > first + slop) {
        return false;
      }
      ++from;
    }
  }
  return true;
}

}  // namespace

Result<bool> phrase_matches(const std::vector<std::uint32_t>& wanted,
                            const std::vector<const std::vector<std::uint32_t>*>& positions,
                            std::uint32_t slop, Snapshot& snapshot) {
  // Some word has the least displacement: each of each word's is tried as that.
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (const std::uint32_t place : *positions[i]) {
      RK_TRY(snapshot.tick(wanted.size()));
      const std::int64_t low = std::int64_t{place} - std::int64_t{wanted[i]};
      if (fits(wanted, positions, slop, low)) {
        return true;
      }
    }
    if (slop == 0) {
      return false;  // all displacements are equal: the first word has tried them all
    }
  }
  return false;
}

PhraseMatcher::PhraseMatcher(const Phrase& phrase) : slop_(phrase.slop) {
  std::vector<const Token*> words;
  for (const Token& word : phrase.words) {
    words.push_back(&word);
    terms_.push_back(string_term(word.text));
  }
  std::ranges::sort(words, {}, [](const Token* word) { return word->position; });
  std::sort(terms_.begin(), terms_.end());
  terms_.erase(std::unique(terms_.begin(), terms_.end()), terms_.end());
  for (const Token* word : words) {
    const auto at = std::lower_bound(terms_.begin(), terms_.end(), string_term(word->text));
    term_of_.push_back(static_cast<std::size_t>(at - terms_.begin()));
    wanted_.push_back(word->position);
  }
}

Result<bool> PhraseMatcher::matches(const RecordFieldView& field, Snapshot& snapshot) {
  std::vector<std::vector<std::uint32_t>> by_term(terms_.size());
  std::size_t term = 0;
  RecordTerms terms(field);
  RK_TRY_ASSIGN(bool more, terms.next());
  while (more && term < terms_.size()) {
    while (term < terms_.size() && terms_[term] < terms.term()) {
      ++term;
    }
    if (term < terms_.size() && terms_[term] == terms.term()) {
      RK_TRY_ASSIGN(by_term[term], terms.positions());
    }
    RK_TRY_ASSIGN(more, terms.next());
  }
  std::vector<const std::vector<std::uint32_t>*> positions;
  for (const std::size_t index : term_of_) {
    positions.push_back(&by_term[index]);
  }
  return phrase_matches(wanted_, positions, slop_, snapshot);
}

}  // namespace rookery::search
