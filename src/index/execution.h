// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/doc/reader.h"
#include "rookery/os/platform.h"
#include "rookery/search/index_reader.h"
#include "rookery/value/json.h"

#include "answer_writer.h"
#include "prepared_query.h"
#include "query_budget.h"

// Purpose. Runs a prepared query over snapshots and writes the answer.
//
// The index's snapshot is opened before the documents': then whatever the index holds is in the
// documents' snapshot or gone from it since, and the answer is exact unless the documents have
// something newer for the index than it has seen, which is what "stale" means.
// Threads: one thread at a time. Used once.

namespace rookery::index {

class Execution {
 public:
  struct Limits {
    std::string_view node_tag;
    std::uint64_t answer_bytes_max = 0;
    std::uint64_t memory_bytes_max = 0;
  };

  // All arguments outlive it.
  Execution(os::Platform& platform, store::Environment& documents,
            const FindIncludes& find_includes, PreparedQuery& query, const QueryBudget& budget,
            const Limits& limits);

  // Errors: those of QueryRunner::run().
  [[nodiscard]] Result<QueryAnswer> run();

 private:
  [[nodiscard]] Result<void> open_snapshots();
  [[nodiscard]] std::uint64_t result_etag();
  [[nodiscard]] Result<void> write_results();
  [[nodiscard]] Result<std::uint64_t> write_collection(AnswerWriter& writer);
  [[nodiscard]] Result<std::uint64_t> write_ids(AnswerWriter& writer);
  [[nodiscard]] Result<std::uint64_t> write_hits(AnswerWriter& writer);
  [[nodiscard]] Result<search::Summary> search(const search::IndexReader::Visitor& visit);
  void write_trailer(const AnswerWriter& writer);
  void write_timings();
  [[nodiscard]] Result<QueryAnswer> plan_answer();
  [[nodiscard]] double elapsed_ms() const;

  os::Platform& platform_;
  store::Environment& environment_;
  const FindIncludes& find_includes_;
  PreparedQuery& query_;
  const QueryBudget& budget_;
  const Limits limits_;
  const os::MonotonicTime started_;

  std::optional<IndexSnapshot> index_;
  std::optional<doc::Snapshot> documents_;
  bool is_stale_ = false;
  std::uint64_t etag_ = 0;
  std::uint64_t total_ = 0;
  search::Summary summary_;
  double search_ms_ = 0;
  std::string body_;
  value::JsonWriter w_{body_};
};

}  // namespace rookery::index
