// SPDX-License-Identifier: Apache-2.0
// Posting lists through all their shapes, and their bytes when they are not what was written.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "posting_codec.h"
#include "posting_list.h"
#include "test_index.h"

namespace rookery::search {
namespace {

std::vector<Posting> run_of(std::uint64_t first, std::uint64_t count, std::uint64_t step,
                            std::uint8_t impact) {
  std::vector<Posting> postings;
  for (std::uint64_t i = 0; i < count; ++i) {
    postings.push_back(make_posting(first + i * step, impact));
  }
  return postings;
}

// One list in an environment, and what it should hold.
class ListTest : public ::testing::Test {
 protected:
  // Applies the change, in a transaction of its own, to the list and to what it should hold.
  void change(const ListChange& change) {
    Result<store::WriteTxn> txn = index_.environment().begin_write();
    ASSERT_TRUE(txn.has_value());
    Result<store::MutableTree> chunks = txn->tree("chunks");
    ASSERT_TRUE(chunks.has_value());
    const std::optional<std::string> old = value_;
    const Result<std::optional<std::string>> changed = change_posting_list(
        *chunks, old ? std::optional(as_bytes(*old)) : std::nullopt, change, next_list_id_);
    ASSERT_TRUE(changed.has_value()) << changed.error().to_string();
    value_ = *changed;
    chunk_count_ = chunks->view().entry_count();
    ASSERT_TRUE(txn->commit().has_value());
    std::erase_if(expected_, [&](Posting posting) {
      return std::binary_search(change.erased.begin(), change.erased.end(), posting);
    });
    expected_.insert(expected_.end(), change.added.begin(), change.added.end());
    check();
  }

  [[nodiscard]] std::optional<ListShape> shape() const {
    if (!value_) {
      return std::nullopt;
    }
    return decode_list_head(as_bytes(*value_))->shape;
  }

  // Read from end to end, and found by seeking each.
  void check() {
    ASSERT_EQ(value_.has_value(), !expected_.empty());
    if (!value_) {
      ASSERT_EQ(chunk_count_, 0U);
      return;
    }
    Result<store::ReadTxn> txn = index_.environment().begin_read();
    const Result<store::Tree> chunks = txn->tree("chunks");
    const Result<PostingList> list = read_posting_list(as_bytes(*value_));
    ASSERT_TRUE(list.has_value());
    ASSERT_EQ(list->count, expected_.size());
    ASSERT_EQ(list->is_large ? list->chunk_count : 0, chunk_count_);
    std::uint64_t decoded = 0;
    PostingCursor cursor(*chunks, *list, decoded);
    std::vector<Posting> found;
    while (*cursor.next()) {
      found.insert(found.end(), cursor.block().begin(), cursor.block().end());
    }
    ASSERT_EQ(found, expected_);
    PostingCursor seeker(*chunks, *list, decoded);
    for (const Posting posting : expected_) {
      ASSERT_TRUE(*seeker.seek(posting_number(posting)));
      ASSERT_TRUE(std::ranges::binary_search(seeker.block(), posting));
    }
    ASSERT_FALSE(*seeker.seek(posting_number(expected_.back()) + 1));
  }

