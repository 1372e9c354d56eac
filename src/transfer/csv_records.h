// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"

#include "csv_parser.h"

// Purpose. Rows of CSV as JSON objects, with the names of the first row.

namespace rookery::transfer {

enum class CsvType : std::uint8_t {
  kText,
  kNumber,  // as JSON writes them; empty: null
  kBool,    // true or false in any case; empty: null
  kAuto,    // a number or a bool where it is written as JSON writes it; empty: null; else text
};

// Purpose. What each column is to become.
struct CsvTypes {
  CsvType others = CsvType::kAuto;
  std::map<std::string, CsvType, std::less<>> by_name;

  // Empty or "auto"; "text": all text; or name=text|number|bool|auto,... for some columns.
  // Errors: invalid_argument.
  [[nodiscard]] static Result<CsvTypes> parse(std::string_view text);
};

// Threads: one owner.
class CsvRecords {
 public:
  explicit CsvRecords(CsvTypes types) : types_(std::move(types)) {}

  [[nodiscard]] bool has_header() const noexcept { return !names_.empty(); }

  // Errors: malformed: a name is missing or there twice, or typed and not there.
  [[nodiscard]] Result<void> set_header(const CsvParser::Row& row);
  // Makes json(); what is wrong with the row, empty for nothing.
  [[nodiscard]] std::string make(const CsvParser::Row& row);

  [[nodiscard]] std::string_view json() const noexcept { return json_; }

 private:
  const CsvTypes types_;
  std::vector<std::string> names_;
  std::vector<CsvType> column_types_;
  std::string json_;
};

// The text is a number as JSON has them.
[[nodiscard]] bool is_json_number(std::string_view text) noexcept;

}  // namespace rookery::transfer
