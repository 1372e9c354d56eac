// SPDX-License-Identifier: Apache-2.0
#include "posting_codec.h"

#include <algorithm>
#include <array>
#include <bit>

#include "rookery/base/check.h"

namespace rookery::search {
namespace {

constexpr unsigned char kShapeMask = 0x0F;
constexpr unsigned char kImpactsFlag = 0x10;
constexpr std::size_t kChunkHeaderSize = 4;
// A distance of 56 bits at any bit offset lies within one load of 64.
constexpr unsigned kBitsMax = 56;

Error corrupt(std::string_view what) {
  return {ErrorCode::corrupt, std::string(what)};
}

bool any_impact(std::span<const Posting> postings) noexcept {
  return std::any_of(postings.begin(), postings.end(),
                     [](Posting posting) { return posting_impact(posting) != 0; });
}

char shape_byte(ListShape shape, bool has_impacts) noexcept {
  return static_cast<char>(static_cast<unsigned char>(shape) | (has_impacts ? kImpactsFlag : 0U));
}

std::size_t packed_size(std::size_t count, unsigned bits) noexcept {
  return ((count - 1) * bits + 7) / 8;
}

}  // namespace

Result<ListHead> decode_list_head(Bytes value) {
  if (value.empty()) {
    return corrupt("a posting list is empty");
  }
  const auto flags = static_cast<unsigned char>(value[0]);
  ListHead head;
  head.shape = static_cast<ListShape>(flags & kShapeMask);
  head.has_impacts = (flags & kImpactsFlag) != 0;
  head.body = value.subspan(1);
  if ((flags & ~(kShapeMask | kImpactsFlag)) != 0) {
    return corrupt("a posting list has unknown flags");
  }
  switch (head.shape) {
    case ListShape::kSingle:
      head.count = 1;
      return head;
    case ListShape::kSmall: {
      const std::optional<std::uint64_t> count = take_varint(head.body);
      // Each posting takes a byte at least.
      if (!count || *count < 2 || *count > head.body.size()) {
        return corrupt("a small posting list's count cannot be");
      }
      head.count = *count;
      return head;
    }
    case ListShape::kLarge: {
      const std::optional<std::uint64_t> list_id = take_varint(head.body);
      const std::optional<std::uint64_t> count = take_varint(head.body);
      const std::optional<std::uint64_t> chunks = take_varint(head.body);
      if (!list_id || !count || !chunks || *chunks == 0 || *count < *chunks || !head.body.empty()) {
        return corrupt("a large posting list's head cannot be");
      }
      head.list_id = *list_id;
      head.count = *count;
      head.chunk_count = *chunks;
      return head;
    }
  }
  return corrupt("a posting list has an unknown shape");
}

Result<void> decode_inline(const ListHead& head, std::vector<Posting>& to) {
  RK_CHECK(head.shape != ListShape::kLarge);
  Bytes body = head.body;
  std::uint64_t number = 0;
  for (std::uint64_t i = 0; i < head.count; ++i) {
    const std::optional<std::uint64_t> distance = take_varint(body);
    if (!distance || *distance > kEntryNumberMax - number || (i > 0 && *distance == 0)) {
      return corrupt("a posting list's numbers do not ascend");
    }
    number += *distance;
    std::uint8_t impact = 0;
    if (head.has_impacts) {
      if (body.empty()) {
        return corrupt("a posting list is cut short");
      }
      impact = static_cast<std::uint8_t>(body[0]);
      body = body.subspan(1);
    }
    to.push_back(make_posting(number, impact));
  }
  if (!body.empty()) {
    return corrupt("a posting list has more bytes than postings");
  }
  return {};
}

std::optional<std::string> encode_inline(std::span<const Posting> postings) {
  RK_CHECK(!postings.empty());
  if (postings.size() > kInlineSizeMax) {
    return std::nullopt;
  }
  const bool impacts = any_impact(postings);
  std::string value;
  if (postings.size() == 1) {
    value.push_back(shape_byte(ListShape::kSingle, impacts));
  } else {
    value.push_back(shape_byte(ListShape::kSmall, impacts));
    append_varint(value, postings.size());
  }
  std::uint64_t before = 0;
  for (const Posting posting : postings) {
    const std::uint64_t number = posting_number(posting);
    append_varint(value, number - before);
    if (impacts) {
      value.push_back(static_cast<char>(posting_impact(posting)));
    }
    before = number;
  }
  if (value.size() > kInlineSizeMax) {
    return std::nullopt;
  }
  return value;
}

std::string encode_large_head(const ListHead& head) {
  RK_CHECK(head.shape == ListShape::kLarge);
  std::string value(1, shape_byte(ListShape::kLarge, head.has_impacts));
  append_varint(value, head.list_id);
  append_varint(value, head.count);
  append_varint(value, head.chunk_count);
  return value;
}

EncodedChunk encode_chunk(std::span<const Posting> postings) {
  RK_CHECK(!postings.empty());
  const bool impacts = any_impact(postings.first(std::min(postings.size(), kChunkPostingsMax)));
  const unsigned shift = impacts ? 0 : kImpactBits;
  const auto distance = [&](std::size_t i) {
    return (postings[i] >> shift) - (postings[i - 1] >> shift) - 1;
  };
  unsigned bits = 0;
  std::size_t count = 1;
  while (count < postings.size() && count < kChunkPostingsMax) {
    const auto wanted = std::max(bits, static_cast<unsigned>(std::bit_width(distance(count))));
    if (wanted > kBitsMax || kChunkHeaderSize + packed_size(count + 1, wanted) > kChunkSizeMax) {
      break;
    }
    bits = wanted;
    ++count;
  }
  EncodedChunk chunk;
  chunk.count = count;
  // Seven bytes more, so that each store may be of eight.
  chunk.bytes.assign(kChunkHeaderSize + packed_size(count, bits) + 8, '\0');
  auto* to = reinterpret_cast<std::byte*>(chunk.bytes.data());
  save(to, static_cast<std::uint16_t>(count));
  save(to + 2, static_cast<std::uint8_t>(shift));
  save(to + 3, static_cast<std::uint8_t>(bits));
  to += kChunkHeaderSize;
  for (std::size_t i = 1; i < count; ++i) {
    const std::size_t bit = (i - 1) * bits;
    const auto word = load<std::uint64_t>(to + bit / 8);
    save(to + bit / 8, word | distance(i) << (bit % 8));
  }
  chunk.bytes.resize(kChunkHeaderSize + packed_size(count, bits));
  return chunk;
}

Result<void> decode_chunk(Posting first, Bytes bytes, std::vector<Posting>& to) {
  to.clear();
  if (bytes.size() < kChunkHeaderSize) {
    return corrupt("a chunk of postings is cut short");
  }
  const std::size_t count = load<std::uint16_t>(bytes.data());
  const unsigned shift = load<std::uint8_t>(bytes.data() + 2);
  const unsigned bits = load<std::uint8_t>(bytes.data() + 3);
  if (count == 0 || count > kChunkPostingsMax || (shift != 0 && shift != kImpactBits) ||
      bits > kBitsMax || bytes.size() != kChunkHeaderSize + packed_size(count, bits) ||
      (shift != 0 && posting_impact(first) != 0)) {
    return corrupt("a chunk of postings has a header that cannot be");
  }
  to.resize(count);
  to[0] = first;
  const Bytes packed = bytes.subspan(kChunkHeaderSize);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  Posting value = first >> shift;
  const Posting value_max = ~Posting{0} >> shift;
  // The last loads would reach behind the bytes: they are done from a copy of the tail.
  std::array<std::byte, 16> tail{};
  const std::size_t tail_begin = packed.size() > 8 ? packed.size() - 8 : 0;
  std::copy(packed.begin() + static_cast<std::ptrdiff_t>(tail_begin), packed.end(), tail.begin());
  for (std::size_t i = 1; i < count; ++i) {
    const std::size_t bit = (i - 1) * bits;
    const std::size_t at = bit / 8;
    const auto word = at + 8 <= packed.size()
                          ? load<std::uint64_t>(packed.data() + at)
                          : load<std::uint64_t>(tail.data() + (at - tail_begin));
    const std::uint64_t distance = (word >> (bit % 8)) & mask;
    if (distance >= value_max - value) {
      return corrupt("a chunk's postings run over");
    }
    value += distance + 1;
    to[i] = value << shift;
  }
  return {};
}

std::string chunk_key(std::uint64_t list_id, Posting first) {
  std::string key(kChunkKeySize, '\0');
  auto* to = reinterpret_cast<std::byte*>(key.data());
  store_be64(to, list_id);
  store_be64(to + 8, first);
  return key;
}

Result<ChunkKey> decode_chunk_key(Bytes key) {
  if (key.size() != kChunkKeySize) {
    return corrupt("a chunk's key has another size");
  }
  return ChunkKey{.list_id = load_be64(key.data()), .first = load_be64(key.data() + 8)};
}

}  // namespace rookery::search
