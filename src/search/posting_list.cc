// SPDX-License-Identifier: Apache-2.0
#include "posting_list.h"

#include "rookery/base/canary.h"
#include "rookery/base/check.h"

namespace rookery::search {

Result<PostingList> read_posting_list(Bytes value) {
  RK_TRY_ASSIGN(const ListHead head, decode_list_head(value));
  PostingList list;
  list.count = head.count;
  if (head.shape == ListShape::kLarge) {
    list.is_large = true;
    list.list_id = head.list_id;
    list.chunk_count = head.chunk_count;
    return list;
  }
  list.few.reserve(head.count);
  RK_TRY(decode_inline(head, list.few));
  return list;
}

Result<bool> PostingCursor::enter(bool positioned) {
  is_started_ = true;
  if (!positioned) {
    is_ended_ = true;
    return false;
  }
  RK_TRY_ASSIGN(const store::TreeEntry entry, chunks_.entry());
  RK_TRY_ASSIGN(const ChunkKey key, decode_chunk_key(entry.key));
  if (key.list_id != list_->list_id) {
    is_ended_ = true;
    return false;
  }
  RK_TRY(decode_chunk(key.first, entry.value, buffer_));
  *decoded_ += buffer_.size();
  return true;
}

Result<bool> PostingCursor::next() {
  if (is_ended_) {
    return false;
  }
  if (!list_->is_large) {
    is_ended_ = is_started_ || list_->few.empty();
    *decoded_ += is_ended_ ? 0 : list_->few.size();
    is_started_ = true;
    return !is_ended_;
  }
  if (!is_started_) {
    RK_TRY_ASSIGN(const bool found, chunks_.seek(as_bytes(chunk_key(list_->list_id, 0))));
    return enter(found);
  }
  RK_TRY_ASSIGN(const bool found, chunks_.next());
  return enter(found);
}

// At the chunk that would hold the number: the last that begins at or before it.
Result<bool> PostingCursor::place(std::uint64_t number) {
  const std::string key = chunk_key(list_->list_id, make_posting(number, 0xFF));
  RK_TRY_ASSIGN(const bool found, chunks_.seek_last_at_or_before(as_bytes(key)));
  if (found) {
    RK_TRY_ASSIGN(const store::TreeEntry entry, chunks_.entry());
    RK_TRY_ASSIGN(const ChunkKey at, decode_chunk_key(entry.key));
    if (at.list_id == list_->list_id) {
      return true;
    }
  }
  return chunks_.seek(as_bytes(chunk_key(list_->list_id, 0)));
}

Result<bool> PostingCursor::seek(std::uint64_t number) {
  if (is_ended_) {
    return false;
  }
  if (is_started_ && posting_number(block().back()) >= number) {
    return true;
  }
  if (list_->is_large) {
    RK_TRY_ASSIGN(const bool found, place(number));
    RK_TRY_ASSIGN(const bool entered, enter(found));
    if (!entered) {
      return false;
    }
  } else {
    RK_TRY_ASSIGN(const bool entered, next());
    if (!entered) {
      return false;
    }
  }
  // It may end before the number: then the next begins behind it.
  const std::uint64_t past = canary(Canary::kSearchSeekOffByOne) ? number + 1 : number;
  while (posting_number(block().back()) < past) {
    RK_TRY_ASSIGN(const bool entered, next());
    if (!entered) {
      return false;
    }
  }
  return true;
}

}  // namespace rookery::search
