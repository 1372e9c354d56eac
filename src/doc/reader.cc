// SPDX-License-Identifier: Apache-2.0
#include "rookery/doc/reader.h"

#include <limits>

#include "rookery/doc/id.h"
#include "rookery/value/text.h"

#include "row.h"

namespace rookery::doc {

namespace {

constexpr std::int64_t kEtagMax = std::numeric_limits<std::int64_t>::max();

std::int64_t as_key(std::uint64_t etag) noexcept {
  return etag > static_cast<std::uint64_t>(kEtagMax) ? kEtagMax : static_cast<std::int64_t>(etag);
}

// No id that folds to this can be stored, so none need be looked for.
bool cannot_exist(std::string_view folded_id) noexcept {
  return folded_id.empty() || folded_id.size() + sizeof(std::uint32_t) > store::kKeySizeMax;
}

Result<void> scan_by_etag(const store::Table& table, std::uint64_t from_etag, bool descending,
                          const DocumentReader::Visitor& visit) {
  return table.scan_int64(kEtagIndex, as_key(from_etag), descending,
                          [&visit](std::int64_t, Bytes row) -> Result<bool> {
                            RK_TRY_ASSIGN(const DocumentView document, decode_row(row));
                            return visit(document);
                          });
}

}  // namespace

Result<DocumentReader> DocumentReader::open(store::ReadTxn& txn) {
  RK_TRY_ASSIGN(const store::Table documents, txn.table(documents_schema()));
  RK_TRY_ASSIGN(const store::Table tombstones, txn.table(tombstones_schema()));
  RK_TRY_ASSIGN(const store::Tree collections, txn.tree(kCollectionsTree));
  RK_TRY_ASSIGN(const store::Tree identities, txn.tree(kIdentitiesTree));
  RK_TRY_ASSIGN(const store::Tree meta, txn.tree(kMetaTree));
  return DocumentReader(documents, tombstones, collections, identities, meta);
}

Result<std::optional<DocumentView>> DocumentReader::get(std::string_view id) const {
  return get_folded(value::fold_case(id));
}

Result<std::optional<DocumentView>> DocumentReader::get_folded(std::string_view folded_id) const {
  if (cannot_exist(folded_id)) {
    return std::optional<DocumentView>();
  }
  RK_TRY_ASSIGN(const std::optional<Bytes> row, documents_.get(as_bytes(folded_id)));
  if (!row.has_value()) {
    return std::optional<DocumentView>();
  }
  RK_TRY_ASSIGN(const DocumentView document, decode_row(*row));
  if (document.folded_id != folded_id || document.is_tombstone) {
    return Error(ErrorCode::corrupt).with_context("a document found under another's id");
  }
  return std::optional(document);
}

Result<std::optional<DocumentView>> DocumentReader::get_tombstone(std::string_view id) const {
  return get_tombstone_folded(value::fold_case(id));
}

Result<std::optional<DocumentView>> DocumentReader::get_tombstone_folded(
    std::string_view folded_id) const {
  std::optional<DocumentView> newest;
  if (cannot_exist(folded_id)) {
    return newest;
  }
  const std::string first = tombstone_key(folded_id, 0);
  const std::string last = tombstone_key(folded_id, kCollectionNumberMax);
  RK_TRY(
      tombstones_.scan_primary(as_bytes(first), false, [&](Bytes key, Bytes row) -> Result<bool> {
        if (as_text(key) > std::string_view(last)) {
          return false;
        }
        RK_TRY_ASSIGN(const DocumentView tombstone, decode_row(row));
        // Ids that go on with a zero byte lie between, too.
        if (tombstone.folded_id == folded_id &&
            (!newest.has_value() || newest->etag < tombstone.etag)) {
          newest = tombstone;
        }
        return true;
      }));
  return newest;
}

Result<void> DocumentReader::scan_prefix(const PrefixQuery& query, const Visitor& visit) const {
  const std::string prefix = value::fold_case(query.starts_with);
  const std::string after = value::fold_case(query.start_after);
  const IdPattern matches(query.matches);
  const IdPattern exclude(query.exclude);
  const bool after_prefix = after > prefix;
  std::uint64_t to_skip = query.start;
  std::uint64_t to_visit = query.page_size;
  if (to_visit == 0) {
    return {};
  }
  const std::string& from = after_prefix ? after : prefix;
  return documents_.scan_primary(as_bytes(from), false, [&](Bytes key, Bytes row) -> Result<bool> {
    const std::string_view id = as_text(key);
    if (!id.starts_with(prefix)) {
      return false;
    }
    const std::string_view rest = id.substr(prefix.size());
    if ((!after.empty() && id == after) || (!matches.empty() && !matches.matches(rest)) ||
        (!exclude.empty() && exclude.matches(rest))) {
      return true;
    }
    if (to_skip > 0) {
      --to_skip;
      return true;
    }
    RK_TRY_ASSIGN(const DocumentView document, decode_row(row));
    RK_TRY_ASSIGN(const bool more, visit(document));
    return more && --to_visit > 0;
  });
}

Result<void> DocumentReader::scan_etags(std::uint64_t from_etag, bool descending,
                                        const Visitor& visit) const {
  return scan_by_etag(documents_, from_etag, descending, visit);
}

Result<void> DocumentReader::scan_tombstones(std::uint64_t from_etag, const Visitor& visit) const {
  return scan_by_etag(tombstones_, from_etag, false, visit);
}

Result<void> DocumentReader::scan_collection(std::string_view collection, std::uint64_t from_etag,
                                             const Visitor& visit) const {
  RK_TRY_ASSIGN(const std::optional<std::uint32_t> number, collection_number(collection));
  return number.has_value() ? scan_numbered(documents_, *number, from_etag, visit) : Result<void>();
}

Result<void> DocumentReader::scan_collection_tombstones(std::string_view collection,
                                                        std::uint64_t from_etag,
                                                        const Visitor& visit) const {
  RK_TRY_ASSIGN(const std::optional<std::uint32_t> number, collection_number(collection));
  return number.has_value() ? scan_numbered(tombstones_, *number, from_etag, visit)
                            : Result<void>();
}

Result<void> DocumentReader::scan_numbered(const store::Table& table, std::uint32_t number,
                                           std::uint64_t from_etag, const Visitor& visit) {
  const std::string from = collection_key(number, from_etag);
  const std::string prefix = tombstone_key({}, number);
  return table.scan_index(kCollectionIndex, as_bytes(from), false,
                          [&](Bytes key, Bytes row) -> Result<bool> {
                            if (!as_text(key).starts_with(prefix)) {
                              return false;
                            }
                            RK_TRY_ASSIGN(const DocumentView document, decode_row(row));
                            return visit(document);
                          });
}

Result<std::optional<std::uint32_t>> DocumentReader::collection_number(
    std::string_view collection) const {
  const std::string folded = value::fold_case(collection);
  if (cannot_exist(folded)) {
    return std::optional<std::uint32_t>();
  }
  RK_TRY_ASSIGN(const std::optional<Bytes> found, collections_.get(as_bytes(folded)));
  if (!found.has_value()) {
    return std::optional<std::uint32_t>();
  }
  RK_TRY_ASSIGN(const CollectionRecord record, decode_collection(*found));
  return std::optional(record.number);
}

Result<std::vector<CollectionStats>> DocumentReader::collections() const {
  std::vector<CollectionStats> all;
  store::TreeCursor cursor = collections_.cursor();
  RK_TRY_ASSIGN(bool more, cursor.first());
  while (more) {
    RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
    RK_TRY_ASSIGN(const CollectionRecord record, decode_collection(entry.value));
    all.push_back({std::string(record.name), record.document_count, record.tombstone_count,
                   record.document_bytes});
    RK_TRY_ASSIGN(more, cursor.next());
  }
  return all;
}

Result<std::vector<Identity>> DocumentReader::identities(std::uint64_t start,
                                                         std::uint64_t page_size) const {
  std::vector<Identity> page;
  store::TreeCursor cursor = identities_.cursor();
  RK_TRY_ASSIGN(bool more, cursor.first());
  for (std::uint64_t i = 0; more && page.size() < page_size; ++i) {
    if (i >= start) {
      RK_TRY_ASSIGN(const store::TreeEntry entry, cursor.entry());
      RK_TRY_ASSIGN(const std::int64_t value, decode_integer<std::int64_t>(entry.value));
      page.push_back({std::string(as_text(entry.key)), value});
    }
    RK_TRY_ASSIGN(more, cursor.next());
  }
  return page;
}

Result<DocumentStats> DocumentReader::stats() const {
  DocumentStats stats;
  stats.document_count = documents_.row_count();
  stats.tombstone_count = tombstones_.row_count();
  stats.identity_count = identities_.entry_count();
  stats.collection_count = collections_.entry_count();
  RK_TRY(scan_etags(static_cast<std::uint64_t>(kEtagMax), true,
                    [&stats](const DocumentView& document) -> Result<bool> {
                      stats.last_document_etag = document.etag;
                      return false;
                    }));
  RK_TRY_ASSIGN(stats.last_etag, last_etag());
  RK_TRY_ASSIGN(stats.change_vector, change_vector());
  return stats;
}

Result<std::string> DocumentReader::change_vector() const {
  RK_TRY_ASSIGN(const std::optional<Bytes> text, meta_.get(as_bytes(kMetaChangeVector)));
  return text.has_value() ? std::string(as_text(*text)) : std::string();
}

Result<std::uint64_t> DocumentReader::last_etag() const {
  RK_TRY_ASSIGN(const std::optional<Bytes> etag, meta_.get(as_bytes(kMetaLastEtag)));
  return etag.has_value() ? decode_integer<std::uint64_t>(*etag) : Result<std::uint64_t>(0U);
}

Result<std::uint64_t> DocumentReader::purged_etag(std::string_view collection) const {
  std::optional<std::uint32_t> number;
  if (!collection.empty()) {
    RK_TRY_ASSIGN(number, collection_number(collection));
    if (!number.has_value()) {
      return 0U;
    }
  }
  RK_TRY_ASSIGN(const std::optional<Bytes> etag, meta_.get(as_bytes(purged_key(number))));
  return etag.has_value() ? decode_integer<std::uint64_t>(*etag) : Result<std::uint64_t>(0U);
}

Result<std::optional<DatabaseId>> DocumentReader::database_id() const {
  RK_TRY_ASSIGN(const std::optional<Bytes> text, meta_.get(as_bytes(kMetaDatabaseId)));
  if (!text.has_value()) {
    return std::optional<DatabaseId>();
  }
  const Result<DatabaseId> id = DatabaseId::parse(as_text(*text));
  if (!id) {
    return Error(ErrorCode::corrupt).with_context("the database's id");
  }
  return std::optional(*id);
}

Result<Snapshot> Snapshot::open(store::Environment& environment) {
  RK_TRY_ASSIGN(store::ReadTxn begun, environment.begin_read());
  auto txn = std::make_unique<store::ReadTxn>(std::move(begun));
  Result<DocumentReader> reader = DocumentReader::open(*txn);
  if (!reader) {
    RK_TRY(txn->check_health());  // what looks corrupt is perhaps only not readable now
    return reader.error();
  }
  return Snapshot(std::move(txn), *reader);
}

}  // namespace rookery::doc
