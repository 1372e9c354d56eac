// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/api/http.h"
#include "rookery/value/json.h"

#include "rqt_file.h"

// Purpose. Runs the cases of .rqt files through the HTTP interface.

namespace rookery::rqt {

// Answers one request.
using Ask = std::function<api::Response(api::Request)>;

// What a query answered, in the words of .rqt.
struct Outcome {
  std::string error;                   // empty: there are rows
  std::vector<std::string> rows;       // ids, or objects of a projection
  std::vector<std::string> full_rows;  // the same; ids with the document's body behind them
  std::size_t total = 0;
  std::vector<std::string> includes;  // sorted
  std::string index;
  std::string trouble;  // what no case may accept: a stale answer, an answer that cannot be read
};

// Purpose. One database and what is done to it.
class Session {
 public:
  // Makes the database; ends with the process if it can't. Requires: `ask` outlives this.
  Session(const Ask& ask, std::string database);
  // Drops it.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Lines as in the sections of .rqt. An empty text, or what went wrong.
  [[nodiscard]] std::string put(const std::vector<std::string>& lines);
  [[nodiscard]] std::string erase(const std::vector<std::string>& ids);
  [[nodiscard]] Outcome query(const std::string& text, const std::string& parameters);

 private:
  api::Response call(std::string_view method, const std::string& target, std::string body);
  std::string batch(const std::string& commands);

  const Ask& ask_;
  std::string database_;
};

// What differs from what a case expects, empty if nothing, and how the file would have to read.
struct CaseResult {
  std::string differences;
  std::vector<Replacement> replacements;
};

[[nodiscard]] CaseResult run_case(const Ask& ask, const Case& one, const std::string& database);

}  // namespace rookery::rqt
