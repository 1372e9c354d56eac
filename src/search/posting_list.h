// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/store/tree.h"

#include "posting_codec.h"

// Purpose. Posting lists read block by block, and changed. A block is a whole single or small list,
// or one chunk of a large one: no more than kChunkPostingsMax postings are ever decoded at once.
// Source: docs/format/search.md "Posting lists".

namespace rookery::search {

// A list as its dictionary has it.
struct PostingList {
  std::uint64_t count = 0;
  bool is_large = false;
  std::uint64_t list_id = 0;      // large
  std::uint64_t chunk_count = 0;  // large
  std::vector<Posting> few;       // single and small: all of it
};

[[nodiscard]] Result<PostingList> read_posting_list(Bytes value);

// Purpose. Walks a list's blocks in ascending order.
// Owns: nothing; borrows the list and the tree of chunks.
class PostingCursor {
 public:
  // `decoded` counts postings.
  PostingCursor(const store::Tree& chunks, const PostingList& list, std::uint64_t& decoded)
      : list_(&list), chunks_(chunks.cursor()), decoded_(&decoded) {}

  // Enters the next block; false at the end.
  [[nodiscard]] Result<bool> next();
  // Enters the first block from here on that ends at or behind an entry's number, without decoding
  // those between. False if there is none. Requires: numbers asked for ascend.
  [[nodiscard]] Result<bool> seek(std::uint64_t number);

  // Of the block entered last; never empty.
  [[nodiscard]] std::span<const Posting> block() const noexcept {
    return list_->is_large ? std::span<const Posting>(buffer_) : list_->few;
  }

 private:
  [[nodiscard]] Result<bool> enter(bool positioned);
  [[nodiscard]] Result<bool> place(std::uint64_t number);

  const PostingList* list_;
  store::TreeCursor chunks_;
  std::uint64_t* decoded_;
  std::vector<Posting> buffer_;
  bool is_started_ = false;
  bool is_ended_ = false;
};

// What a transaction does to one list; both ascending, nothing in both.
struct ListChange {
  std::vector<Posting> added;
  std::vector<Posting> erased;
};

// Applies the change and gives the list's new value; nullopt: nothing is left of it.
// Errors: corrupt, also for an erased posting that is not there.
// Requires: what is added is behind all that is there (entries' numbers only grow).
[[nodiscard]] Result<std::optional<std::string>> change_posting_list(store::MutableTree& chunks,
                                                                     std::optional<Bytes> old_value,
                                                                     const ListChange& change,
                                                                     std::uint64_t& next_list_id);

}  // namespace rookery::search
