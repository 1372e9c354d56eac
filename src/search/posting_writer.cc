// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "rookery/base/check.h"

#include "posting_list.h"

namespace rookery::search {
namespace {

// A chunk with fewer looks whether it fits behind the one before.
constexpr std::size_t kChunkPostingsLow = kChunkPostingsMax / 4;

Error corrupt(std::string_view what) {
  return {ErrorCode::corrupt, std::string(what)};
}

// Takes the erased ones up to the last posting out of `postings`; says how many.
Result<std::size_t> erase_postings(std::vector<Posting>& postings,
                                   std::span<const Posting> erased) {
  std::size_t taken = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < postings.size(); ++i) {
    const Posting posting = postings[i];
    if (taken < erased.size() && erased[taken] == posting) {
      ++taken;
      continue;
    }
    if (taken < erased.size() && erased[taken] < posting) {
      return corrupt("a posting to erase is not in its list");
    }
    postings[kept++] = posting;
  }
  postings.resize(kept);
  return taken;
}

Result<void> append_postings(std::vector<Posting>& postings, std::span<const Posting> added) {
  if (!postings.empty() && !added.empty() && postings.back() >= added.front()) {
    return corrupt("a posting list reaches beyond the last entry");
  }
  postings.insert(postings.end(), added.begin(), added.end());
  return {};
}

// Purpose. One large list while it is changed.
class LargeList {
 public:
  LargeList(store::MutableTree& chunks, ListHead& head) : chunks_(&chunks), head_(&head) {}

  Result<void> erase(std::span<const Posting> erased) {
    while (!erased.empty()) {
      RK_TRY_ASSIGN(const bool found, load_at_or_before(erased.front()));
      if (!found || postings_.back() < erased.front()) {
        return corrupt("a posting to erase is not in its list");
      }
      const Posting old_first = postings_.front();
      RK_TRY_ASSIGN(const std::size_t count, erase_postings(postings_, erased));
      head_->count -= count;
      erased = erased.subspan(count);
      const bool is_stored = !postings_.empty() && postings_.front() == old_first;
      if (!is_stored) {
        RK_TRY(drop(old_first));
      }
      if (!postings_.empty() && postings_.size() < kChunkPostingsLow) {
        RK_TRY(join_neighbour(is_stored));
      }
      RK_TRY(store_loaded());
    }
    return {};
  }

  Result<void> append(std::span<const Posting> added) {
    if (added.empty()) {
      return {};
    }
    RK_TRY_ASSIGN(const bool found, load_at_or_before(~Posting{0}));
    if (!found) {
      postings_.clear();
    }
    RK_TRY(append_postings(postings_, added));
    head_->count += added.size();
    return store_loaded();
  }

  // Everything, the chunks erased.
  Result<std::vector<Posting>> dissolve() {
    std::vector<Posting> all;
    while (head_->chunk_count > 0) {
      RK_TRY_ASSIGN(const bool found, load_at_or_before(~Posting{0}));
      if (!found) {
        return corrupt("a posting list lacks a chunk");
      }
      all.insert(all.begin(), postings_.begin(), postings_.end());
      RK_TRY(drop(postings_.front()));
    }
    return all;
  }

 private:
  Result<bool> load_at_or_before(Posting posting) {
    store::TreeCursor cursor = chunks_->view().cursor();
    const std::string key = chunk_key(head_->list_id, posting);
    RK_TRY_ASSIGN(const bool found, cursor.seek_last_at_or_before(as_bytes(key)));
    return found ? load_from(cursor, postings_) : Result<bool>(false);
  }

  // False if the cursor is at another list's chunk.
  Result<bool> load_from(store::TreeCursor& cursor, std::vector<Posting>& to) {
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    RK_TRY_ASSIGN(const ChunkKey at, decode_chunk_key(entry.key));
    if (at.list_id != head_->list_id) {
      return false;
    }
    RK_TRY(decode_chunk(at.first, entry.value, to));
    return true;
  }

