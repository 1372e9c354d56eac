// SPDX-License-Identifier: Apache-2.0
#include "journal_format.h"

#include <cstring>

#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

#include "header_file.h"
#include "page_format.h"

namespace rookery::store {
namespace {

Uuid id_of(std::uint8_t byte) {
  Uuid id;
  id.fill(static_cast<std::byte>(byte));
  return id;
}

std::vector<std::byte> sample_batch(const std::vector<std::string>& payloads) {
  std::vector<BatchItem> items;
  std::uint64_t bytes = 0;
  for (const std::string& payload : payloads) {
    items.push_back({id_of(1), id_of(2), 7 + items.size(), 0, true, as_bytes(payload)});
    bytes += payload.size();
  }
  BatchHeader header{.file_id = id_of(3),
                     .number = 4,
                     .epoch = 5,
                     .offset = 4096,
                     .length = batch_length(items.size(), bytes),
                     .hash_before = 6};
  std::vector<std::byte> batch(header.length);
  encode_batch(header, items, batch);
  return batch;
}

TEST(JournalBatch, ReadsWhatWasWritten) {
  const auto bytes = sample_batch({"one", std::string(5000, 'x')});
  EXPECT_EQ(bytes.size(), 8192U);
  const auto batch = decode_batch(bytes, id_of(3));
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->header.number, 4U);
  EXPECT_EQ(batch->header.hash_before, 6U);
  ASSERT_EQ(batch->items.size(), 2U);
  EXPECT_EQ(as_text(batch->items[0].bytes), "one");
  EXPECT_EQ(batch->items[1].txn, 8U);
  EXPECT_EQ(batch->items[1].bytes.size(), 5000U);
  EXPECT_FALSE(decode_batch(bytes, id_of(4)).has_value());  // of another file
}

TEST(JournalBatch, NoticesEveryFlippedByte) {
  auto bytes = sample_batch({"one", "two", std::string(700, 'x')});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const auto mask : {std::byte{1}, std::byte{0x80}}) {
      bytes[i] ^= mask;
      ASSERT_FALSE(decode_batch(bytes, id_of(3)).has_value()) << i;
      bytes[i] ^= mask;
    }
  }
  ASSERT_TRUE(decode_batch(bytes, id_of(3)).has_value());
}

