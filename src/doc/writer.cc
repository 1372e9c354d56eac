// SPDX-License-Identifier: Apache-2.0
#include "rookery/doc/writer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "rookery/doc/id.h"
#include "rookery/value/text.h"

#include "row.h"

namespace rookery::doc {

namespace {

constexpr std::uint64_t kEtagMax = std::numeric_limits<std::int64_t>::max();
// What comes from outside must not use up the etags.
constexpr std::uint64_t kEtagOfVersionMax = kEtagMax / 2;

// Flags that tell of what belongs to a document beside its content, and so outlive a put.
constexpr DocumentFlags kKeptFlags = DocumentFlags::kHasAttachments | DocumentFlags::kHasCounters |
                                     DocumentFlags::kHasTimeSeries | DocumentFlags::kHasRevisions;

// Dates are shown with seven digits; what cannot be shown is not kept.
os::WallTime to_shown_precision(os::WallTime time) noexcept {
  using Tick = std::chrono::duration<std::int64_t, std::ratio<1, 10'000'000>>;
  return os::WallTime(std::chrono::floor<Tick>(time.time_since_epoch()));
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

Result<void> check_concurrency(std::string_view id, const std::optional<DocumentView>& before,
                               const std::optional<std::string_view>& expected) {
  if (!expected.has_value()) {
    return {};
  }
  if (!before.has_value()) {
    return expected->empty()
               ? Result<void>()
               : Error(ErrorCode::concurrency, "document " + quoted(id) +
                                                   " does not exist, but the change vector " +
                                                   quoted(*expected) + " was expected");
  }
  if (expected->empty()) {
    return Error(ErrorCode::concurrency,
                 "document " + quoted(id) + " exists with the change vector " +
                     quoted(before->change_vector) + ", but was expected not to exist");
  }
  if (!same_change_vector(before->change_vector, *expected)) {
    return Error(ErrorCode::concurrency, "document " + quoted(id) + " has the change vector " +
                                             quoted(before->change_vector) + ", but " +
                                             quoted(*expected) + " was expected");
  }
  return {};
}

}  // namespace

Result<DocumentWriter> DocumentWriter::open(store::WriteTxn& txn, const WriterContext& context) {
  RK_TRY_ASSIGN(const store::MutableTable documents, txn.table(documents_schema()));
  RK_TRY_ASSIGN(const store::MutableTable tombstones, txn.table(tombstones_schema()));
  RK_TRY_ASSIGN(const store::MutableTree collections, txn.tree(kCollectionsTree));
  RK_TRY_ASSIGN(const store::MutableTree identities, txn.tree(kIdentitiesTree));
  RK_TRY_ASSIGN(const store::MutableTree meta, txn.tree(kMetaTree));
  DocumentWriter writer(context, {documents, tombstones, collections, identities, meta});
  RK_TRY_ASSIGN(const std::optional<DatabaseId> own, writer.reader_.database_id());
  writer.context_.database = own.value_or(context.database);
  RK_TRY_ASSIGN(writer.last_etag_, writer.reader_.last_etag());
  writer.finished_etag_ = writer.last_etag_;
  RK_TRY_ASSIGN(const std::optional<Bytes> number, meta.get(as_bytes(kMetaLastCollection)));
  if (number.has_value()) {
    RK_TRY_ASSIGN(writer.last_collection_number_, decode_integer<std::uint32_t>(*number));
  }
  return writer;
}

DocumentWriter::DocumentWriter(const WriterContext& context, const Structures& structures)
    : context_(context),
      structures_(structures),
      reader_(structures.documents.view(), structures.tombstones.view(),
              structures.collections.view(), structures.identities.view(), structures.meta.view()) {
}

Result<PutResult> DocumentWriter::put(const PutRequest& request) {
  RK_TRY_ASSIGN(const IdForm form, classify_id(request.id.value_or(""), context_.separator));
  if (form != IdForm::kLiteral && !request.expected_change_vector.value_or("").empty()) {
    return Error(ErrorCode::concurrency,
                 "a change vector was expected of a document whose id is yet to be made");
  }
  if (request.version != nullptr &&
      request.version->change_vector.etag_of(context_.database) > kEtagOfVersionMax) {
    return Error(ErrorCode::malformed,
                 "this database never gave out an etag of that change vector");
  }
  RK_TRY_ASSIGN(const std::string id, resolve_id(request.id.value_or(""), form));
  const std::string folded_id = value::fold_case(id);
  RK_TRY_ASSIGN(const std::optional<DocumentView> before, reader_.get_folded(folded_id));
  RK_TRY(check_concurrency(id, before, request.expected_change_vector));
  const bool is_here =
      request.version != nullptr && before.has_value() &&
      same_change_vector(before->change_vector, request.version->change_vector.to_string());
  if (before.has_value() && (request.skip_if_unchanged || is_here)) {
    RK_TRY_ASSIGN(const value::View content, before->value());
    if (value::identical(content, request.document.document.root())) {
      return PutResult{std::string(before->id),
                       std::string(before->collection),
                       std::string(before->change_vector),
                       before->etag,
                       before->last_modified,
                       before->flags,
                       true};
    }
  }
  return store_document(id, folded_id, before, request);
}

Result<std::string> DocumentWriter::resolve_id(std::string_view id, IdForm form) {
  switch (form) {
    case IdForm::kLiteral:
      return std::string(id);
    case IdForm::kGuid: {
      std::array<std::byte, 16> random{};
      context_.random.fill(random);
      return format_guid(random);
    }
    case IdForm::kEtag:
      return next_etag_id(id);
    case IdForm::kIdentity:
      return next_identity_id(id);
  }
  check_failed(__FILE__, __LINE__, "a form of id");
}

// The document gets the etag that its id names, unless someone used that id by hand.
Result<std::string> DocumentWriter::next_etag_id(std::string_view id) {
  constexpr std::uint32_t kAttemptsMax = 1000;
  for (std::uint32_t i = 0; i < kAttemptsMax; ++i) {
    std::string candidate(id);
    candidate.append(padded_etag(last_etag_ + 1)).append("-").append(context_.node_tag);
    RK_TRY(classify_id(candidate, context_.separator));
    RK_TRY_ASSIGN(const bool taken, exists(candidate));
    if (!taken) {
      return candidate;
    }
    RK_TRY(next_etag());
  }
  return Error(ErrorCode::already_exists, "ids after " + quoted(id) + " are taken");
}

Result<std::string> DocumentWriter::next_identity_id(std::string_view id) {
  constexpr std::uint32_t kAttemptsMax = 100'000;
  RK_CHECK(id.ends_with('|'));
  const std::string_view stem = id.substr(0, id.size() - 1);
  for (std::uint32_t i = 0; i < kAttemptsMax; ++i) {
    RK_TRY_ASSIGN(const std::int64_t number, identity_next(id));
    std::string candidate = std::string(stem) + context_.separator + std::to_string(number);
    RK_TRY(classify_id(candidate, context_.separator));
    RK_TRY_ASSIGN(const bool taken, exists(candidate));
    if (!taken) {
      return candidate;
    }
  }
  return Error(ErrorCode::already_exists,
               "the next 100000 numbers of the identity " + quoted(id) + " are taken by documents");
}

Result<bool> DocumentWriter::exists(std::string_view id) const {
  RK_TRY_ASSIGN(const std::optional<DocumentView> found, reader_.get(id));
  return found.has_value();
}

Result<std::uint64_t> DocumentWriter::next_etag() {
  if (last_etag_ >= kEtagMax) {
    return Error(ErrorCode::too_large, "the database has used up its etags");
  }
  ++change_count_;
  return ++last_etag_;
}

// The vector of a new version: all that the version before had seen, and this etag.
Result<std::string> DocumentWriter::next_change_vector(std::string_view before,
                                                       std::uint64_t etag) const {
  Result<ChangeVector> vector = ChangeVector::parse(before);
  if (!vector) {
    return Error(ErrorCode::corrupt).with_context("a document's change vector");
  }
  vector->set(context_.node_tag, etag, context_.database);
  std::string text = vector->to_string();
  if (text.size() > ChangeVector::kTextSizeMax) {
    return Error(ErrorCode::too_large, "the document's change vector has grown too long");
  }
  return text;
}

Result<PutResult> DocumentWriter::store_document(std::string_view id, std::string_view folded_id,
                                                 const std::optional<DocumentView>& before,
                                                 const PutRequest& request) {
  const PreparedDocument& prepared = request.document;
  // Copies, since views of rows die with the first change.
  std::string vector_before;
  DocumentFlags flags = DocumentFlags::kNone;
  std::uint64_t bytes_before = 0;
  bool replaces = before.has_value();
  if (before.has_value()) {
    vector_before = before->change_vector;
    flags = before->flags & kKeptFlags;
    bytes_before = before->data.size();
    if (!value::equal_folded(before->collection, prepared.collection)) {
      // From here on its version cannot be newer than what it left behind.
      RK_TRY_ASSIGN(const DeleteResult moved, remove(*before));
      vector_before = moved.change_vector;
      replaces = false;
    }
  } else {
    RK_TRY_ASSIGN(const std::optional<DocumentView> tombstone,
                  reader_.get_tombstone_folded(folded_id));
    if (tombstone.has_value()) {
      vector_before = tombstone->change_vector;
    }
  }
  RK_TRY_ASSIGN(Collection* const in, collection(prepared.collection));
  bool keeps_version = false;
  if (request.version != nullptr) {
    RK_TRY_ASSIGN(keeps_version, adopt_version(*request.version, vector_before));
  }
  RK_TRY_ASSIGN(const std::uint64_t etag, next_etag());
  std::string vector;
  if (keeps_version) {
    vector = request.version->change_vector.to_string();
  } else {
    RK_TRY_ASSIGN(vector, next_change_vector(vector_before, etag));
  }
  DocumentView document;
  document.id = id;
  document.folded_id = folded_id;
  document.collection = prepared.collection;
  document.change_vector = vector;
  document.etag = etag;
  document.last_modified = to_shown_precision(
      keeps_version && request.version->last_modified.has_value() ? *request.version->last_modified
                                                                  : context_.clock.wall());
  document.flags = flags;
  document.data = prepared.document.bytes();
  RK_TRY_ASSIGN(const value::Buffer row, encode_row(document, in->number));
  RK_TRY(structures_.documents.put(row.bytes()));
  if (replaces) {
    in->document_bytes -= bytes_before;
  } else {
    ++in->document_count;
    RK_TRY(erase_tombstone(folded_id, *in));
  }
  in->document_bytes += document.data.size();
  in->dirty = true;
  return PutResult{
      std::string(id), prepared.collection, vector, etag, document.last_modified, flags, false};
}

// True if the version is newer than all that the database has of the document. Else `vector_before`
// has seen both afterwards.
Result<bool> DocumentWriter::adopt_version(const DocumentVersion& version,
                                           std::string& vector_before) {
  Result<ChangeVector> before = ChangeVector::parse(vector_before);
  if (!before) {
    return Error(ErrorCode::corrupt).with_context("a document's change vector");
  }
  // This database may have given it away itself, and have been set back to an older state since:
  // no other version may get that etag again.
  last_etag_ = std::max(last_etag_, version.change_vector.etag_of(context_.database));
  adopted_.merge(version.change_vector);
  if (before->empty() || version.change_vector.compare(*before) == Causality::kAfter) {
    return true;
  }
  before->merge(version.change_vector);
  vector_before = before->to_string();
  return false;
}

// The document of this id lives in this collection again. What it left in others stays.
Result<void> DocumentWriter::erase_tombstone(std::string_view folded_id, Collection& in) {
  const std::string key = tombstone_key(folded_id, in.number);
  RK_TRY_ASSIGN(const bool erased, structures_.tombstones.erase(as_bytes(key)));
  if (erased) {
    --in.tombstone_count;
    in.dirty = true;
  }
  return {};
}

Result<DeleteResult> DocumentWriter::erase(const DeleteRequest& request) {
  RK_TRY_ASSIGN(const std::optional<DocumentView> before, reader_.get(request.id));
  RK_TRY(check_concurrency(request.id, before, request.expected_change_vector));
  return before.has_value() ? remove(*before) : Result<DeleteResult>(DeleteResult{});
}

// Turns a document into a tombstone with an etag of its own.
Result<DeleteResult> DocumentWriter::remove(const DocumentView& document) {
  const std::string id(document.id);
  const std::string folded_id(document.folded_id);
  const std::string name(document.collection);
  const std::uint64_t bytes = document.data.size();
  const std::string vector_before(document.change_vector);
  RK_TRY_ASSIGN(Collection* const in, collection(name));
  RK_TRY_ASSIGN(const std::uint64_t etag, next_etag());
  RK_TRY_ASSIGN(std::string vector, next_change_vector(vector_before, etag));
  RK_TRY_ASSIGN(const bool erased, structures_.documents.erase(as_bytes(folded_id)));
  if (!erased || in->document_count == 0 || in->document_bytes < bytes) {
    return Error(ErrorCode::corrupt).with_context("the counts of collection " + quoted(name));
  }
  DocumentView tombstone;
  tombstone.id = id;
  tombstone.folded_id = folded_id;
  tombstone.collection = name;
  tombstone.change_vector = vector;
  tombstone.etag = etag;
  tombstone.last_modified = to_shown_precision(context_.clock.wall());
  tombstone.is_tombstone = true;
  RK_TRY_ASSIGN(const value::Buffer row, encode_row(tombstone, in->number));
  RK_TRY(structures_.tombstones.put(row.bytes()));
  --in->document_count;
  ++in->tombstone_count;
  in->document_bytes -= bytes;
  in->dirty = true;
  return DeleteResult{true, etag, std::move(vector), name};
}

// Finds or makes the collection. The pointer lives as long as the writer.
Result<DocumentWriter::Collection*> DocumentWriter::collection(std::string_view name) {
  const std::string folded = value::fold_case(name);
  if (const auto known = collections_.find(folded); known != collections_.end()) {
    return &known->second;
  }
  RK_TRY_ASSIGN(const std::optional<Bytes> stored, structures_.collections.get(as_bytes(folded)));
  Collection found;
  if (stored.has_value()) {
    RK_TRY_ASSIGN(const CollectionRecord record, decode_collection(*stored));
    found = {record.number,         record.document_count,    record.tombstone_count,
             record.document_bytes, std::string(record.name), false};
  } else {
    if (last_collection_number_ >= kCollectionNumberMax) {
      return Error(ErrorCode::too_many, "the database has used up its numbers of collections");
    }
    ++change_count_;
    found.number = ++last_collection_number_;
    found.name = name;
    found.dirty = true;
  }
  return &collections_.emplace(folded, std::move(found)).first->second;
}

Result<std::uint64_t> DocumentWriter::purge_tombstones(std::uint64_t up_to_etag,
                                                       std::uint64_t count_max) {
  struct Purged {
    std::string folded_id;
    std::string collection;
    std::uint64_t etag = 0;
  };

  std::vector<Purged> purged;
  RK_TRY(reader_.scan_tombstones(0, [&](const DocumentView& tombstone) -> Result<bool> {
    if (tombstone.etag > up_to_etag || purged.size() >= count_max) {
      return false;
    }
    purged.push_back(
        {std::string(tombstone.folded_id), std::string(tombstone.collection), tombstone.etag});
    return true;
  }));
  std::map<std::uint32_t, std::uint64_t> highest;  // by number of collection
  for (const Purged& tombstone : purged) {
    ++change_count_;
    RK_TRY_ASSIGN(Collection* const in, collection(tombstone.collection));
    RK_TRY(erase_tombstone(tombstone.folded_id, *in));
    // Etags ascend: the last one counts.
    highest[in->number] = tombstone.etag;
  }
  for (const auto& [number, etag] : highest) {
    RK_TRY(put_meta(purged_key(number), encode_integer(etag)));
  }
  if (!purged.empty()) {
    RK_TRY(put_meta(purged_key(std::nullopt), encode_integer(purged.back().etag)));
  }
  return purged.size();
}

Result<void> DocumentWriter::finish() {
  if (change_count_ == finished_count_) {
    return {};
  }
  RK_TRY_ASSIGN(const std::optional<DatabaseId> stored_id, reader_.database_id());
  if (!stored_id.has_value()) {
    RK_TRY(put_meta(kMetaDatabaseId, context_.database.text()));
  }
  if (finished_etag_ != last_etag_) {
    RK_TRY_ASSIGN(const std::string before, reader_.change_vector());
    Result<ChangeVector> seen = ChangeVector::parse(before);
    if (!seen) {
      return Error(ErrorCode::corrupt).with_context("the database's change vector");
    }
    seen->merge(adopted_);
    RK_TRY_ASSIGN(const std::string vector, next_change_vector(seen->to_string(), last_etag_));
    RK_TRY(put_meta(kMetaLastEtag, encode_integer(last_etag_)));
    RK_TRY(put_meta(kMetaChangeVector, vector));
  }
  RK_TRY(finish_collections());
  finished_etag_ = last_etag_;
  finished_count_ = change_count_;
  return {};
}

Result<void> DocumentWriter::finish_collections() {
  bool changed = false;
  for (auto& [folded, in] : collections_) {
    if (in.dirty) {
      const std::string value = encode_collection(
          {in.number, in.document_count, in.tombstone_count, in.document_bytes, in.name});
      RK_TRY(structures_.collections.put(as_bytes(folded), as_bytes(value)));
      in.dirty = false;
      changed = true;
    }
  }
  return changed ? put_meta(kMetaLastCollection, encode_integer(last_collection_number_))
                 : Result<void>();
}

Result<void> DocumentWriter::put_meta(std::string_view key, std::string_view value) {
  return structures_.meta.put(as_bytes(key), as_bytes(value));
}

}  // namespace rookery::doc
