// SPDX-License-Identifier: Apache-2.0
#include "journal_format.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <lz4.h>

#include "rookery/base/checksum.h"

#include "page_format.h"

namespace rookery::store {
namespace {

constexpr std::uint64_t kFileMagic = 0x31304C4E524A4B52;   // "RKJRNL01"
constexpr std::uint64_t kBatchMagic = 0x3130484354424B52;  // "RKBTCH01"
constexpr std::uint32_t kRecordMagic = 0x58544B52;         // "RKTX"
constexpr std::uint32_t kFileVersion = 1;
constexpr std::uint32_t kRecordVersion = 1;

struct FileBlock {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t reserved;
  JournalFileHeader header;
};

static_assert(sizeof(JournalFileHeader) == 112);
static_assert(std::has_unique_object_representations_v<FileBlock>);
constexpr std::size_t kFileChecksumOffset = kJournalBlock - sizeof(std::uint64_t);

struct BatchFront {
  std::uint64_t magic;
  Uuid file_id;
  std::uint64_t number;
  std::uint64_t epoch;
  std::uint64_t offset;
  std::uint64_t length;
  std::uint64_t hash_before;
  std::uint32_t item_count;
  std::uint32_t reserved;
  std::uint64_t checksum;
  std::uint64_t spare[2];
};

static_assert(sizeof(BatchFront) == 96);
static_assert(std::has_unique_object_representations_v<BatchFront>);
constexpr std::size_t kBatchChecksumOffset = offsetof(BatchFront, checksum);
static_assert(kBatchChecksumOffset == 72);

struct DirectoryItem {
  Uuid environment_id;
  Uuid incarnation;
  std::uint64_t txn;
  std::uint64_t offset;  // from the batch's first byte
  std::uint64_t length;
  std::uint32_t part;
  std::uint32_t last;
};

static_assert(sizeof(DirectoryItem) == 64);
static_assert(std::has_unique_object_representations_v<DirectoryItem>);

struct RecordFront {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t free_count;
  std::uint32_t image_count;
  Meta meta;
};

static_assert(sizeof(RecordFront) == 144);

struct FreeItem {
  std::uint64_t first;
  std::uint32_t page_count;
  std::uint32_t reserved;
};

enum class Encoding : std::uint8_t { kRaw = 1, kLz4 = 2, kDiff = 3 };  // kDiff is reserved

struct ImageItem {
  std::uint64_t number;
  std::uint32_t page_count;
  std::uint32_t stored_length;
  Encoding encoding;
  std::uint8_t reserved[7];
};

static_assert(sizeof(ImageItem) == 24);

std::uint64_t round_up(std::uint64_t size, std::uint64_t unit) noexcept {
  return (size + unit - 1) / unit * unit;
}

template <typename T>
void append(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

std::uint64_t batch_checksum(Bytes bytes) noexcept {
  const std::uint64_t front = checksum64(bytes.first(kBatchChecksumOffset));
  return checksum64(bytes.subspan(kBatchChecksumOffset + sizeof(std::uint64_t)), front);
}

// Whether so few bytes can stand for so many pages: before room is made for them.
bool may_hold(const ImageItem& item) noexcept {
  constexpr std::uint64_t kLz4RatioMax = 255;  // a byte of a length stands for so many
  const std::uint64_t size = std::uint64_t{item.page_count} * kPageSize;
  switch (item.encoding) {
    case Encoding::kRaw:
      return item.stored_length == size;
    case Encoding::kLz4:
      return size <= item.stored_length * kLz4RatioMax;
    default:
      return true;
  }
}

Error bad_record(std::string_view what) {
  return {ErrorCode::corrupt, fmt::format("transaction record: {}", what)};
}

}  // namespace

std::uint64_t encode_journal_file_header(const JournalFileHeader& header, MutableBytes to) {
  RK_CHECK(to.size() == kJournalBlock);
  std::memset(to.data(), 0, to.size());
  save(to.data(), FileBlock{kFileMagic, kFileVersion, 0, header});
  const std::uint64_t checksum = checksum64(to.first(kFileChecksumOffset));
  save(to.data() + kFileChecksumOffset, checksum);
  return checksum;
}

Result<std::optional<DecodedJournalFileHeader>> decode_journal_file_header(Bytes block) {
  if (block.size() < kJournalBlock) {
    return std::optional<DecodedJournalFileHeader>();
  }
  const auto front = load<FileBlock>(block.data());
  const auto checksum = load<std::uint64_t>(block.data() + kFileChecksumOffset);
  if (front.magic != kFileMagic || checksum != checksum64(block.first(kFileChecksumOffset))) {
    return std::optional<DecodedJournalFileHeader>();
  }
  if (front.version != kFileVersion) {
    return Error(
        ErrorCode::incompatible,
        fmt::format("a journal of version {}; this program knows {}", front.version, kFileVersion));
  }
  if (std::max({front.header.epoch, front.header.seq, front.header.txn_before}) > kCountMax) {
    return Error(ErrorCode::corrupt, "a journal: its checksum holds but its counts cannot be");
  }
  return std::optional(DecodedJournalFileHeader{front.header, checksum});
}

std::uint64_t batch_length(std::uint64_t item_count, std::uint64_t payload_bytes) {
  const std::uint64_t front = sizeof(BatchFront) + item_count * sizeof(DirectoryItem);
  return round_up(front + payload_bytes, kJournalBlock);
}

std::uint64_t journal_room_for(std::uint64_t record_bytes) {
  // At worst each part is in a batch of its own, and each batch ends in an unlucky block. A part
  // that shares a batch needs less.
  const std::uint64_t parts = (record_bytes + kEntryPartMax - 1) / kEntryPartMax;
  return (parts - 1) * batch_length(1, kEntryPartMax) +
         batch_length(1, record_bytes - (parts - 1) * kEntryPartMax);
}

std::uint64_t encode_batch(const BatchHeader& header, std::span<const BatchItem> items,
                           MutableBytes to) {
  RK_CHECK(to.size() == header.length);
  RK_CHECK(!items.empty());
  std::size_t at = sizeof(BatchFront) + items.size() * sizeof(DirectoryItem);
  std::size_t directory_at = sizeof(BatchFront);
  for (const BatchItem& item : items) {
    RK_CHECK(at + item.bytes.size() <= to.size());
    save(to.data() + directory_at,
         DirectoryItem{item.environment_id, item.incarnation, item.txn, at, item.bytes.size(),
                       item.part, item.last ? 1U : 0U});
    std::memcpy(to.data() + at, item.bytes.data(), item.bytes.size());
    directory_at += sizeof(DirectoryItem);
    at += item.bytes.size();
  }
  std::memset(to.data() + at, 0, to.size() - at);
  BatchFront front{kBatchMagic,
                   header.file_id,
                   header.number,
                   header.epoch,
                   header.offset,
                   header.length,
                   header.hash_before,
                   static_cast<std::uint32_t>(items.size()),
                   0,
                   0,
                   {}};
  save(to.data(), front);
  front.checksum = batch_checksum(to);
  save(to.data(), front);
  return front.checksum;
}

std::optional<BatchHeader> peek_batch(Bytes block, const Uuid& file_id) {
  if (block.size() < sizeof(BatchFront)) {
    return std::nullopt;
  }
  const auto front = load<BatchFront>(block.data());
  if (front.magic != kBatchMagic || front.file_id != file_id || front.length == 0 ||
      front.length % kJournalBlock != 0 || front.length > kBatchLengthMax) {
    return std::nullopt;
  }
  return BatchHeader{front.file_id, front.number,      front.epoch,     front.offset,
                     front.length,  front.hash_before, front.item_count};
}

std::optional<DecodedBatch> decode_batch(Bytes bytes, const Uuid& file_id) {
  const auto header = peek_batch(bytes, file_id);
  if (!header || bytes.size() < header->length) {
    return std::nullopt;
  }
  bytes = bytes.first(static_cast<std::size_t>(header->length));
  DecodedBatch batch{*header, load<std::uint64_t>(bytes.data() + kBatchChecksumOffset), {}};
  if (batch.checksum != batch_checksum(bytes)) {
    return std::nullopt;
  }
  const std::uint64_t payload_from =
      sizeof(BatchFront) + std::uint64_t{header->item_count} * sizeof(DirectoryItem);
  if (payload_from > bytes.size()) {
    return std::nullopt;
  }
  batch.items.reserve(header->item_count);
  for (std::size_t i = 0; i < header->item_count; ++i) {
    const auto item =
        load<DirectoryItem>(bytes.data() + sizeof(BatchFront) + i * sizeof(DirectoryItem));
    if (item.offset < payload_from || item.offset > bytes.size() ||
        item.length > bytes.size() - item.offset) {
      return std::nullopt;
    }
    batch.items.push_back({item.environment_id, item.incarnation, item.txn, item.part,
                           item.last != 0,
                           bytes.subspan(static_cast<std::size_t>(item.offset),
                                         static_cast<std::size_t>(item.length))});
  }
  return batch;
}

RecordWriter::RecordWriter(std::size_t frees, std::uint64_t image_pages) {
  bytes_.reserve(sizeof(RecordFront) + frees * sizeof(FreeItem) +
                 image_pages * (sizeof(ImageItem) + kPageSize));
  bytes_.resize(sizeof(RecordFront));
}

void RecordWriter::add_free(PageNo first, std::uint32_t page_count) {
  RK_CHECK(images_ == 0);
  append(bytes_, FreeItem{first.value(), page_count, 0});
  ++frees_;
}

void RecordWriter::add_image(PageNo number, Bytes run) {
  RK_CHECK(!run.empty() && run.size() % kPageSize == 0);
  const auto raw_size = static_cast<int>(run.size());
  // More than this and decompressing costs more than it saves; LZ4 stops there by itself.
  const int room = raw_size - raw_size / 8;
  // Not straight into bytes_, which would have to be filled with zeros up to there first.
  if (compressed_room_ < static_cast<std::size_t>(room)) {
    compressed_room_ = static_cast<std::size_t>(room);
    compressed_ = std::make_unique_for_overwrite<char[]>(compressed_room_);
  }
  const int size = LZ4_compress_default(reinterpret_cast<const char*>(run.data()),
                                        compressed_.get(), raw_size, room);
  const std::string_view stored =
      size > 0 ? std::string_view(compressed_.get(), static_cast<std::size_t>(size))
               : std::string_view(reinterpret_cast<const char*>(run.data()), run.size());
  append(bytes_, ImageItem{number.value(),
                           static_cast<std::uint32_t>(run.size() / kPageSize),
                           static_cast<std::uint32_t>(stored.size()),
                           size > 0 ? Encoding::kLz4 : Encoding::kRaw,
                           {}});
  bytes_.append(stored);
  ++images_;
}

std::string RecordWriter::finish(const Meta& meta) {
  const RecordFront front{kRecordMagic, kRecordVersion, frees_, images_, meta};
  std::memcpy(bytes_.data(), &front, sizeof(front));
  return std::move(bytes_);
}

Result<void> StoredImage::decode_into(MutableBytes run) const {
  RK_CHECK(run.size() == page_count * kPageSize);
  if (encoding == static_cast<std::uint8_t>(Encoding::kDiff)) {
    return Error(ErrorCode::not_supported, "a page diff in the journal");
  }
  if (encoding == static_cast<std::uint8_t>(Encoding::kRaw)) {
    if (bytes.size() != run.size()) {
      return bad_record("the length of a raw image");
    }
    std::memcpy(run.data(), bytes.data(), run.size());
  } else {
    const int size = LZ4_decompress_safe(
        reinterpret_cast<const char*>(bytes.data()), reinterpret_cast<char*>(run.data()),
        static_cast<int>(bytes.size()), static_cast<int>(run.size()));
    if (size < 0 || static_cast<std::size_t>(size) != run.size()) {
      return bad_record("an image does not decompress");
    }
  }
  return page_checksum_holds(run.data(), page_count) ? Result<void>()
                                                     : bad_record("the checksum of an image");
}

Result<DecodedRecord> decode_record(Bytes bytes) {
  if (bytes.size() < sizeof(RecordFront)) {
    return bad_record("too short");
  }
  const auto front = load<RecordFront>(bytes.data());
  if (front.magic != kRecordMagic || front.version != kRecordVersion) {
    return bad_record("unknown kind or version");
  }
  bytes = bytes.subspan(sizeof(RecordFront));
  DecodedRecord record{front.meta, {}, {}};
  const std::uint64_t limit = front.meta.page_count;
  for (std::uint32_t i = 0; i < front.free_count; ++i) {
    if (bytes.size() < sizeof(FreeItem)) {
      return bad_record("cut inside the frees");
    }
    const auto item = load<FreeItem>(bytes.data());
    bytes = bytes.subspan(sizeof(FreeItem));
    if (item.page_count == 0 || item.page_count > kRunPagesMax || item.first >= limit ||
        item.page_count > limit - item.first) {
      return bad_record("a free run that cannot be");
    }
    record.frees.push_back({PageNo(item.first), item.page_count});
  }
  for (std::uint32_t i = 0; i < front.image_count; ++i) {
    if (bytes.size() < sizeof(ImageItem)) {
      return bad_record("cut inside the images");
    }
    const auto item = load<ImageItem>(bytes.data());
    bytes = bytes.subspan(sizeof(ImageItem));
    if (item.page_count == 0 || item.page_count > kRunPagesMax || item.number >= limit ||
        item.page_count > limit - item.number || item.stored_length > bytes.size() ||
        item.encoding < Encoding::kRaw || item.encoding > Encoding::kDiff || !may_hold(item)) {
      return bad_record("an image that cannot be");
    }
    record.images.push_back({PageNo(item.number), item.page_count,
                             static_cast<std::uint8_t>(item.encoding),
                             bytes.first(item.stored_length)});
    bytes = bytes.subspan(item.stored_length);
  }
  if (!bytes.empty()) {
    return bad_record("bytes behind its end");
  }
  return record;
}

}  // namespace rookery::store
