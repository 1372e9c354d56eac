// SPDX-License-Identifier: Apache-2.0
#include "row.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

namespace rookery::doc {
namespace {

std::string key_of(const store::IndexSchema& index, Bytes row) {
  store::KeyBuffer key;
  EXPECT_TRUE(index.extract(row, key));
  return key;
}

DocumentView example() {
  DocumentView document;
  document.etag = 1;
  document.last_modified = os::WallTime(std::chrono::seconds(1'767'225'600));
  document.folded_id = "users/1";
  document.id = "Users/1";
  document.collection = "Users";
  document.change_vector = "A:1-AAAAAAAAAAAAAAAAAAAAAA";
  return document;
}

// The worked example of docs/format/documents.md.
TEST(Row, HasTheBytesOfTheFormat) {
  constexpr std::array<std::uint8_t, 40> kHeader = {
      0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xfa, 0xed, 0x51, 0x72,
      0x86, 0x18, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x07, 0x00, 0x07, 0x00,
      0x05, 0x00, 0x1a, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
  const std::string expected = std::string(as_text(std::as_bytes(std::span(kHeader)))) +
                               "users/1Users/1UsersA:1-AAAAAAAAAAAAAAAAAAAAAAdata";
  const std::string data = "data";
  DocumentView document = example();
  document.data = as_bytes(data);
  const Result<value::Buffer> row = encode_row(document, 1);
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(as_text(row->bytes()), expected);

  const store::TableSchema& schema = documents_schema();
  EXPECT_EQ(key_of(schema.primary, row->bytes()), "users/1");
  EXPECT_EQ(key_of(schema.secondary[kEtagIndex], row->bytes()), std::string("\1\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(key_of(schema.secondary[kCollectionIndex], row->bytes()),
            std::string("\0\0\0\1\0\0\0\0\0\0\0\1", 12));
  EXPECT_EQ(key_of(tombstones_schema().primary, row->bytes()), std::string("users/1\0\0\0\1", 11));
}

TEST(Row, ReadsWhatItWrote) {
  DocumentView document = example();
  document.is_tombstone = true;
  document.flags = DocumentFlags::kHasRevisions;
  const Result<value::Buffer> row = encode_row(document, 7);
  ASSERT_TRUE(row.has_value());
  const Result<DocumentView> read = decode_row(row->bytes());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->id, document.id);
  EXPECT_EQ(read->folded_id, document.folded_id);
  EXPECT_EQ(read->collection, document.collection);
  EXPECT_EQ(read->change_vector, document.change_vector);
  EXPECT_EQ(read->etag, document.etag);
  EXPECT_EQ(read->last_modified, document.last_modified);
  EXPECT_EQ(read->flags, document.flags);
  EXPECT_TRUE(read->is_tombstone);
  EXPECT_TRUE(read->data.empty());
  EXPECT_EQ(row_collection_number(row->bytes()), 7U);
}

// Whatever the bytes: a row, an error, or no key; never a read outside (run under ASan).
TEST(Row, SurvivesAnyBytes) {
  Prng random(test_seed());
  const Result<value::Buffer> whole = encode_row(example(), 1);
  ASSERT_TRUE(whole.has_value());
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(as_text(whole->bytes()));
    bytes.resize(random.below(bytes.size() + 1));
    for (std::uint64_t flips = random.below(4); flips > 0 && !bytes.empty(); --flips) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    // An exact copy on the heap, so that one byte too many is seen.
    const std::vector<std::byte> exact(as_bytes(bytes).begin(), as_bytes(bytes).end());
    const Result<DocumentView> read = decode_row(exact);
    if (!read) {
      EXPECT_EQ(read.error().code(), ErrorCode::corrupt);
    }
    for (const store::TableSchema* schema : {&documents_schema(), &tombstones_schema()}) {
      store::KeyBuffer key;
      static_cast<void>(schema->primary.extract(exact, key));
      for (const store::IndexSchema& index : schema->secondary) {
        static_cast<void>(index.extract(exact, key));
      }
    }
  }
}

TEST(Row, CutShortIsCorrupt) {
  const Result<value::Buffer> whole = encode_row(example(), 1);
  for (std::size_t size = 0; size < whole->size(); ++size) {
    EXPECT_EQ(decode_row(whole->bytes().first(size)).error().code(), ErrorCode::corrupt) << size;
  }
}

TEST(CollectionRecord, ReadsWhatItWrote) {
  const std::string bytes = encode_collection({3, 10, 20, 30, "Users"});
  const Result<CollectionRecord> read = decode_collection(as_bytes(bytes));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->number, 3U);
  EXPECT_EQ(read->document_count, 10U);
  EXPECT_EQ(read->tombstone_count, 20U);
  EXPECT_EQ(read->document_bytes, 30U);
  EXPECT_EQ(read->name, "Users");
  EXPECT_FALSE(decode_collection(as_bytes(bytes).first(27)).has_value());
}

}  // namespace
}  // namespace rookery::doc