  TestIndex index_;
  std::optional<std::string> value_;
  std::uint64_t next_list_id_ = 1;
  std::uint64_t chunk_count_ = 0;
  std::vector<Posting> expected_;
};

TEST_F(ListTest, GoesFromSingleToLargeAndBack) {
  for (const std::uint8_t impact : {std::uint8_t{0}, std::uint8_t{0x12}}) {
    change({.added = {make_posting(1, impact)}, .erased = {}});
    EXPECT_EQ(shape(), ListShape::kSingle);
    change({.added = run_of(2, 5, 1, impact), .erased = {}});
    EXPECT_EQ(shape(), ListShape::kSmall);
    change({.added = run_of(10, 3000, 3, impact), .erased = {}});
    EXPECT_EQ(shape(), ListShape::kLarge);
    EXPECT_GE(chunk_count_, 3U);
    change({.added = run_of(20'000, 10, 1000, impact), .erased = run_of(10, 2900, 3, impact)});
    EXPECT_EQ(shape(), ListShape::kLarge);
    change({.added = {}, .erased = {expected_.begin() + 1, expected_.end() - 3}});
    EXPECT_EQ(shape(), ListShape::kSmall);
    change({.added = {}, .erased = {expected_.begin(), expected_.end() - 1}});
    EXPECT_EQ(shape(), ListShape::kSingle);
    change({.added = {}, .erased = expected_});
    EXPECT_EQ(shape(), std::nullopt);
    EXPECT_EQ(chunk_count_, 0U);
  }
}

TEST_F(ListTest, MergesChunksThatShrink) {
  change({.added = run_of(1, 8 * kChunkPostingsMax, 1, 0), .erased = {}});
  const std::uint64_t full = chunk_count_;
  EXPECT_EQ(full, 8U);
  // Nine in ten go, from all chunks alike.
  std::vector<Posting> erased;
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    if (i % 10 != 0) {
      erased.push_back(expected_[i]);
    }
  }
  change({.added = {}, .erased = std::move(erased)});
  EXPECT_LT(chunk_count_, full / 2);
}

TEST_F(ListTest, TakesNumbersFarApart) {
  change({.added = {1, make_posting(1, 1), make_posting(std::uint64_t{1} << 55U, 3),
                    make_posting(kEntryNumberMax, 0xFF)},
          .erased = {}});
  std::vector<Posting> far;
  change({.added = {}, .erased = expected_});
  for (std::uint64_t i = 1; i < 200; ++i) {
    far.push_back(make_posting(i << 47U, 7));
  }
  change({.added = far, .erased = {}});
  EXPECT_EQ(shape(), ListShape::kLarge);
}

TEST_F(ListTest, RefusesToEraseWhatIsNotThere) {
  for (const std::uint64_t count : {5U, 5000U}) {
    change({.added = run_of(10, count, 2, 0), .erased = {}});
    for (const std::uint64_t number : {std::uint64_t{1}, std::uint64_t{11}, 10 + 2 * count}) {
      Result<store::WriteTxn> txn = index_.environment().begin_write();
      Result<store::MutableTree> chunks = txn->tree("chunks");
      const std::string value = *value_;
      const auto changed =
          change_posting_list(*chunks, as_bytes(value),
                              {.added = {}, .erased = {make_posting(number, 0)}}, next_list_id_);
      ASSERT_FALSE(changed.has_value()) << number;
      EXPECT_EQ(changed.error().code(), ErrorCode::corrupt);
    }
    change({.added = {}, .erased = expected_});
  }
}

TEST(PostingCodec, PacksDenseListsIntoNothing) {
  const EncodedChunk chunk = encode_chunk(run_of(7, 1024, 1, 0));
  EXPECT_EQ(chunk.count, 1024U);
  EXPECT_EQ(chunk.bytes.size(), 4U);
}

// Every cut and every changed byte either gives other postings or is refused; the sanitizers see
// that nothing is read outside.
TEST(PostingCodec, RefusesBytesThatCannotBe) {
  const std::string chunk = encode_chunk(run_of(7, 100, 37, 0x21)).bytes;
  const std::string small = *encode_inline(run_of(7, 20, 37, 0x21));
  std::vector<Posting> postings;
  for (std::size_t size = 0; size < chunk.size(); ++size) {
    const std::vector<char> exact(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(size));
    const auto decoded = decode_chunk(7, std::as_bytes(std::span(exact)), postings);
    ASSERT_FALSE(decoded.has_value());
    ASSERT_EQ(decoded.error().code(), ErrorCode::corrupt);
  }
  for (std::size_t size = 0; size < small.size(); ++size) {
    const std::vector<char> exact(small.begin(), small.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_FALSE(read_posting_list(std::as_bytes(std::span(exact))).has_value());
  }
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    for (unsigned value = 0; value < 256; ++value) {
      std::vector<char> changed(chunk.begin(), chunk.end());
      changed[i] = static_cast<char>(value);
      if (decode_chunk(7, std::as_bytes(std::span(changed)), postings).has_value()) {
        ASSERT_TRUE(std::is_sorted(postings.begin(), postings.end()));
      }
    }
  }
  // The last posting of all leaves no room behind it.
  EXPECT_FALSE(decode_chunk(~Posting{0}, as_bytes(chunk), postings).has_value());
}

}  // namespace
}  // namespace rookery::search