TEST(JournalBatch, NoticesEveryMissingSector) {
  const auto bytes = sample_batch({std::string(20'000, 'x')});
  for (std::size_t sector = 0; sector < bytes.size() / 512; ++sector) {
    auto torn = bytes;
    std::memset(torn.data() + sector * 512, 0, 512);
    // The padding at its end is zeros already.
    const bool same = torn == bytes;
    EXPECT_EQ(decode_batch(torn, id_of(3)).has_value(), same) << sector;
  }
}

TEST(JournalBatch, ARecordNeverNeedsMoreRoomThanPromised) {
  Prng prng(test_seed());
  for (int round = 0; round < 1000; ++round) {
    // Records in one batch, against the sum of what each was promised.
    std::uint64_t promised = 0;
    std::uint64_t bytes = 0;
    const std::uint64_t count = 1 + prng.below(20);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t size = 144 + prng.below(prng.chance(2) ? 300 : 100'000);
      promised += journal_room_for(size);
      bytes += size;
    }
    ASSERT_LE(batch_length(count, bytes), promised);
  }
  // One long record, cut the way the engine cuts it: at worst each part alone.
  const std::uint64_t size = 5 * kEntryPartMax + 1;
  EXPECT_EQ(journal_room_for(size), 5 * batch_length(1, kEntryPartMax) + batch_length(1, 1));
  EXPECT_LE(batch_length(4, 4 * kEntryPartMax) + batch_length(2, kEntryPartMax + 1),
            journal_room_for(size));
}

TEST(JournalFileHeader, NoticesEveryFlippedByte) {
  JournalFileHeader header;
  header.file_id = id_of(1);
  header.seq = 9;
  header.predecessor_batch = 3;
  std::vector<std::byte> block(kJournalBlock);
  const std::uint64_t checksum = encode_journal_file_header(header, block);
  const auto decoded = decode_journal_file_header(block);
  ASSERT_TRUE(decoded.has_value() && decoded->has_value());
  EXPECT_EQ((*decoded)->checksum, checksum);
  EXPECT_EQ((*decoded)->header.seq, 9U);
  EXPECT_EQ((*decoded)->header.file_id, id_of(1));
  for (std::size_t i = 0; i < block.size(); ++i) {
    block[i] ^= std::byte{4};
    const auto damaged = decode_journal_file_header(block);
    ASSERT_TRUE(!damaged.has_value() || !damaged->has_value()) << i;
    block[i] ^= std::byte{4};
  }
}

TEST(EnvironmentHeader, NoticesEveryFlippedByte) {
  HeaderRecord record;
  record.environment_id = id_of(7);
  record.counter = 12;
  record.meta.page_count = 99;
  std::vector<std::byte> bytes(kHeaderSize);
  encode_header(record, bytes);
  const auto decoded = decode_header(bytes, false);
  ASSERT_TRUE(decoded.has_value() && decoded->has_value());
  EXPECT_EQ((*decoded)->counter, 12U);
  EXPECT_EQ((*decoded)->meta.page_count, 99U);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= std::byte{32};
    const auto damaged = decode_header(bytes, false);
    ASSERT_TRUE(damaged.has_value() && !damaged->has_value()) << i;
    bytes[i] ^= std::byte{32};
  }
  EXPECT_FALSE(decode_header(Bytes(bytes).first(4096), false)->has_value());
}

std::vector<std::byte> sample_page(std::uint64_t number, std::uint32_t count, Prng& prng) {
  std::vector<std::byte> page(count * kPageSize);
  for (std::size_t i = 0; i < page.size() / 3; ++i) {
    page[i] = static_cast<std::byte>(prng.next());
  }
  save(page.data(),
       PageHeader{0, number, 5, 1, PageType::kRaw, 0, static_cast<std::uint16_t>(count)});
  seal_page(page.data(), count);
  return page;
}

// Its checksum holds, but what would be added to such a number is less than it.
TEST(JournalFileHeader, ACountThatCannotBeIsCorruption) {
  for (auto count :
       {&JournalFileHeader::epoch, &JournalFileHeader::seq, &JournalFileHeader::txn_before}) {
    JournalFileHeader header{.file_id = id_of(1), .size_bytes = 65536};
    std::vector<std::byte> block(kJournalBlock);
    header.*count = kCountMax;
    encode_journal_file_header(header, block);
    EXPECT_TRUE(decode_journal_file_header(block).has_value());
    header.*count = kCountMax + 1;
    encode_journal_file_header(header, block);
    const auto decoded = decode_journal_file_header(block);
    ASSERT_FALSE(decoded.has_value());
    EXPECT_EQ(decoded.error().code(), ErrorCode::corrupt);
  }
}

TEST(EnvironmentHeader, ACountThatCannotBeIsCorruption) {
  for (auto count : {&HeaderRecord::epoch, &HeaderRecord::counter, &HeaderRecord::next_seq}) {
    HeaderRecord record;
    std::vector<std::byte> bytes(kHeaderSize);
    record.*count = kCountMax;
    encode_header(record, bytes);
    EXPECT_TRUE(decode_header(bytes, false).has_value());
    record.*count = kCountMax + 1;
    encode_header(record, bytes);
    const auto decoded = decode_header(bytes, false);
    ASSERT_FALSE(decoded.has_value());
    EXPECT_EQ(decoded.error().code(), ErrorCode::corrupt);
  }
}

TEST(TransactionRecord, ReadsWhatWasWritten) {
  Prng prng(test_seed());
  Meta meta;
  meta.txn = 5;
  meta.page_count = 1000;
  RecordWriter writer(2, 3);
  writer.add_free(PageNo(10), 3);
  writer.add_free(PageNo(500), 1);
  const auto one = sample_page(20, 1, prng);
  const auto run = sample_page(30, 4, prng);
  writer.add_image(PageNo(20), one);
  writer.add_image(PageNo(30), run);
  const std::string bytes = writer.finish(meta);
  EXPECT_LT(bytes.size(), 5 * kPageSize);
  const auto record = decode_record(as_bytes(bytes));
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->meta.txn, 5U);
  ASSERT_EQ(record->frees.size(), 2U);
  EXPECT_EQ(record->frees[0].page_count, 3U);
  ASSERT_EQ(record->images.size(), 2U);
  std::vector<std::byte> restored(4 * kPageSize);
  ASSERT_TRUE(record->images[1].decode_into(restored).has_value());
  EXPECT_TRUE(restored == run);
}

// The batch's checksum stands before this; without it, garbage must still be no more than an error.
TEST(TransactionRecord, GarbageIsAnErrorAndNothingWorse) {
  Prng prng(test_seed());
  Meta meta;
  meta.txn = 5;
  meta.page_count = 1000;
  RecordWriter writer(2, 3);
  writer.add_free(PageNo(10), 3);
  writer.add_image(PageNo(20), sample_page(20, 2, prng));
  const std::string good = writer.finish(meta);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good;
    const std::uint64_t flips = 1 + prng.below(4);
    for (std::uint64_t i = 0; i < flips; ++i) {
      const std::uint64_t range = prng.chance(2) ? 240 : bytes.size();
      bytes[static_cast<std::size_t>(prng.below(range))] = static_cast<char>(prng.next());
    }
    if (prng.chance(10)) {
      bytes.resize(static_cast<std::size_t>(prng.below(bytes.size())));
    }
    const auto record = decode_record(as_bytes(bytes));
    if (!record) {
      continue;
    }
    for (const StoredImage& image : record->images) {
      std::vector<std::byte> page(image.page_count * kPageSize);
      if (image.decode_into(page)) {
        ASSERT_TRUE(page_checksum_holds(page.data(), image.page_count));
      }
    }
  }
}

