// SPDX-License-Identifier: Apache-2.0
#include "coverage.h"

namespace rookery::index {

Result<void> scan_documents(const Definition& definition, const doc::DocumentReader& documents,
                            std::uint64_t from_etag, const doc::DocumentReader::Visitor& visit) {
  return definition.covers_all_documents()
             ? documents.scan_etags(from_etag, false, visit)
             : documents.scan_collection(definition.collection, from_etag, visit);
}

Result<void> scan_tombstones(const Definition& definition, const doc::DocumentReader& documents,
                             std::uint64_t from_etag, const doc::DocumentReader::Visitor& visit) {
  return definition.covers_all_documents()
             ? documents.scan_tombstones(from_etag, visit)
             : documents.scan_collection_tombstones(definition.collection, from_etag, visit);
}

Result<bool> is_behind(const Definition& definition, const doc::DocumentReader& documents,
                       const Progress& seen) {
  bool found = false;
  const auto note = [&found](const doc::DocumentView&) -> Result<bool> {
    found = true;
    return false;
  };
  RK_TRY(scan_documents(definition, documents, seen.document_etag + 1, note));
  if (!found) {
    RK_TRY(scan_tombstones(definition, documents, seen.tombstone_etag + 1, note));
  }
  return found;
}

Result<bool> has_missed_deletions(const Definition& definition,
                                  const doc::DocumentReader& documents, const Progress& seen) {
  RK_TRY_ASSIGN(const std::uint64_t purged,
                documents.purged_etag(definition.covers_all_documents()
                                          ? std::string_view()
                                          : std::string_view(definition.collection)));
  return purged > seen.tombstone_etag;
}

}  // namespace rookery::index
