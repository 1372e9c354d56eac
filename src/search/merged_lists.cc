// SPDX-License-Identifier: Apache-2.0
#include "merged_lists.h"

#include <algorithm>
#include <functional>

namespace rookery::search {

Result<MergedLists> MergedLists::open(Snapshot& snapshot, std::span<const PostingList> lists) {
  MergedLists merged;
  for (const PostingList& list : lists) {
    Source source{.cursor = snapshot.walk(list)};
    RK_TRY_ASSIGN(const bool any, source.cursor.next());
    if (any) {
      const std::uint64_t first = posting_number(source.cursor.block().front());
      merged.heads_.emplace_back(first, merged.sources_.size());
      merged.sources_.push_back(std::move(source));
    }
  }
  std::ranges::make_heap(merged.heads_, std::greater<>());
  return merged;
}

Result<std::optional<std::uint64_t>> MergedLists::next() {
  if (heads_.empty()) {
    return std::optional<std::uint64_t>();
  }
  std::ranges::pop_heap(heads_, std::greater<>());
  const auto [number, index] = heads_.back();
  heads_.pop_back();
  Source& source = sources_[index];
  if (++source.at == source.cursor.block().size()) {
    source.at = 0;
    RK_TRY_ASSIGN(const bool more, source.cursor.next());
    if (!more) {
      return std::optional(number);
    }
  }
  heads_.emplace_back(posting_number(source.cursor.block()[source.at]), index);
  std::ranges::push_heap(heads_, std::greater<>());
  return std::optional(number);
}

}  // namespace rookery::search
