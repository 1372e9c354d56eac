// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"

// Purpose. The bytes of posting lists: which entries have a term, ascending. Three shapes: one
// posting, a few in the term's value, or many in chunks of a tree of their own.
// Threads: any; there is no state.
// Errors: corrupt, for bytes that cannot be; nothing is read outside of what is given.
// Source: docs/format/search.md "Posting lists".

namespace rookery::search {

// An entry's number and, in full text, how the term weighs in it: number << 8 | impact.
using Posting = std::uint64_t;

inline constexpr unsigned kImpactBits = 8;
inline constexpr std::uint64_t kEntryNumberMax = (std::uint64_t{1} << 56U) - 1;

[[nodiscard]] constexpr Posting make_posting(std::uint64_t number, std::uint8_t impact) noexcept {
  return number << kImpactBits | impact;
}

[[nodiscard]] constexpr std::uint64_t posting_number(Posting posting) noexcept {
  return posting >> kImpactBits;
}

[[nodiscard]] constexpr std::uint8_t posting_impact(Posting posting) noexcept {
  return static_cast<std::uint8_t>(posting);
}

enum class ListShape : std::uint8_t { kSingle = 1, kSmall = 2, kLarge = 3 };

// A list's value in its dictionary. Owns: nothing.
struct ListHead {
  ListShape shape = ListShape::kSingle;
  bool has_impacts = false;
  std::uint64_t count = 0;        // of postings
  std::uint64_t list_id = 0;      // large
  std::uint64_t chunk_count = 0;  // large
  Bytes body;                     // single and small
};

[[nodiscard]] Result<ListHead> decode_list_head(Bytes value);
// Appends the postings of a single or small list.
[[nodiscard]] Result<void> decode_inline(const ListHead& head, std::vector<Posting>& to);

// What a small list may take in its dictionary.
inline constexpr std::size_t kInlineSizeMax = 192;
// A large list with this few goes back to a small one: well below what made it large.
inline constexpr std::uint64_t kInlineAgainCount = 16;

// nullopt if it takes more than kInlineSizeMax. Requires: ascending, at least one.
[[nodiscard]] std::optional<std::string> encode_inline(std::span<const Posting> postings);
[[nodiscard]] std::string encode_large_head(const ListHead& head);

// Chunks: postings as bit-packed distances from the one before; the first is in the chunk's key.
inline constexpr std::size_t kChunkPostingsMax = 1024;
inline constexpr std::size_t kChunkSizeMax = 2048;
inline constexpr std::size_t kChunkKeySize = 16;

struct EncodedChunk {
  std::string bytes;
  std::size_t count = 0;  // of the postings, taken from the front
};

// As many as fit. Requires: ascending, at least one.
[[nodiscard]] EncodedChunk encode_chunk(std::span<const Posting> postings);
// Replaces what is in `to`.
[[nodiscard]] Result<void> decode_chunk(Posting first, Bytes bytes, std::vector<Posting>& to);

[[nodiscard]] std::string chunk_key(std::uint64_t list_id, Posting first);

struct ChunkKey {
  std::uint64_t list_id = 0;
  Posting first = 0;
};

[[nodiscard]] Result<ChunkKey> decode_chunk_key(Bytes key);

}  // namespace rookery::search
