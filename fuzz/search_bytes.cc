// SPDX-License-Identifier: Apache-2.0
// The bytes of an index (posting lists, chunks, records, small values) are refused, or read to the
// last posting and term within bounds; what is read can be written again and reads the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rookery/base/check.h"
#include "rookery/base/coding.h"
#include "rookery/search/term.h"

#include "layout.h"
#include "posting_codec.h"
#include "record.h"

namespace {

using namespace rookery::search;  // NOLINT(google-build-using-namespace)
using rookery::Bytes;

void check_ascending(const std::vector<Posting>& postings) {
  RK_CHECK(!postings.empty());
  RK_CHECK(std::adjacent_find(postings.begin(), postings.end(), std::greater_equal<>()) ==
           postings.end());
}

void read_list(Bytes bytes) {
  const auto head = decode_list_head(bytes);
  std::vector<Posting> postings;
  if (!head.has_value() || head->shape == ListShape::kLarge ||
      !decode_inline(*head, postings).has_value()) {
    return;
  }
  RK_CHECK(postings.size() == head->count);
  check_ascending(postings);
  if (const auto again = encode_inline(postings)) {
    std::vector<Posting> same;
    const auto head_again = decode_list_head(rookery::as_bytes(*again));
    RK_CHECK(head_again.has_value());
    RK_CHECK(decode_inline(*head_again, same).has_value());
    RK_CHECK(same == postings);
  }
}

void read_chunk(Bytes bytes) {
  if (bytes.size() < sizeof(Posting)) {
    return;
  }
  std::vector<Posting> postings;
  const auto first = rookery::load<Posting>(bytes.data());
  if (!decode_chunk(first, bytes.subspan(sizeof(Posting)), postings).has_value()) {
    return;
  }
  check_ascending(postings);
  std::vector<Posting> same;
  std::vector<Posting> all;
  for (std::span<const Posting> rest = postings; !rest.empty();) {
    const EncodedChunk chunk = encode_chunk(rest);
    RK_CHECK(chunk.count > 0);
    RK_CHECK(decode_chunk(rest[0], rookery::as_bytes(chunk.bytes), same).has_value());
    all.insert(all.end(), same.begin(), same.end());
    rest = rest.subspan(chunk.count);
  }
  RK_CHECK(all == postings);
}

void read_record(Bytes bytes) {
  const auto record = RecordView::open(bytes);
  if (!record.has_value()) {
    return;
  }
  const auto fields = record->fields();
  if (!fields.has_value()) {
    return;
  }
  for (const RecordFieldView& field : *fields) {
    const auto found = record->field(field.number);
    RK_CHECK(found.has_value());
    RK_CHECK(found->has_value());
    RecordTerms terms(field);
    while (true) {
      const auto more = terms.next();
      if (!more.has_value() || !*more) {
        break;
      }
      static_cast<void>(term_to_string(terms.term()));
      if (field.is_text) {
        static_cast<void>(terms.positions().has_value());
      }
    }
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  if (bytes.empty()) {
    return 0;
  }
  const Bytes rest = bytes.subspan(1);
  switch (data[0] % 4) {
    case 0:
      read_list(rest);
      break;
    case 1:
      read_chunk(rest);
      break;
    case 2:
      read_record(rest);
      break;
    default:
      static_cast<void>(decode_state(rest).has_value());
      static_cast<void>(decode_facts(rest).has_value());
      static_cast<void>(decode_number(rest).has_value());
      static_cast<void>(decode_chunk_key(rest).has_value());
      break;
  }
  return 0;
}
