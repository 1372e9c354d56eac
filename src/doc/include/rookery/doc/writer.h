// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/doc/change_vector.h"
#include "rookery/doc/document.h"
#include "rookery/doc/id.h"
#include "rookery/doc/reader.h"
#include "rookery/doc/version.h"
#include "rookery/os/platform.h"
#include "rookery/store/environment.h"

// Purpose. Changes documents in one write transaction. All it knows between calls (etags, counts)
// is read from the transaction and written back by finish(), so that a rolled back transaction
// leaves nothing behind.
// Threads: as its transaction.
// Errors: an error of class caller or conflict, with change_count() as it was before the call, left
// the transaction untouched; after any other the transaction must be rolled back.
// Source: docs/format/documents.md; STORE-INVARIANTS I4.

namespace rookery::doc {

struct WriterContext {
  DatabaseId database;  // used until the database has an id of its own
  std::string_view node_tag = "A";
  char separator = '/';  // of the parts of an id
  os::Clock& clock;
  os::Random& random;
};

struct PutRequest {
  // nullopt or empty: a GUID; "x/": the etag; "x|": an identity. See IdForm.
  std::optional<std::string_view> id = {};
  // nullopt: no check; "": must not exist; else: must be the document's change vector.
  std::optional<std::string_view> expected_change_vector = {};
  const PreparedDocument& document;
  // Leaves a document alone (no new etag) that has this content already.
  bool skip_if_unchanged = false;
  // Of a document that another database gave away. It keeps its change vector and date if it is
  // newer than all that this database has of it, and is left alone if it is here already. Else it
  // becomes a new version that has seen both. May be null.
  const DocumentVersion* version = nullptr;
};

struct PutResult {
  std::string id = {};
  std::string collection;
  std::string change_vector;
  std::uint64_t etag = 0;
  os::WallTime last_modified;
  DocumentFlags flags = DocumentFlags::kNone;
  bool unchanged = false;  // only with skip_if_unchanged
};

struct DeleteRequest {
  std::string_view id = {};
  // As in PutRequest.
  std::optional<std::string_view> expected_change_vector = {};
};

struct DeleteResult {
  bool deleted = false;       // false: there was no such document, and nothing happened
  std::uint64_t etag = 0;     // of the tombstone
  std::string change_vector;  // of the tombstone
  std::string collection;
};

struct HiLoNextRequest {
  std::string_view tag = {};
  std::uint64_t last_batch_size = 0;
  std::optional<os::WallTime> last_range_at = {};
  std::uint64_t last_max = 0;
  char separator = '/';
};

struct HiLoRange {
  std::string prefix;  // "users/"
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t last_size = 0;
  std::string server_tag;
  os::WallTime last_range_at;
};

struct HiLoReturnRequest {
  std::string_view tag = {};
  std::uint64_t last = 0;  // last used
  std::uint64_t end = 0;   // last of the range given out
};

class DocumentWriter {
 public:
  // `txn` and what `context` refers to outlive the writer.
  [[nodiscard]] static Result<DocumentWriter> open(store::WriteTxn& txn,
                                                   const WriterContext& context);

  [[nodiscard]] const DocumentReader& documents() const noexcept { return reader_; }

  // Errors: concurrency; invalid_argument, malformed, too_large (the id).
  [[nodiscard]] Result<PutResult> put(const PutRequest& request);
  // Errors: concurrency.
  [[nodiscard]] Result<DeleteResult> erase(const DeleteRequest& request);

  // The next range of the document Raven/Hilo/<tag>; ranges double while they are asked for
  // quickly.
  [[nodiscard]] Result<HiLoRange> hilo_next(const HiLoNextRequest& request);
  // Gives back the unused end of a range, if nobody was given one after it.
  [[nodiscard]] Result<void> hilo_return(const HiLoReturnRequest& request);

  // `name` with or without its '|'; case-insensitive. Errors: invalid_argument (empty), too_large.
  [[nodiscard]] Result<std::int64_t> identity_next(std::string_view name);
  // Returns what the identity is now: lowered only with `force`.
  [[nodiscard]] Result<std::int64_t> identity_seed(std::string_view name, std::int64_t value,
                                                   bool force);

  // Removes up to `count_max` tombstones with etags <= `up_to_etag`, from the lowest on, and notes
  // how far (DocumentReader::purged_etag); returns how many.
  [[nodiscard]] Result<std::uint64_t> purge_tombstones(std::uint64_t up_to_etag,
                                                       std::uint64_t count_max);

  [[nodiscard]] std::uint64_t last_etag() const noexcept { return last_etag_; }

  // Grows with every change made; see Errors above.
  [[nodiscard]] std::uint64_t change_count() const noexcept { return change_count_; }

  // Writes etags and counts into the transaction. The last call before the commit; further changes
  // need another finish().
  [[nodiscard]] Result<void> finish();

 private:
  struct Collection {
    std::uint32_t number = 0;
    std::uint64_t document_count = 0;
    std::uint64_t tombstone_count = 0;
    std::uint64_t document_bytes = 0;
    std::string name;
    bool dirty = false;
  };

  struct Structures {
    store::MutableTable documents;
    store::MutableTable tombstones;
    store::MutableTree collections;
    store::MutableTree identities;
    store::MutableTree meta;
  };

  DocumentWriter(const WriterContext& context, const Structures& structures);

  [[nodiscard]] Result<std::string> resolve_id(std::string_view id, IdForm form);
  [[nodiscard]] Result<std::string> next_etag_id(std::string_view id);
  [[nodiscard]] Result<std::string> next_identity_id(std::string_view id);
  [[nodiscard]] Result<bool> exists(std::string_view id) const;
  [[nodiscard]] Result<std::uint64_t> next_etag();
  [[nodiscard]] Result<std::string> next_change_vector(std::string_view before,
                                                       std::uint64_t etag) const;
  [[nodiscard]] Result<Collection*> collection(std::string_view name);
  [[nodiscard]] Result<PutResult> store_document(std::string_view id, std::string_view folded_id,
                                                 const std::optional<DocumentView>& before,
                                                 const PutRequest& request);
  [[nodiscard]] Result<bool> adopt_version(const DocumentVersion& version,
                                           std::string& vector_before);
  [[nodiscard]] Result<DeleteResult> remove(const DocumentView& document);
  [[nodiscard]] Result<void> erase_tombstone(std::string_view folded_id, Collection& in);
  [[nodiscard]] Result<void> put_hilo(std::string_view id, std::uint64_t max);
  [[nodiscard]] Result<void> put_meta(std::string_view key, std::string_view value);
  [[nodiscard]] Result<void> finish_collections();

  WriterContext context_;
  Structures structures_;
  DocumentReader reader_;
  std::uint64_t last_etag_ = 0;
  std::uint64_t finished_etag_ = 0;  // as the transaction has it
  std::uint32_t last_collection_number_ = 0;
  std::map<std::string, Collection, std::less<>> collections_;  // by folded name; read so far
  ChangeVector adopted_;  // of versions from elsewhere: the database has seen them too
  std::uint64_t change_count_ = 0;
  std::uint64_t finished_count_ = 0;
};

}  // namespace rookery::doc
