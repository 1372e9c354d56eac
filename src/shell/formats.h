// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rookery/value/document.h"

#include "result_fields.h"

// Purpose. Results for other programs, and one document for a person.

namespace rookery::shell {

// Purpose. Results as CSV (RFC 4180, but for lines that end in \n), page after page. The fields of
// the first page are the columns of all, since a CSV file has one header.
// Threads: one owner.
class CsvWriter {
 public:
  // The text of one more page; the first begins with the header.
  // Requires: `results` is an array.
  std::string page(value::View results);

  // Fields that came after the first page and so have no column.
  [[nodiscard]] const std::vector<std::string>& left_out() const noexcept { return left_out_; }

 private:
  ResultFields fields_;
  std::vector<std::string> columns_;
  std::vector<std::string> left_out_;
  bool has_header_ = false;
};

// One JSON value a line, metadata and all.
[[nodiscard]] std::string json_lines(value::View results);

// Over several lines, indented. Safe on a terminal.
[[nodiscard]] std::string pretty_json(value::View value);

}  // namespace rookery::shell
