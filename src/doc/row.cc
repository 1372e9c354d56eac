// SPDX-License-Identifier: Apache-2.0
#include "row.h"

#include <array>
#include <limits>

#include "rookery/doc/reader.h"

namespace rookery::doc {

namespace {

constexpr std::size_t kEtagAt = 0;
constexpr std::size_t kLastModifiedAt = 8;
constexpr std::size_t kFlagsAt = 16;
constexpr std::size_t kCollectionNumberAt = 20;
constexpr std::size_t kFoldedSizeAt = 24;
constexpr std::size_t kIdSizeAt = 26;
constexpr std::size_t kCollectionSizeAt = 28;
constexpr std::size_t kChangeVectorSizeAt = 30;
constexpr std::size_t kKindAt = 32;

constexpr std::byte kKindDocument{1};
constexpr std::byte kKindTombstone{2};

bool extract_id(Bytes row, store::KeyBuffer& key) {
  if (row.size() < kRowHeaderSize) {
    return false;
  }
  const std::size_t size = load<std::uint16_t>(row.data() + kFoldedSizeAt);
  if (row.size() < kRowHeaderSize + size) {
    return false;
  }
  key.append(as_text(row.subspan(kRowHeaderSize, size)));
  return true;
}

bool extract_tombstone_id(Bytes row, store::KeyBuffer& key) {
  store::KeyBuffer folded_id;
  if (!extract_id(row, folded_id)) {
    return false;
  }
  key.append(tombstone_key(folded_id, row_collection_number(row)));
  return true;
}

bool extract_etag(Bytes row, store::KeyBuffer& key) {
  if (row.size() < kRowHeaderSize) {
    return false;
  }
  key.append(as_text(row.subspan(kEtagAt, sizeof(std::int64_t))));
  return true;
}

bool extract_collection(Bytes row, store::KeyBuffer& key) {
  if (row.size() < kRowHeaderSize) {
    return false;
  }
  key.append(collection_key(row_collection_number(row), load<std::uint64_t>(row.data() + kEtagAt)));
  return true;
}

constexpr std::array<store::IndexSchema, 2> kSecondary = {
    store::IndexSchema{"by_etag", store::IndexKind::kInt64, extract_etag},
    store::IndexSchema{"by_collection", store::IndexKind::kBytes, extract_collection}};

constexpr store::TableSchema kDocuments = {
    "documents", {"by_id", store::IndexKind::kBytes, extract_id}, kSecondary};
constexpr store::TableSchema kTombstones = {
    "tombstones", {"by_id", store::IndexKind::kBytes, extract_tombstone_id}, kSecondary};
constexpr std::array<const store::TableSchema*, 2> kSchemas = {&kDocuments, &kTombstones};

}  // namespace

std::uint32_t row_collection_number(Bytes row) noexcept {
  RK_CHECK(row.size() >= kRowHeaderSize);
  return load<std::uint32_t>(row.data() + kCollectionNumberAt);
}

Result<DocumentView> decode_row(Bytes row) {
  const Error bad(ErrorCode::corrupt);
  if (row.size() < kRowHeaderSize) {
    return bad.with_context("a document's row");
  }
  const std::byte* header = row.data();
  const auto kind = load<std::byte>(header + kKindAt);
  DocumentView view;
  view.etag = load<std::uint64_t>(header + kEtagAt);
  view.last_modified = os::WallTime(os::Duration(load<std::int64_t>(header + kLastModifiedAt)));
  view.flags = static_cast<DocumentFlags>(load<std::uint32_t>(header + kFlagsAt));
  view.is_tombstone = kind == kKindTombstone;
  const std::size_t folded_size = load<std::uint16_t>(header + kFoldedSizeAt);
  const std::size_t id_size = load<std::uint16_t>(header + kIdSizeAt);
  const std::size_t collection_size = load<std::uint16_t>(header + kCollectionSizeAt);
  const std::size_t vector_size = load<std::uint16_t>(header + kChangeVectorSizeAt);
  const std::size_t texts = folded_size + id_size + collection_size + vector_size;
  if ((kind != kKindDocument && kind != kKindTombstone) || row.size() < kRowHeaderSize + texts) {
    return bad.with_context("a document's row");
  }
  std::string_view rest = as_text(row.subspan(kRowHeaderSize));
  const auto take = [&rest](std::size_t size) {
    const std::string_view text = rest.substr(0, size);
    rest.remove_prefix(size);
    return text;
  };
  view.folded_id = take(folded_size);
  view.id = take(id_size);
  view.collection = take(collection_size);
  view.change_vector = take(vector_size);
  view.data = as_bytes(rest);
  return view;
}

Result<value::Buffer> encode_row(const DocumentView& document, std::uint32_t collection_number) {
  constexpr std::size_t kTextMax = std::numeric_limits<std::uint16_t>::max();
  RK_CHECK(document.folded_id.size() <= kTextMax && document.id.size() <= kTextMax);
  RK_CHECK(document.collection.size() <= kTextMax && document.change_vector.size() <= kTextMax);
  RK_CHECK(collection_number <= kCollectionNumberMax);
  std::array<std::byte, kRowHeaderSize> header{};
  const auto put_size = [&header](std::size_t at, std::size_t size) {
    save(header.data() + at, static_cast<std::uint16_t>(size));
  };
  save(header.data() + kEtagAt, document.etag);
  save(header.data() + kLastModifiedAt,
       static_cast<std::int64_t>(document.last_modified.time_since_epoch().count()));
  save(header.data() + kFlagsAt, static_cast<std::uint32_t>(document.flags));
  save(header.data() + kCollectionNumberAt, collection_number);
  put_size(kFoldedSizeAt, document.folded_id.size());
  put_size(kIdSizeAt, document.id.size());
  put_size(kCollectionSizeAt, document.collection.size());
  put_size(kChangeVectorSizeAt, document.change_vector.size());
  save(header.data() + kKindAt, document.is_tombstone ? kKindTombstone : kKindDocument);

  const std::array<Bytes, 6> parts = {Bytes(header),
                                      as_bytes(document.folded_id),
                                      as_bytes(document.id),
                                      as_bytes(document.collection),
                                      as_bytes(document.change_vector),
                                      document.data};
  std::size_t size = 0;
  for (const Bytes part : parts) {
    size += part.size();
  }
  value::Buffer row;
  if (!row.try_reserve(size)) {
    return ErrorCode::out_of_memory;
  }
  for (const Bytes part : parts) {
    if (!row.try_append(part)) {
      return ErrorCode::out_of_memory;
    }
  }
  return row;
}

const store::TableSchema& documents_schema() noexcept {
  return kDocuments;
}

const store::TableSchema& tombstones_schema() noexcept {
  return kTombstones;
}

std::span<const store::TableSchema* const> table_schemas() noexcept {
  return kSchemas;
}

std::string tombstone_key(std::string_view folded_id, std::uint32_t number) {
  std::string key(folded_id);
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    key += static_cast<char>((number >> shift) & 0xFFU);
  }
  return key;
}

