// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/store/ids.h"

#include "meta.h"
#include "page_table.h"

// Purpose. The bytes of a journal: the first block of a file, a batch, and a transaction record.
// Nothing here does I/O.
// Errors: decoding returns corrupt for bytes that cannot be; a batch or block that is simply not
//   there (zeros, torn, of another file) is nullopt, since what that means depends on what follows
//   it.
// Source: docs/format/journal.md; STORE-INVARIANTS I1, I2, I3, I18.

namespace rookery::store {

inline constexpr std::size_t kJournalBlock = 4096;
inline constexpr std::size_t kEntryPartMax = 1024 * 1024;
// What one batch may carry beside its last part, and so how long anyone waits behind another.
inline constexpr std::size_t kBatchPayloadMax = 4 * 1024 * 1024;
inline constexpr std::uint64_t kBatchLengthMax = 16ULL * 1024 * 1024;

// The first block of a journal file. Its own checksum is the `hash before` of the first batch.
struct JournalFileHeader {
  Uuid file_id{};
  Uuid environment_id{};
  Uuid incarnation{};
  Uuid predecessor_id{};  // zeros: none
  std::uint64_t epoch = 0;
  std::uint64_t seq = 0;                // in the name; greater than that of every file before
  std::uint64_t predecessor_batch = 0;  // the last batch of it that counts (the fence)
  std::uint64_t predecessor_hash = 0;   // that batch's checksum
  std::uint64_t txn_before = 0;         // the transaction that was durable before this file
  std::uint64_t size_bytes = 0;
};

// `to` has kJournalBlock bytes. Returns the checksum.
std::uint64_t encode_journal_file_header(const JournalFileHeader& header, MutableBytes to);

struct DecodedJournalFileHeader {
  JournalFileHeader header;
  std::uint64_t checksum = 0;
};

// nullopt: not a journal file, or damaged. Errors: incompatible, corrupt.
[[nodiscard]] Result<std::optional<DecodedJournalFileHeader>> decode_journal_file_header(
    Bytes block);

// A piece of one transaction's record inside a batch.
struct BatchItem {
  Uuid environment_id{};
  Uuid incarnation{};
  std::uint64_t txn = 0;
  std::uint32_t part = 0;  // from 0 on
  bool last = false;       // commits
  Bytes bytes;
};

struct BatchHeader {
  Uuid file_id{};
  std::uint64_t number = 0;  // from 1 on in each file
  std::uint64_t epoch = 0;
  std::uint64_t offset = 0;  // where in the file it lies
  std::uint64_t length = 0;  // in whole blocks
  std::uint64_t hash_before = 0;
  std::uint32_t item_count = 0;
};

// The length of a batch of items with these payloads.
[[nodiscard]] std::uint64_t batch_length(std::uint64_t item_count, std::uint64_t payload_bytes);
// No batch of this record, alone or with others, needs more room for it than this.
[[nodiscard]] std::uint64_t journal_room_for(std::uint64_t record_bytes);

// Writes header, directory, items and checksum into `to`, whose size is header.length. Returns the
// checksum. `header.item_count` is taken from `items`.
std::uint64_t encode_batch(const BatchHeader& header, std::span<const BatchItem> items,
                           MutableBytes to);

// The header alone, unverified: enough to know how much to read. nullopt: no batch of this file.
[[nodiscard]] std::optional<BatchHeader> peek_batch(Bytes block, const Uuid& file_id);

struct DecodedBatch {
  BatchHeader header;
  std::uint64_t checksum = 0;
  std::vector<BatchItem> items;  // views into the bytes
};

// nullopt: not a whole batch of this file.
[[nodiscard]] std::optional<DecodedBatch> decode_batch(Bytes bytes, const Uuid& file_id);

// Purpose. Builds one transaction's record.
class RecordWriter {
 public:
  // Room is reserved for frees and images as they are, uncompressed; what stays unused of it is
  // never touched.
  RecordWriter(std::size_t frees, std::uint64_t image_pages);

  void add_free(PageNo first, std::uint32_t page_count);
  // Compresses. Requires: sealed; all frees were added before.
  void add_image(PageNo number, Bytes run);
  [[nodiscard]] std::string finish(const Meta& meta);

 private:
  std::string bytes_;
  std::unique_ptr<char[]> compressed_;  // room for one image
  std::size_t compressed_room_ = 0;
  std::uint32_t frees_ = 0;
  std::uint32_t images_ = 0;
};

struct FreedRun {
  PageNo first;
  std::uint32_t page_count = 0;
};

struct StoredImage {
  PageNo number;
  std::uint32_t page_count = 0;
  std::uint8_t encoding = 0;
  Bytes bytes;  // as stored

  // Restores the run. Errors: corrupt; not_supported (a diff).
  [[nodiscard]] Result<void> decode_into(MutableBytes run) const;
};

// The record's frees come before its images: a page freed and taken again is an image.
struct DecodedRecord {
  Meta meta;
  std::vector<FreedRun> frees;
  std::vector<StoredImage> images;  // views into the bytes
};

[[nodiscard]] Result<DecodedRecord> decode_record(Bytes bytes);

}  // namespace rookery::store
