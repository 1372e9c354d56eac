// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/doc/change_vector.h"
#include "rookery/doc/document.h"
#include "rookery/store/environment.h"

// Purpose. Reads documents, tombstones, collections and identities in one transaction.
// Threads: as its transaction: one thread at a time.
// Source: docs/format/documents.md.

namespace rookery::doc {

struct CollectionStats {
  std::string name;  // in the case of its first document
  std::uint64_t document_count = 0;
  std::uint64_t tombstone_count = 0;
  std::uint64_t document_bytes = 0;
};

struct Identity {
  std::string name;  // folded, with its '|'
  std::int64_t value = 0;
};

// Documents whose id starts with a prefix, in the order of their folded ids.
struct PrefixQuery {
  std::string_view starts_with = {};  // empty: all
  // Against what follows the prefix; see IdPattern. Empty: no such filter.
  std::string_view matches = {};
  std::string_view exclude = {};
  std::string_view start_after = {};  // an id; empty: from the beginning
  std::uint64_t start = 0;            // matching documents to skip
  std::uint64_t page_size = ~std::uint64_t{0};
};

struct DocumentStats {
  std::uint64_t document_count = 0;
  std::uint64_t tombstone_count = 0;
  std::uint64_t identity_count = 0;
  std::uint64_t collection_count = 0;
  std::uint64_t last_document_etag = 0;
  std::uint64_t last_etag = 0;  // of the database: documents and tombstones
  std::string change_vector;    // of the database; see DocumentReader
};

class DocumentReader {
 public:
  // False stops the scan; an error stops it and is passed on.
  using Visitor = std::function<Result<bool>(const DocumentView&)>;

  [[nodiscard]] static Result<DocumentReader> open(store::ReadTxn& txn);

  // nullopt for no such document. An id that cannot exist is simply not found.
  [[nodiscard]] Result<std::optional<DocumentView>> get(std::string_view id) const;
  // The newest tombstone of the id, if it was deleted, whatever its collection was.
  [[nodiscard]] Result<std::optional<DocumentView>> get_tombstone(std::string_view id) const;

  [[nodiscard]] Result<void> scan_prefix(const PrefixQuery& query, const Visitor& visit) const;
  // By etag, from the first >= `from_etag` on, or downwards from the last <= it.
  [[nodiscard]] Result<void> scan_etags(std::uint64_t from_etag, bool descending,
                                        const Visitor& visit) const;
  [[nodiscard]] Result<void> scan_collection(std::string_view collection, std::uint64_t from_etag,
                                             const Visitor& visit) const;
  [[nodiscard]] Result<void> scan_tombstones(std::uint64_t from_etag, const Visitor& visit) const;
  [[nodiscard]] Result<void> scan_collection_tombstones(std::string_view collection,
                                                        std::uint64_t from_etag,
                                                        const Visitor& visit) const;

  // Sorted by folded name; collections that are empty by now are included.
  [[nodiscard]] Result<std::vector<CollectionStats>> collections() const;
  [[nodiscard]] Result<std::vector<Identity>> identities(std::uint64_t start,
                                                         std::uint64_t page_size) const;
  [[nodiscard]] Result<DocumentStats> stats() const;
  [[nodiscard]] Result<std::uint64_t> last_etag() const;
  // Of the database: everything in it, tombstones too. Empty before the first write.
  [[nodiscard]] Result<std::string> change_vector() const;
  // nullopt before the first write.
  [[nodiscard]] Result<std::optional<DatabaseId>> database_id() const;
  // The highest etag of a tombstone that was purged, of one collection or (empty) of any; 0: none
  // was. Who follows the etags and has not seen so far has missed deletions, and must begin anew.
  [[nodiscard]] Result<std::uint64_t> purged_etag(std::string_view collection) const;

 private:
  friend class DocumentWriter;

  DocumentReader(store::Table documents, store::Table tombstones, store::Tree collections,
                 store::Tree identities, store::Tree meta)
      : documents_(documents),
        tombstones_(tombstones),
        collections_(collections),
        identities_(identities),
        meta_(meta) {}

  [[nodiscard]] Result<std::optional<DocumentView>> get_folded(std::string_view folded_id) const;
  [[nodiscard]] Result<std::optional<DocumentView>> get_tombstone_folded(
      std::string_view folded_id) const;
  [[nodiscard]] Result<std::optional<std::uint32_t>> collection_number(
      std::string_view collection) const;
  [[nodiscard]] static Result<void> scan_numbered(const store::Table& table, std::uint32_t number,
                                                  std::uint64_t from_etag, const Visitor& visit);

  store::Table documents_;
  store::Table tombstones_;
  store::Tree collections_;
  store::Tree identities_;
  store::Tree meta_;
};

// Purpose. A reader with the store's snapshot it reads. Movable. Holds back the flush while it
// lives: don't keep one while waiting for anything.
class Snapshot {
 public:
  [[nodiscard]] static Result<Snapshot> open(store::Environment& environment);

  [[nodiscard]] const DocumentReader& documents() const noexcept { return reader_; }

  [[nodiscard]] const DocumentReader* operator->() const noexcept { return &reader_; }

  // Asked before what was read is given to anyone: io, if the file could not be read meanwhile.
  [[nodiscard]] Result<void> check_health() const { return txn_->check_health(); }

 private:
  Snapshot(std::unique_ptr<store::ReadTxn> txn, DocumentReader reader)
      : txn_(std::move(txn)), reader_(std::move(reader)) {}

  std::unique_ptr<store::ReadTxn> txn_;  // at an address that moving a Snapshot does not change
  DocumentReader reader_;
};

// The tables of documents, for Environment::verify().
[[nodiscard]] std::span<const store::TableSchema* const> table_schemas() noexcept;

}  // namespace rookery::doc
