// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rookery/value/date.h"
#include "rookery/value/json.h"

#include "handlers.h"
#include "index_json.h"

// What a database says about itself.

namespace rookery::api {

using value::JsonWriter;

namespace {

std::string humane_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"Bytes", "KBytes", "MBytes", "GBytes",
                                                      "TBytes"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} {}", bytes, kUnits[0])
                   : fmt::format("{:.2f} {}", size, kUnits[unit]);
}

void write_size(JsonWriter& w, std::string_view key, std::uint64_t bytes) {
  w.key(key);
  w.begin_object();
  w.string("HumaneSize", humane_size(bytes));
  w.uint64("SizeInBytes", bytes);
  w.end_object();
}

void write_statistics(JsonWriter& w, const db::Database& database, const db::DatabaseStats& stats,
                      const std::vector<index::IndexInfo>& indexes) {
  w.uint64("CountOfDocuments", stats.documents.document_count);
  w.uint64("CountOfTombstones", stats.documents.tombstone_count);
  // True zeros: none of these can be stored yet.
  for (const std::string_view key :
       {"CountOfRevisionDocuments", "CountOfDocumentsConflicts", "CountOfConflicts",
        "CountOfAttachments", "CountOfUniqueAttachments", "CountOfCounterEntries",
        "CountOfTimeSeriesSegments"}) {
    w.int64(key, 0);
  }
  w.uint64("LastDocEtag", stats.documents.last_document_etag);
  w.uint64("LastDatabaseEtag", stats.documents.last_etag);
  w.string("DatabaseChangeVector", stats.documents.change_vector);
  w.string("DatabaseId", database.id().text());
  w.string("Pager", "Rookery");
  w.boolean("Is64Bit", true);
  w.uint64("CountOfIndexes", indexes.size());
  std::optional<os::WallTime> last_indexed;
  for (const index::IndexInfo& one : indexes) {
    last_indexed = std::max(last_indexed, one.last_indexed);
  }
  if (last_indexed.has_value()) {
    w.string("LastIndexingTime", value::format_date(*last_indexed));
  } else {
    w.null("LastIndexingTime");
  }
  write_size(w, "SizeOnDisk",
             stats.environment.file_allocated_bytes + stats.environment.journal_bytes);
  write_size(w, "TempBuffersSizeOnDisk", stats.environment.scratch_bytes);
  w.uint64("NumberOfTransactionMergerQueueOperations", stats.merger_queue_length);
  w.key("Indexes");
  w.begin_array();
  for (const index::IndexInfo& one : indexes) {
    write_index_information(w, one);
  }
  w.end_array();
  w.key("StaleIndexes");
  w.begin_array();
  for (const index::IndexInfo& one : indexes) {
    if (one.is_stale) {
      w.string(one.definition.name);
    }
  }
  w.end_array();
}

Result<Response> statistics(Call& call, bool detailed) {
  RK_TRY_ASSIGN(const std::vector<index::IndexInfo> indexes, call.database().indexes().list());
  RK_TRY_ASSIGN(const db::DatabaseStats stats, call.database().stats());
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  write_statistics(w, call.database(), stats, indexes);
  if (detailed) {
    w.uint64("CountOfIdentities", stats.documents.identity_count);
    w.int64("CountOfCompareExchange", 0);
    w.int64("CountOfCompareExchangeTombstones", 0);
    w.int64("CountOfTimeSeriesDeletedRanges", 0);
  }
  w.end_object();
  return Response::json(std::move(body));
}

Result<Response> collection_statistics(Call& call, bool detailed) {
  RK_TRY_ASSIGN(const doc::DocumentReader* reader, call.documents());
  RK_TRY_ASSIGN(const std::vector<doc::CollectionStats> collections, reader->collections());
  RK_TRY_ASSIGN(const doc::DocumentStats stats, reader->stats());
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  w.uint64("CountOfDocuments", stats.document_count);
  w.int64("CountOfConflicts", 0);
  w.key("Collections");
  w.begin_object();
  for (const doc::CollectionStats& one : collections) {
    if (!detailed) {
      if (one.document_count > 0) {
        w.uint64(one.name, one.document_count);
      }
      continue;
    }
    w.key(one.name);
    w.begin_object();
    w.string("Name", one.name);
    w.uint64("CountOfDocuments", one.document_count);
    write_size(w, "Size", one.document_bytes);
    write_size(w, "DocumentsSize", one.document_bytes);
    // Tombstones hold no content, and revisions are not built.
    write_size(w, "TombstonesSize", 0);
    write_size(w, "RevisionsSize", 0);
    w.end_object();
  }
  w.end_object();
  w.end_object();
  return Response::json(std::move(body));
}

}  // namespace

Result<Response> get_statistics(Call& call) {
  return statistics(call, false);
}

Result<Response> get_detailed_statistics(Call& call) {
  return statistics(call, true);
}

Result<Response> get_collection_statistics(Call& call) {
  return collection_statistics(call, false);
}

Result<Response> get_detailed_collection_statistics(Call& call) {
  return collection_statistics(call, true);
}

Result<Response> get_identities(Call& call) {
  RK_TRY_ASSIGN(const std::optional<std::int64_t> start, call.integer("start"));
  RK_TRY_ASSIGN(const std::optional<std::int64_t> page_size, call.integer("pageSize"));
  if (start.value_or(0) < 0 || page_size.value_or(0) < 0) {
    return Error(ErrorCode::invalid_argument, "'start' and 'pageSize' cannot be negative.");
  }
  RK_TRY_ASSIGN(const doc::DocumentReader* reader, call.documents());
  RK_TRY_ASSIGN(const std::vector<doc::Identity> identities,
                reader->identities(static_cast<std::uint64_t>(start.value_or(0)),
                                   static_cast<std::uint64_t>(page_size.value_or(
                                       std::numeric_limits<std::int32_t>::max()))));
  std::string body;
  JsonWriter w(body);
  w.begin_object();
  for (const doc::Identity& identity : identities) {
    w.int64(identity.name, identity.value);
  }
  w.end_object();
  return Response::json(std::move(body));
}

Result<Response> get_health_check(Call& call) {
  // A database that cannot be read is not healthy.
  RK_TRY_ASSIGN(const doc::DocumentReader* reader, call.documents());
  RK_TRY(reader->last_etag());
  return Response::empty(204);
}

}  // namespace rookery::api
