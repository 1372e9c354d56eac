// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/doc/document.h"
#include "rookery/store/table.h"
#include "rookery/value/buffer.h"

// Purpose. The rows of the tables of documents and of tombstones, and the keys taken out of them.
//
//  0      8               16      20           24  26  28  30  32   33    40
//  +------+---------------+-------+------------+---+---+---+---+----+-----+-----------------------+
//  | etag | last modified | flags | collection | sizes of the  |kind|zeros| folded id, id,        |
//  |      |  ns, UTC      |       |   number   | four texts    |    |     | collection, vector, ..|
//  +------+---------------+-------+------------+---------------+----+-----+-----------------------+
//
// Source: docs/format/documents.md.

namespace rookery::doc {

inline constexpr std::size_t kRowHeaderSize = 40;
// Numbers of collections stay below 2^24; see tombstone_key().
inline constexpr std::uint32_t kCollectionNumberMax = (1U << 24U) - 1;

inline constexpr std::size_t kEtagIndex = 0;
inline constexpr std::size_t kCollectionIndex = 1;

// Errors: corrupt.
[[nodiscard]] Result<DocumentView> decode_row(Bytes row);
[[nodiscard]] std::uint32_t row_collection_number(Bytes row) noexcept;
// Errors: out_of_memory. Requires: sizes within the limits of document.h and change_vector.h.
[[nodiscard]] Result<value::Buffer> encode_row(const DocumentView& document,
                                               std::uint32_t collection_number);

// Documents by folded id; an index by etag, one by collection and etag.
[[nodiscard]] const store::TableSchema& documents_schema() noexcept;
// The same, but by folded id and collection: a document that moved to another collection leaves a
// tombstone in the old one while it lives on in the new.
[[nodiscard]] const store::TableSchema& tombstones_schema() noexcept;

// Folded id and collection number, big-endian, so that all tombstones of an id lie between the keys
// of the numbers 0 and kCollectionNumberMax.
[[nodiscard]] std::string tombstone_key(std::string_view folded_id, std::uint32_t number);
// Collection number and etag, big-endian.
[[nodiscard]] std::string collection_key(std::uint32_t number, std::uint64_t etag);

// Names of the trees beside the two tables.
inline constexpr std::string_view kCollectionsTree = "collections";
inline constexpr std::string_view kIdentitiesTree = "identities";
inline constexpr std::string_view kMetaTree = "database";

// Keys of the meta tree.
inline constexpr std::string_view kMetaDatabaseId = "id";
inline constexpr std::string_view kMetaLastEtag = "last_etag";
inline constexpr std::string_view kMetaLastCollection = "last_collection";
inline constexpr std::string_view kMetaChangeVector = "change_vector";
// And purged_key() of each collection that has lost tombstones.
inline constexpr std::string_view kMetaPurged = "purged";

// Of a collection's number; without one, of all.
[[nodiscard]] std::string purged_key(std::optional<std::uint32_t> collection_number);

// A value of the collections tree: number, counts, and the name as first written.
struct CollectionRecord {
  std::uint32_t number = 0;
  std::uint64_t document_count = 0;
  std::uint64_t tombstone_count = 0;
  std::uint64_t document_bytes = 0;
  std::string_view name;
};

[[nodiscard]] Result<CollectionRecord> decode_collection(Bytes value);
[[nodiscard]] std::string encode_collection(const CollectionRecord& record);

// Little-endian integers as values of trees. Errors: corrupt.
template <typename T>
[[nodiscard]] Result<T> decode_integer(Bytes value) {
  if (value.size() != sizeof(T)) {
    return Error(ErrorCode::corrupt, "a counter of the database has a wrong size");
  }
  return load<T>(value.data());
}

template <typename T>
[[nodiscard]] std::string encode_integer(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

}  // namespace rookery::doc
