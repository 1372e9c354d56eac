// SPDX-License-Identifier: Apache-2.0
#include "execution.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <variant>

#include "rookery/base/checksum.h"
#include "rookery/value/date.h"
#include "rookery/value/text.h"

#include "coverage.h"

namespace rookery::index {

namespace {

using Source = PreparedQuery::Source;

// What clients read as "never".
constexpr std::string_view kNever = "0001-01-01T00:00:00.0000000";

// Rounded up: clients take 0 for "not measured".
std::int64_t whole_ms(double milliseconds) {
  return static_cast<std::int64_t>(std::ceil(std::max(milliseconds, 1.0)));
}

class Hash {
 public:
  void add(std::string_view text) { value_ = checksum64(as_bytes(text), value_); }

  void add(std::uint64_t number) {
    std::array<std::byte, 8> bytes{};
    save(bytes.data(), number);
    value_ = checksum64(bytes, value_);
  }

  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

bool is_in(std::string_view collection, const doc::DocumentView& document) {
  return collection.empty() || value::equal_folded(collection, document.collection);
}

// The ids that a condition names; nullopt: it names a beginning of ids instead.
std::optional<std::vector<std::string>> named_ids(const plan::Condition& condition) {
  std::vector<std::string> ids;
  const auto add = [&ids](const plan::Scalar& scalar) {
    if (const auto* text = std::get_if<std::string>(&scalar); text != nullptr) {
      ids.push_back(*text);
    }
  };
  if (const auto* compare = std::get_if<plan::Compare>(&condition.what); compare != nullptr) {
    add(compare->value);
    return ids;
  }
  if (const auto* in = std::get_if<plan::In>(&condition.what); in != nullptr) {
    for (const plan::Scalar& value : in->values) {
      add(value);
    }
    return ids;
  }
  return std::nullopt;
}

void write_step(value::JsonWriter& w, const search::PlanStep& step) {
  w.begin_object();
  w.string("Step", step.what);
  w.uint64("Estimated", step.estimated);
  if (step.actual.has_value()) {
    w.uint64("Actual", *step.actual);
  } else {
    w.null("Actual");
  }
  w.key("Steps");
  w.begin_array();
  // As deep as the query's parentheses, which are bounded.
  for (const search::PlanStep& inner : step.steps) {
    write_step(w, inner);
  }
  w.end_array();
  w.end_object();
}

void write_counters(value::JsonWriter& w, const search::Counters& counters,
                    std::optional<std::uint64_t> documents) {
  w.key("Counters");
  w.begin_object();
  w.uint64("Pages", counters.pages);
  w.uint64("Terms", counters.terms);
  w.uint64("Postings", counters.postings);
  w.uint64("Entries", counters.entries);
  if (documents.has_value()) {
    w.uint64("Documents", *documents);
  }
  w.end_object();
}

}  // namespace

Execution::Execution(os::Platform& platform, store::Environment& documents,
                     const FindIncludes& find_includes, PreparedQuery& query,
                     const QueryBudget& budget, const Limits& limits)
    : platform_(platform),
      environment_(documents),
      find_includes_(find_includes),
      query_(query),
      budget_(budget),
      limits_(limits),
      started_(platform.clock.monotonic()) {}

Result<QueryAnswer> Execution::run() {
  RK_TRY(open_snapshots());
  etag_ = result_etag();
  QueryAnswer answer;
  answer.etag = std::to_string(etag_);
  if (query_.request.show_plan) {
    return plan_answer();
  }
  if (!query_.request.known_etag.empty() && query_.request.known_etag == answer.etag) {
    answer.not_modified = true;
    return answer;
  }
  w_.begin_object();
  RK_TRY(write_results());
  w_.end_object();
  if (index_.has_value()) {
    RK_TRY(index_->check_health());
  }
  RK_TRY(documents_->check_health());
  answer.body = std::move(body_);
  return answer;
}

Result<void> Execution::open_snapshots() {
  if (query_.source == Source::kIndex) {
    RK_TRY_ASSIGN(IndexSnapshot index, query_.index->snapshot());
    index_.emplace(std::move(index));
  }
  RK_TRY_ASSIGN(doc::Snapshot documents, doc::Snapshot::open(environment_));
  documents_.emplace(std::move(documents));
  if (!index_.has_value()) {
    return {};
  }
  const Progress& progress = index_->progress().progress;
  // Who asked to wait has what was asked for; what came later was not waited for. Who did not ask,
  // and waited because the index was new, is told how it is.
  if (query_.request.wait_for_non_stale && query_.cutoff_etag.has_value() &&
      query_.index->seen_etag() >= *query_.cutoff_etag) {
    return {};
  }
  RK_TRY_ASSIGN(is_stale_,
                is_behind(index_->index().definition(), documents_->documents(), progress));
  return {};
}

// Of all that the answer depends on: the question, the index as it is, and the documents, any of
// which may be shown or included.
std::uint64_t Execution::result_etag() {
  Hash hash;
  hash.add(query_.request.text);
  hash.add(value::to_json(query_.request.parameters));
  hash.add(query_.skip);
  hash.add(query_.take);
  hash.add(static_cast<std::uint64_t>(query_.request.metadata_only));
  hash.add(query_.source_name);
  if (index_.has_value()) {
    hash.add(index_->index().path());
    hash.add(index_->txn_id());
    hash.add(static_cast<std::uint64_t>(is_stale_));
  }
  // A database that was deleted and made again counts etags from the start.
  const auto database = documents_->documents().database_id();
  hash.add(database.has_value() && database->has_value() ? (*database)->text() : "");
  const Result<std::uint64_t> last_etag = documents_->documents().last_etag();
  hash.add(last_etag.has_value() ? *last_etag : 0);
  if (query_.is_volatile || !last_etag.has_value() || !database.has_value()) {
    std::array<std::byte, 8> random{};
    platform_.random.fill(random);
    hash.add(load<std::uint64_t>(random.data()));
  }
  // Clients read it as a number.
  return hash.value() & ((std::uint64_t{1} << 53U) - 1);
}

Result<void> Execution::write_results() {
  const bool is_distinct = query_.projection.has_value() && query_.projection->distinct;
  const bool index_pages = query_.source == Source::kIndex && !is_distinct;
  const AnswerWriter::Limits limits = {
      .skip = index_pages ? 0 : query_.skip,
      .take = query_.take,
      .answer_bytes_max = limits_.answer_bytes_max,
      .memory_bytes_max = limits_.memory_bytes_max,
  };
  AnswerWriter writer(query_, documents_->documents(), find_includes_, budget_, limits, body_, w_);
  writer.begin();
  switch (query_.source) {
    case Source::kCollection:
    case Source::kEverything: {
      RK_TRY_ASSIGN(total_, write_collection(writer));
      break;
    }
    case Source::kIds: {
      RK_TRY_ASSIGN(total_, write_ids(writer));
      break;
    }
    case Source::kIndex: {
      RK_TRY_ASSIGN(total_, write_hits(writer));
      break;
    }
  }
  RK_TRY(writer.finish());
  write_trailer(writer);
  return {};
}

Result<std::uint64_t> Execution::write_collection(AnswerWriter& writer) {
  const doc::DocumentReader& reader = documents_->documents();
  const doc::DocumentReader::Visitor visit =
      [&](const doc::DocumentView& document) -> Result<bool> {
    RK_TRY(budget_.check());
    return writer.add(document, std::nullopt);
  };
  if (query_.source == Source::kEverything) {
    RK_TRY(reader.scan_etags(0, false, visit));
    RK_TRY_ASSIGN(const doc::DocumentStats stats, reader.stats());
    return stats.document_count;
  }
  RK_TRY(reader.scan_collection(query_.collection(), 0, visit));
  RK_TRY_ASSIGN(const std::vector<doc::CollectionStats> all, reader.collections());
  for (const doc::CollectionStats& one : all) {
    if (value::equal_folded(one.name, query_.collection())) {
      return one.document_count;
    }
  }
  return 0;
}

Result<std::uint64_t> Execution::write_ids(AnswerWriter& writer) {
  const doc::DocumentReader& reader = documents_->documents();
  const std::string_view collection = query_.collection();
  std::uint64_t total = 0;
  bool is_full = false;
  const auto add = [&](const doc::DocumentView& document) -> Result<bool> {
    RK_TRY(budget_.check());
    if (is_in(collection, document)) {
      ++total;
      if (!is_full) {
        RK_TRY_ASSIGN(const bool has_room, writer.add(document, std::nullopt));
        is_full = !has_room;
      }
    }
    return true;
  };
  const auto ids = named_ids(*query_.condition);
  if (!ids.has_value()) {
    const auto& match = std::get<plan::TextMatch>(query_.condition->what);
    RK_TRY(reader.scan_prefix({.starts_with = match.text}, add));
    return total;
  }
  std::set<std::string> seen;
  for (const std::string& id : *ids) {
    RK_TRY(budget_.check());
    if (!seen.insert(value::fold_case(id)).second) {
      continue;
    }
    RK_TRY_ASSIGN(const std::optional<doc::DocumentView> found, reader.get(id));
    if (found.has_value()) {
      RK_TRY(add(*found));
    }
  }
  return total;
}

Result<search::Summary> Execution::search(const search::IndexReader::Visitor& visit) {
  search::Request request;
  request.where = std::move(query_.translation.where);
  request.order = query_.order;
  const bool is_distinct = query_.projection.has_value() && query_.projection->distinct;
  if (!is_distinct) {
    request.skip = query_.skip;
    request.take = query_.take;
  }
  request.memory_bytes_max = limits_.memory_bytes_max;
  request.is_cancelled = [this] { return budget_.is_over(); };
  request.explain = query_.request.show_plan;
  Result<search::Summary> found = index_->reader().search(request, visit);
  if (!found && found.error().code() == ErrorCode::cancelled) {
    return budget_.error();
  }
  if (!found && found.error().code() == ErrorCode::invalid_argument) {
    return Error(ErrorCode::invalid_query, std::string(found.error().message()));
  }
  return found;
}

Result<std::uint64_t> Execution::write_hits(AnswerWriter& writer) {
  const bool is_scored =
      std::any_of(query_.order.begin(), query_.order.end(),
                  [](const search::SortKey& key) { return key.by == search::SortBy::kScore; });
  const doc::DocumentReader& reader = documents_->documents();
  RK_TRY_ASSIGN(
      summary_, search([&](const search::Hit& hit) -> Result<bool> {
        RK_TRY(budget_.check());
        RK_TRY_ASSIGN(const std::optional<doc::DocumentView> document, reader.get(hit.stored));
        // Deleted since: the answer says that it is stale.
        return document.has_value()
                   ? writer.add(*document, is_scored ? std::optional(hit.score) : std::nullopt)
                   : true;
      }));
  search_ms_ = elapsed_ms();
  return summary_.total;
}

double Execution::elapsed_ms() const {
  return std::chrono::duration<double, std::milli>(platform_.clock.monotonic() - started_).count();
}

void Execution::write_trailer(const AnswerWriter& writer) {
  constexpr std::uint64_t kIntMax = std::numeric_limits<std::int32_t>::max();
  w_.uint64("TotalResults", std::min(total_, kIntMax));
  w_.uint64("LongTotalResults", total_);
  if (query_.limit.has_value()) {
    const std::uint64_t after = total_ > query_.offset ? total_ - query_.offset : 0;
    w_.uint64("CappedMaxResults", std::min(after, *query_.limit));
  }
  w_.uint64("SkippedResults", writer.skipped_count());
  w_.int64("ScannedResults", 0);
  w_.key("IncludedPaths");
  if (query_.include_paths.empty()) {
    w_.null();
  } else {
    w_.begin_array();
    for (const std::string& path : query_.include_paths) {
      w_.string(path);
    }
    w_.end_array();
  }
  w_.string("IndexName", query_.source_name);
  const bool was_indexed = index_.has_value() && index_->progress().indexed_at.has_value();
  w_.string("IndexTimestamp",
            was_indexed ? value::format_date(*index_->progress().indexed_at) : std::string(kNever));
  w_.string("LastQueryTime", value::format_date(platform_.clock.wall()));
  w_.boolean("IsStale", is_stale_);
  w_.uint64("ResultEtag", etag_);
  w_.string("NodeTag", limits_.node_tag);
  w_.int64("DurationInMs", whole_ms(elapsed_ms()));
  if (query_.wants_timings) {
    write_timings();
    write_counters(w_, summary_.counters, writer.document_count());
  }
}

void Execution::write_timings() {
  w_.key("Timings");
  w_.begin_object();
  w_.int64("DurationInMs", whole_ms(elapsed_ms()));
  w_.key("Timings");
  w_.begin_object();
  w_.key("Query");
  w_.begin_object();
  w_.int64("DurationInMs", whole_ms(index_.has_value() ? search_ms_ : elapsed_ms()));
  w_.null("Timings");
  w_.end_object();
  w_.end_object();
  w_.end_object();
}

Result<QueryAnswer> Execution::plan_answer() {
  w_.begin_object();
  w_.string("IndexName", query_.source_name);
  w_.string("Reason", query_.reason);
  w_.boolean("IsStale", is_stale_);
  w_.key("Plan");
  if (!index_.has_value()) {
    w_.null();
  } else {
    std::uint64_t results = 0;
    RK_TRY_ASSIGN(summary_, search([&](const search::Hit&) -> Result<bool> {
                    ++results;
                    return true;
                  }));
    write_step(w_, summary_.plan);
    w_.uint64("TotalResults", summary_.total);
    w_.uint64("Results", results);
    write_counters(w_, summary_.counters, std::nullopt);
    RK_TRY(index_->check_health());
  }
  w_.number("DurationInMs", elapsed_ms());
  w_.end_object();
  QueryAnswer answer;
  answer.body = std::move(body_);
  return answer;
}

}  // namespace rookery::index