std::string purged_key(std::optional<std::uint32_t> collection_number) {
  std::string key(kMetaPurged);
  if (collection_number.has_value()) {
    key += ' ';
    key += std::to_string(*collection_number);
  }
  return key;
}

std::string collection_key(std::uint32_t number, std::uint64_t etag) {
  std::string key = tombstone_key({}, number);
  std::array<std::byte, sizeof(etag)> big_endian{};
  store_be64(big_endian.data(), etag);
  key.append(as_text(big_endian));
  return key;
}

Result<CollectionRecord> decode_collection(Bytes value) {
  constexpr std::size_t kFixedSize = 28;
  if (value.size() < kFixedSize) {
    return Error(ErrorCode::corrupt).with_context("a collection's record");
  }
  CollectionRecord record;
  record.document_count = load<std::uint64_t>(value.data());
  record.tombstone_count = load<std::uint64_t>(value.data() + 8);
  record.document_bytes = load<std::uint64_t>(value.data() + 16);
  record.number = load<std::uint32_t>(value.data() + 24);
  record.name = as_text(value.subspan(kFixedSize));
  return record;
}

std::string encode_collection(const CollectionRecord& record) {
  std::string value = encode_integer(record.document_count);
  value += encode_integer(record.tombstone_count);
  value += encode_integer(record.document_bytes);
  value += encode_integer(record.number);
  value += record.name;
  return value;
}

}  // namespace rookery::doc
