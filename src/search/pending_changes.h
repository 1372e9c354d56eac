// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "posting_list.h"

// Purpose. What a transaction adds to posting lists and takes out of them, by dictionary and term,
// until it is written in the order of terms. Most terms of an index are in one entry only, and a
// batch holds as many of them as memory allows: so a list that waits is 24 bytes, a posting 16, and
// the bytes of a term are kept once. Postings lie in the order in which they came, and are put into
// that of their lists in one pass over a dictionary: following each list through memory would cost
// a cache miss a posting.
// Threads: one thread at a time.

namespace rookery::search {

class PendingChanges {
 public:
  // The lists of one dictionary.
  class Dictionary {
   public:
    [[nodiscard]] std::size_t size() const noexcept { return lists_.size(); }

    // Of all terms.
    [[nodiscard]] std::uint64_t term_bytes() const noexcept { return term_bytes_; }

   private:
    friend class PendingChanges;

    struct List {
      const char* term = nullptr;
      std::uint32_t term_size = 0;
      std::uint32_t hash = 0;
      std::uint32_t count = 0;  // of postings
    };

    struct Item {
      Posting posting = 0;
      std::uint32_t list = 0;
      bool is_erased = false;
    };

    std::vector<List> lists_;
    std::vector<std::uint32_t> slots_;  // of lists_, plus 1; 0: free. A power of two of them
    std::uint64_t term_bytes_ = 0;
    std::vector<std::unique_ptr<Item[]>> items_;  // NOLINT(modernize-avoid-c-arrays)
    std::uint32_t item_count_ = 0;
  };

  // A dictionary's lists, terms ascending.
  class Ordered {
   public:
    [[nodiscard]] std::size_t size() const noexcept { return lists_.size(); }

    [[nodiscard]] std::string_view term(std::size_t at) const noexcept {
      const Dictionary::List& list = dictionary_->lists_[lists_[at].list];
      return {list.term, list.term_size};
    }

    // Fills `to`: both ascending; what is added and erased in one transaction is as if it had never
    // been.
    void read(std::size_t at, ListChange& to) const;

   private:
    friend class PendingChanges;

    struct Place {
      std::uint64_t head = 0;  // the first bytes of the term, as a number of the same order
      std::uint32_t list = 0;
      std::uint32_t begin = 0;  // of its postings
    };

    const Dictionary* dictionary_ = nullptr;
    std::vector<Place> lists_;
    std::vector<Posting> postings_;
    std::vector<bool> erased_;  // empty: none is
  };

  void add(std::uint32_t dictionary, std::string_view term, Posting posting);
  void erase(std::uint32_t dictionary, std::string_view term, Posting posting);

  // Memory taken.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

  [[nodiscard]] const std::map<std::uint32_t, Dictionary>& dictionaries() const noexcept {
    return dictionaries_;
  }

  // Borrows the dictionary.
  [[nodiscard]] static Ordered ordered(const Dictionary& dictionary);

  void clear() noexcept;

 private:
  static constexpr std::size_t kItemsAChunk = 1024;
  static constexpr std::size_t kTextChunkSize = std::size_t{64} << 10U;

  void note(std::uint32_t dictionary, std::string_view term, Posting posting, bool is_erased);
  std::uint32_t list_of(Dictionary& dictionary, std::string_view term);
  static void grow(Dictionary& dictionary);
  const char* keep(std::string_view term);

  std::map<std::uint32_t, Dictionary> dictionaries_;
  std::vector<std::unique_ptr<char[]>> texts_;  // NOLINT(modernize-avoid-c-arrays)
  std::size_t text_used_ = kTextChunkSize;      // of the last chunk
};

}  // namespace rookery::search