TEST(TransactionRecord, AFewBytesDoNotClaimManyPages) {
  Prng prng(test_seed());
  Meta meta;
  meta.txn = 5;
  meta.page_count = 100'000;
  const std::size_t image_at = RecordWriter(0, 0).finish(meta).size();
  RecordWriter writer(0, 1);
  writer.add_image(PageNo(20), sample_page(20, 1, prng));
  std::string bytes = writer.finish(meta);
  ASSERT_TRUE(decode_record(as_bytes(bytes)).has_value());
  ASSERT_LT(bytes.size(), kPageSize);  // compressed
  const std::uint32_t claimed = 30'000;
  std::memcpy(bytes.data() + image_at + sizeof(std::uint64_t), &claimed, sizeof(claimed));
  const auto record = decode_record(as_bytes(bytes));
  ASSERT_FALSE(record.has_value());
  EXPECT_EQ(record.error().code(), ErrorCode::corrupt);
}

TEST(PageFormat, ChecksWhatAPageSaysOfItself) {
  Prng prng(test_seed());
  const auto page = sample_page(20, 2, prng);
  const auto header = load<PageHeader>(page.data());
  const PageExpectation expected{PageNo(20), TxnId(5), 100};
  EXPECT_TRUE(check_page_header(header, expected).has_value());
  EXPECT_TRUE(page_checksum_holds(page.data(), 2));
  PageExpectation wrong = expected;
  wrong.number = PageNo(21);
  EXPECT_FALSE(check_page_header(header, wrong).has_value());
  wrong = expected;
  wrong.newest = TxnId(4);  // I5: newer than its reader
  EXPECT_FALSE(check_page_header(header, wrong).has_value());
  wrong = expected;
  wrong.page_limit = 21;
  EXPECT_FALSE(check_page_header(header, wrong).has_value());
  PageHeader zero{};
  EXPECT_FALSE(check_page_header(zero, {PageNo(0), TxnId(5), 100}).has_value());
}

}  // namespace
}  // namespace rookery::store
