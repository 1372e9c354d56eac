// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rookery/api/http.h"
#include "rookery/base/result.h"
#include "rookery/edge/http_client.h"
#include "rookery/os/time.h"
#include "rookery/value/document.h"

// Purpose. What the shell asks of a server, over HTTP.
// Source: the protocol of the client libraries.

namespace rookery::shell {

// Purpose. Sends a request: to a server, or to a test.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  virtual Result<api::Response> send(const edge::ClientRequest& request) = 0;
};

struct QueryRequest {
  std::string text;
  std::vector<std::pair<std::string, std::string>> parameters{};  // values as JSON
  std::uint64_t start = 0;
  std::uint64_t page_rows = 50;
  bool wait = false;  // until the result is not stale
};

struct QueryAnswer {
  value::Document body;  // all of it
  std::string index_name;
  std::string result_etag;   // as text
  std::int64_t total = 0;    // rows of all pages
  std::int64_t skipped = 0;  // rows that were the same as one before
  bool is_stale = false;
  std::int64_t server_ms = 0;
  os::Duration round_trip{};

  [[nodiscard]] value::View results() const;
};

struct Collection {
  std::string name;
  std::int64_t document_count = 0;
};

// Purpose. One server; the database is named with each call.
// Threads: one owner. Owns: nothing; transport and clock outlive it.
// Errors of every call: those of edge::http_call. Where the server refuses, invalid_argument with
// what it says, followed by its type of error and the status, in brackets; not_found for 404;
// not_supported for 501; malformed if the answer is none of the protocol.
class Client {
 public:
  Client(Transport& transport, os::Clock& clock, std::string url);

  // Readable: the call under way is given up with `cancelled`. -1: never.
  void set_cancel_descriptor(int descriptor) { cancel_descriptor_ = descriptor; }

  // Of each step of a call.
  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }

  [[nodiscard]] const std::string& url() const noexcept { return url_; }

  Result<std::string> server_version();
  Result<std::vector<std::string>> databases();
  Result<std::vector<Collection>> collections(const std::string& database);
  // The server's description of each index: an array in `Results`.
  Result<value::Document> indexes(const std::string& database);
  Result<QueryAnswer> query(const std::string& database, const QueryRequest& request);
  // The server's explanation of a query, as it is.
  Result<value::Document> explain(const std::string& database, const QueryRequest& request);
  // Errors: not_found.
  Result<value::Document> document(const std::string& database, const std::string& id);

 private:
  Result<value::Document> get(const std::string& path);
  Result<value::Document> post(const std::string& path, std::string body);
  Result<value::Document> call(edge::ClientRequest request);
  [[nodiscard]] std::string database_path(const std::string& database, std::string_view rest) const;

  Transport& transport_;
  os::Clock& clock_;
  std::string url_;
  int cancel_descriptor_ = -1;
  std::chrono::milliseconds timeout_{};
};

}  // namespace rookery::shell