  // Puts the loaded postings behind those of the chunk before, if one chunk holds both: that one
  // has lost its own by now. `is_stored`: the loaded ones' chunk is still there.
  Result<void> join_neighbour(bool is_stored) {
    if (postings_.front() == 0) {
      return {};
    }
    store::TreeCursor cursor = chunks_->view().cursor();
    const std::string key = chunk_key(head_->list_id, postings_.front() - 1);
    RK_TRY_ASSIGN(const bool found, cursor.seek_last_at_or_before(as_bytes(key)));
    if (!found) {
      return {};
    }
    std::vector<Posting> both;
    RK_TRY_ASSIGN(const bool same_list, load_from(cursor, both));
    if (!same_list || both.size() + postings_.size() > kChunkPostingsMax) {
      return {};
    }
    RK_TRY(append_postings(both, postings_));
    if (encode_chunk(both).count < both.size()) {
      return {};
    }
    if (is_stored) {
      RK_TRY(drop(postings_.front()));
    }
    postings_ = std::move(both);
    return {};
  }

  Result<void> drop(Posting first) {
    RK_TRY_ASSIGN(const bool existed, chunks_->erase(as_bytes(chunk_key(head_->list_id, first))));
    if (!existed || head_->chunk_count == 0) {
      return corrupt("a posting list lacks a chunk");
    }
    --head_->chunk_count;
    return {};
  }

  // Writes the loaded postings as chunks, over the one that begins alike, if any.
  Result<void> store_loaded() {
    std::span<const Posting> rest = postings_;
    while (!rest.empty()) {
      const EncodedChunk chunk = encode_chunk(rest);
      const std::uint64_t before = chunks_->view().entry_count();
      RK_TRY(
          chunks_->put(as_bytes(chunk_key(head_->list_id, rest.front())), as_bytes(chunk.bytes)));
      head_->chunk_count += chunks_->view().entry_count() - before;
      rest = rest.subspan(chunk.count);
    }
    return {};
  }

  store::MutableTree* chunks_;
  ListHead* head_;
  std::vector<Posting> postings_;
};

Result<std::optional<std::string>> change_large(store::MutableTree& chunks, ListHead head,
                                                const ListChange& change) {
  LargeList list(chunks, head);
  RK_TRY(list.erase(change.erased));
  RK_TRY(list.append(change.added));
  if (head.count > kInlineAgainCount) {
    return std::optional(encode_large_head(head));
  }
  RK_TRY_ASSIGN(const std::vector<Posting> all, list.dissolve());
  if (all.size() != head.count) {
    return corrupt("a posting list's count is not that of its postings");
  }
  if (all.empty()) {
    return std::optional<std::string>();
  }
  std::optional<std::string> value = encode_inline(all);
  // kInlineAgainCount postings of at most nine bytes and an impact.
  RK_CHECK(value.has_value());
  return value;
}

}  // namespace

Result<std::optional<std::string>> change_posting_list(store::MutableTree& chunks,
                                                       std::optional<Bytes> old_value,
                                                       const ListChange& change,
                                                       std::uint64_t& next_list_id) {
  std::vector<Posting> postings;
  if (old_value) {
    RK_TRY_ASSIGN(const ListHead head, decode_list_head(*old_value));
    if (head.shape == ListShape::kLarge) {
      return change_large(chunks, head, change);
    }
    RK_TRY(decode_inline(head, postings));
  }
  RK_TRY_ASSIGN(const std::size_t erased, erase_postings(postings, change.erased));
  if (erased != change.erased.size()) {
    return corrupt("a posting to erase is not in its list");
  }
  RK_TRY(append_postings(postings, change.added));
  if (postings.empty()) {
    return std::optional<std::string>();
  }
  if (std::optional<std::string> value = encode_inline(postings)) {
    return value;
  }
  ListHead head;
  head.shape = ListShape::kLarge;
  head.list_id = next_list_id++;
  LargeList list(chunks, head);
  RK_TRY(list.append(postings));
  return std::optional(encode_large_head(head));
}

}  // namespace rookery::search
