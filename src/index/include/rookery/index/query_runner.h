// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/index/indexes.h"
#include "rookery/os/platform.h"
#include "rookery/store/environment.h"
#include "rookery/value/document.h"

// Purpose. One query from its text to its answer: parsed, planned, its index found or made, waited
// for if asked, executed, rendered.
// Threads: the runner: any. A PreparedQuery: one at a time.
// Source: docs/indexes.md "The path of a query"; docs/rql.md.

namespace rookery::index {

struct QueryRequest {
  std::string text;
  value::Document owner;   // of `parameters`
  value::View parameters;  // an object, or null
  std::uint64_t start = 0;
  std::uint64_t page_size = ~std::uint64_t{0};
  bool wait_for_non_stale = false;
  std::optional<os::Duration> wait_timeout;  // Settings::wait_default otherwise
  bool metadata_only = false;
  bool show_plan = false;  // the answer is the executed plan
  std::string known_etag;  // of the answer that the client has; empty: none
};

class PreparedQuery;

struct PreparedQueryDeleter {
  void operator()(PreparedQuery* query) const noexcept;
};

using PreparedQueryPtr = std::unique_ptr<PreparedQuery, PreparedQueryDeleter>;

enum class Readiness : std::uint8_t {
  kReady,
  kTimedOut,  // only if the query asked to wait
  kGone,      // its index was deleted meanwhile: prepare it again
};

struct QueryAnswer {
  bool not_modified = false;  // the client has it; `body` is empty
  std::string etag;
  std::string body;  // JSON
};

// Finds the ids that a document names at a path.
using FindIncludes = std::function<void(value::View document, std::string_view path,
                                        const std::function<void(std::string_view)>& found)>;

class QueryRunner {
 public:
  struct Options {
    std::string node_tag = "A";
    FindIncludes find_includes;
    os::Duration time_max = std::chrono::seconds(300);
    std::uint64_t answer_bytes_max = 512ULL << 20U;
  };

  // The arguments outlive the runner.
  QueryRunner(os::Platform& platform, Indexes& indexes, store::Environment& documents,
              Options options);

  // Blocks, if an index must be made. Errors: malformed, invalid_query, not_supported, each with
  // its place in the text; not_found (`from index` of a name that is none).
  [[nodiscard]] Result<PreparedQueryPtr> prepare(QueryRequest request) const;
  // The request back, to prepare it again.
  [[nodiscard]] static QueryRequest take_request(PreparedQueryPtr query);

  // Whether the query must wait: it asked for what the database holds now and its index lacks some
  // of that, or its index is new.
  [[nodiscard]] bool must_wait(PreparedQuery& query) const;
  // Calls `ready` once, perhaps at once, else from the executor of the indexes. Requires:
  // must_wait() was asked and said true.
  void when_ready(PreparedQuery& query, std::function<void(Readiness)> ready) const;
  // Errors: as prepare(); too_large (memory or answer), timed_out; those of the store.
  [[nodiscard]] Result<QueryAnswer> run(PreparedQuery& query) const;
  // {"Results":[{"Index":..., "Reason":...}]}
  [[nodiscard]] Result<std::string> explain(PreparedQuery& query) const;
  // For the error of one that waited in vain.
  [[nodiscard]] Error timeout_error(const PreparedQuery& query) const;

 private:
  os::Platform& platform_;
  Indexes& indexes_;
  store::Environment& documents_;
  Options options_;
};

}  // namespace rookery::index
