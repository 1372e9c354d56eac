// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/os/time.h"
#include "rookery/value/document.h"

// Purpose. A stored document as readers see it, and one made ready to be stored.
// Source: docs/format/documents.md.

namespace rookery::doc {

inline constexpr std::size_t kIdSizeMax = 512;
inline constexpr std::size_t kCollectionSizeMax = 512;
inline constexpr std::string_view kEmptyCollection = "@empty";
inline constexpr std::string_view kHiLoCollection = "@hilo";

// Bits of what the server knows about a document; shown as "@flags".
enum class DocumentFlags : std::uint32_t {
  kNone = 0,
  kHasAttachments = 1U << 0U,
  kHasCounters = 1U << 1U,
  kHasTimeSeries = 1U << 2U,
  kHasRevisions = 1U << 3U,
  kRevision = 1U << 4U,
  kDeleteRevision = 1U << 5U,
  kConflicted = 1U << 6U,
  kResolved = 1U << 7U,
  kReverted = 1U << 8U,
  kArtificial = 1U << 9U,
  kArchived = 1U << 10U,
  kFromReplication = 1U << 11U,
  kFromClusterTransaction = 1U << 12U,
};

[[nodiscard]] constexpr DocumentFlags operator|(DocumentFlags a, DocumentFlags b) noexcept {
  return static_cast<DocumentFlags>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

[[nodiscard]] constexpr DocumentFlags operator&(DocumentFlags a, DocumentFlags b) noexcept {
  return static_cast<DocumentFlags>(static_cast<std::uint32_t>(a) & static_cast<std::uint32_t>(b));
}

// "HasRevisions, HasAttachments"; empty for none.
[[nodiscard]] std::string flags_text(DocumentFlags flags);

// Purpose. One stored document, or one tombstone (then `is_tombstone` and no data).
// Owns: nothing; lives as long as the snapshot it came from, or, in a write transaction, until the
//   next change.
struct DocumentView {
  std::string_view id;         // as it was written
  std::string_view folded_id;  // the key: ids differ only if these differ
  std::string_view collection;
  std::string_view change_vector;
  std::uint64_t etag = 0;
  os::WallTime last_modified;
  DocumentFlags flags = DocumentFlags::kNone;
  bool is_tombstone = false;
  Bytes data;  // the binary document, server-owned metadata left out

  // Errors: corrupt. Requires: !is_tombstone.
  [[nodiscard]] Result<value::View> value() const;
};

// Purpose. A document checked and stripped of the metadata that the server owns, so that the one
// writer has nothing left to parse. Made on the thread of the request.
struct PreparedDocument {
  value::Document document;
  std::string collection;

  // Takes a whole document: an object whose "@metadata", if any, is an object. Server-owned keys
  // (@id, @change-vector, @last-modified, @flags, ...) are dropped; all else stays as it is, in its
  // order. Errors: invalid_argument, too_large.
  [[nodiscard]] static Result<PreparedDocument> make(value::Document document);
};

}  // namespace rookery::doc
