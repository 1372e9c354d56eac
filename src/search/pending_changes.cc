// SPDX-License-Identifier: Apache-2.0
#include "pending_changes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "rookery/base/checksum.h"
#include "rookery/base/coding.h"

namespace rookery::search {
namespace {

constexpr std::size_t kSlotsFirst = 64;

std::uint64_t head_of(std::string_view term) noexcept {
  std::array<std::byte, sizeof(std::uint64_t)> head{};
  std::memcpy(head.data(), term.data(), std::min(term.size(), head.size()));
  return load_be64(head.data());
}

void cancel_out(ListChange& change) {
  if (change.added.empty() || change.erased.empty()) {
    return;
  }
  std::vector<Posting> added;
  std::vector<Posting> erased;
  std::ranges::set_difference(change.added, change.erased, std::back_inserter(added));
  std::ranges::set_difference(change.erased, change.added, std::back_inserter(erased));
  change.added = std::move(added);
  change.erased = std::move(erased);
}

}  // namespace

void PendingChanges::add(std::uint32_t dictionary, std::string_view term, Posting posting) {
  note(dictionary, term, posting, false);
}

void PendingChanges::erase(std::uint32_t dictionary, std::string_view term, Posting posting) {
  note(dictionary, term, posting, true);
}

void PendingChanges::note(std::uint32_t dictionary, std::string_view term, Posting posting,
                          bool is_erased) {
  Dictionary& lists = dictionaries_[dictionary];
  const std::uint32_t list = list_of(lists, term);
  ++lists.lists_[list].count;
  if (lists.item_count_ == lists.items_.size() * kItemsAChunk) {
    // NOLINTNEXTLINE(modernize-avoid-c-arrays)
    lists.items_.push_back(std::make_unique<Dictionary::Item[]>(kItemsAChunk));
  }
  const std::uint32_t at = lists.item_count_++;
  lists.items_[at / kItemsAChunk][at % kItemsAChunk] = {
      .posting = posting, .list = list, .is_erased = is_erased};
}

std::uint32_t PendingChanges::list_of(Dictionary& dictionary, std::string_view term) {
  if (dictionary.lists_.size() * 3 >= dictionary.slots_.size() * 2) {
    grow(dictionary);
  }
  const auto hash = static_cast<std::uint32_t>(checksum64(as_bytes(term)));
  const std::size_t mask = dictionary.slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (dictionary.slots_[slot] != 0) {
    const std::uint32_t at = dictionary.slots_[slot] - 1;
    const Dictionary::List& list = dictionary.lists_[at];
    if (list.hash == hash && std::string_view(list.term, list.term_size) == term) {
      return at;
    }
    slot = (slot + 1) & mask;
  }
  dictionary.lists_.push_back(
      {.term = keep(term), .term_size = static_cast<std::uint32_t>(term.size()), .hash = hash});
  dictionary.term_bytes_ += term.size();
  dictionary.slots_[slot] = static_cast<std::uint32_t>(dictionary.lists_.size());
  return dictionary.slots_[slot] - 1;
}

void PendingChanges::grow(Dictionary& dictionary) {
  const std::size_t count = std::max(kSlotsFirst, dictionary.slots_.size() * 2);
  dictionary.slots_.assign(count, 0);
  for (std::size_t at = 0; at < dictionary.lists_.size(); ++at) {
    std::size_t slot = dictionary.lists_[at].hash & (count - 1);
    while (dictionary.slots_[slot] != 0) {
      slot = (slot + 1) & (count - 1);
    }
    dictionary.slots_[slot] = static_cast<std::uint32_t>(at + 1);
  }
}

const char* PendingChanges::keep(std::string_view term) {
  if (term.size() > kTextChunkSize - text_used_) {
    texts_.push_back(std::make_unique<char[]>(kTextChunkSize));  // NOLINT(modernize-avoid-c-arrays)
    text_used_ = 0;
  }
  char* const kept = texts_.back().get() + text_used_;
  std::memcpy(kept, term.data(), term.size());
  text_used_ += term.size();
  return kept;
}

std::uint64_t PendingChanges::bytes() const noexcept {
  std::uint64_t bytes = texts_.size() * kTextChunkSize;
  for (const auto& [number, dictionary] : dictionaries_) {
    bytes += dictionary.items_.size() * kItemsAChunk * sizeof(Dictionary::Item) +
             dictionary.lists_.capacity() * sizeof(Dictionary::List) +
             dictionary.slots_.capacity() * sizeof(std::uint32_t);
  }
  return bytes;
}

PendingChanges::Ordered PendingChanges::ordered(const Dictionary& dictionary) {
  Ordered ordered;
  ordered.dictionary_ = &dictionary;
  ordered.lists_.resize(dictionary.lists_.size());
  for (std::uint32_t at = 0; at < ordered.lists_.size(); ++at) {
    const Dictionary::List& list = dictionary.lists_[at];
    ordered.lists_[at] = {.head = head_of({list.term, list.term_size}), .list = at, .begin = 0};
  }
  const auto text_of = [&](const Ordered::Place& place) {
    const Dictionary::List& list = dictionary.lists_[place.list];
    return std::string_view(list.term, list.term_size);
  };
  std::ranges::sort(ordered.lists_, [&](const Ordered::Place& a, const Ordered::Place& b) {
    return a.head != b.head ? a.head < b.head : text_of(a) < text_of(b);
  });
  // Where the next posting of each list goes.
  std::vector<std::uint32_t> ends(ordered.lists_.size());
  std::uint32_t begin = 0;
  for (Ordered::Place& place : ordered.lists_) {
    place.begin = begin;
    ends[place.list] = begin;
    begin += dictionary.lists_[place.list].count;
  }
  ordered.postings_.resize(dictionary.item_count_);
  for (std::uint32_t i = 0; i < dictionary.item_count_; ++i) {
    const Dictionary::Item& item = dictionary.items_[i / kItemsAChunk][i % kItemsAChunk];
    const std::uint32_t at = ends[item.list]++;
    ordered.postings_[at] = item.posting;
    if (item.is_erased) {
      ordered.erased_.resize(dictionary.item_count_);
      ordered.erased_[at] = true;
    }
  }
  return ordered;
}

void PendingChanges::Ordered::read(std::size_t at, ListChange& to) const {
  to.added.clear();
  to.erased.clear();
  const std::uint32_t begin = lists_[at].begin;
  const std::uint32_t end = begin + dictionary_->lists_[lists_[at].list].count;
  if (erased_.empty()) {
    // Entries' numbers grow, so what is added ascends as it comes.
    to.added.assign(postings_.begin() + begin, postings_.begin() + end);
    return;
  }
  for (std::uint32_t i = begin; i < end; ++i) {
    (erased_[i] ? to.erased : to.added).push_back(postings_[i]);
  }
  std::ranges::sort(to.erased);
  cancel_out(to);
}

void PendingChanges::clear() noexcept {
  dictionaries_.clear();
  texts_.clear();
  text_used_ = kTextChunkSize;
}

}  // namespace rookery::search
