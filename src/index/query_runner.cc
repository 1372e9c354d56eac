// SPDX-License-Identifier: Apache-2.0
#include "rookery/index/query_runner.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "rookery/base/checksum.h"
#include "rookery/value/date.h"
#include "rookery/value/json.h"
#include "rookery/value/text.h"

#include "answer_writer.h"
#include "execution.h"
#include "prepared_query.h"
#include "query_budget.h"

namespace rookery::index {

namespace {

std::uint64_t random_number(os::Platform& platform) {
  std::array<std::byte, 8> bytes{};
  platform.random.fill(bytes);
  return load<std::uint64_t>(bytes.data());
}

std::string_view index_collection(const PreparedQuery& query) {
  return query.tree.from.source == query::From::Source::kAllDocuments
             ? kAllDocuments
             : std::string_view(query.tree.from.name);
}

}  // namespace

QueryRunner::QueryRunner(os::Platform& platform, Indexes& indexes, store::Environment& documents,
                         Options options)
    : platform_(platform), indexes_(indexes), documents_(documents), options_(std::move(options)) {}

Result<PreparedQueryPtr> QueryRunner::prepare(QueryRequest request) const {
  RK_TRY_ASSIGN(PreparedQueryPtr query,
                compile(std::move(request), platform_.clock.wall(), random_number(platform_)));
  if (query->source != PreparedQuery::Source::kIndex) {
    query->reason = "No index: the documents are found by their collection or their ids.";
    return query;
  }
  if (query->tree.from.source != query::From::Source::kIndex) {
    RK_TRY_ASSIGN(Indexes::Choice choice,
                  indexes_.choose(index_collection(*query), query->translation.fields));
    query->index = std::move(choice.index);
    query->reason = std::move(choice.reason);
  } else {
    const std::string& name = query->tree.from.name;
    query->index = indexes_.find(name);
    query->reason = "The query names it.";
    if (query->index == nullptr) {
      const std::optional<Error> fault = indexes_.fault(name);
      return fault.has_value()
                 ? fault->with_context("index '" + name + "' is faulty")
                 : Error(ErrorCode::not_found, "There is no index with the name '" + name + "'.");
    }
    for (const IndexedField& field : query->translation.fields) {
      if (!covers(query->index->definition().fields, {field})) {
        return Error(ErrorCode::invalid_query,
                     "The field '" + field.field.name() +
                         "' is not indexed, cannot query/sort on fields that are not indexed");
      }
    }
  }
  query->source_name = query->index->definition().name;
  query->index->note_query();
  return query;
}

QueryRequest QueryRunner::take_request(PreparedQueryPtr query) {
  return std::move(query->request);
}

bool QueryRunner::must_wait(PreparedQuery& query) const {
  if (query.index == nullptr ||
      (!query.request.wait_for_non_stale && query.index->has_caught_up())) {
    return false;
  }
  // A database that cannot be read says so when the query runs.
  std::uint64_t last_etag = 0;
  if (const Result<doc::Snapshot> documents = doc::Snapshot::open(documents_); documents) {
    const Result<std::uint64_t> read = (*documents)->last_etag();
    last_etag = read.has_value() ? *read : 0;
  }
  query.cutoff_etag = last_etag;
  return !query.index->has_caught_up() || query.index->seen_etag() < last_etag;
}

void QueryRunner::when_ready(PreparedQuery& query, std::function<void(Readiness)> ready) const {
  const bool must_wait = query.request.wait_for_non_stale;
  const std::uint64_t cutoff = query.cutoff_etag.value_or(0);
  const os::Duration timeout =
      query.request.wait_timeout.value_or(indexes_.settings().wait_default);
  query.index->wait(cutoff, platform_.clock.monotonic() + timeout,
                    [must_wait, ready = std::move(ready)](WaitOutcome outcome) {
                      switch (outcome) {
                        case WaitOutcome::kReached:
                          ready(Readiness::kReady);
                          break;
                        case WaitOutcome::kTimedOut:
                          // Of a new index, a query takes what there is.
                          ready(must_wait ? Readiness::kTimedOut : Readiness::kReady);
                          break;
                        case WaitOutcome::kGone:
                          ready(Readiness::kGone);
                          break;
                      }
                    });
}

Error QueryRunner::timeout_error(const PreparedQuery& query) const {
  const os::Duration timeout =
      query.request.wait_timeout.value_or(indexes_.settings().wait_default);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
  return {ErrorCode::timed_out, "Waited for " + std::to_string(millis) + " ms for index '" +
                                    query.source_name +
                                    "' to become non-stale, and it still is stale."};
}

Result<QueryAnswer> QueryRunner::run(PreparedQuery& query) const {
  const QueryBudget budget(platform_.clock, options_.time_max);
  const Execution::Limits limits = {.node_tag = options_.node_tag,
                                    .answer_bytes_max = options_.answer_bytes_max,
                                    .memory_bytes_max = indexes_.settings().query_memory_bytes_max};
  return Execution(platform_, documents_, options_.find_includes, query, budget, limits).run();
}

Result<std::string> QueryRunner::explain(PreparedQuery& query) const {
  std::string body;
  value::JsonWriter w(body);
  w.begin_object();
  w.key("Results");
  w.begin_array();
  const auto write = [&w](std::string_view index, std::string_view reason) {
    w.begin_object();
    w.string("Index", index);
    w.string("Reason", reason);
    w.end_object();
  };
  write(query.source_name, query.reason);
  if (query.index != nullptr) {
    RK_TRY_ASSIGN(const std::vector<IndexInfo> all, indexes_.list());
    for (const IndexInfo& other : all) {
      const Definition& definition = other.definition;
      if (definition.name == query.source_name) {
        continue;
      }
      if (!value::equal_folded(definition.collection, index_collection(query))) {
        write(definition.name, "It is of collection '" + definition.collection + "'.");
      } else if (!covers(definition.fields, query.translation.fields)) {
        write(definition.name, "It lacks fields that the query uses.");
      } else {
        write(definition.name, "Another one was preferred.");
      }
    }
  }
  w.end_array();
  w.end_object();
  return body;
}

}  // namespace rookery::index
