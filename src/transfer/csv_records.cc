// SPDX-License-Identifier: Apache-2.0
#include "csv_records.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "rookery/api/http.h"
#include "rookery/value/json.h"
#include "rookery/value/text.h"

namespace rookery::transfer {

namespace {

std::optional<CsvType> type_of(std::string_view name) {
  if (name == "text") {
    return CsvType::kText;
  }
  if (name == "number") {
    return CsvType::kNumber;
  }
  if (name == "bool") {
    return CsvType::kBool;
  }
  return name == "auto" ? std::optional(CsvType::kAuto) : std::nullopt;
}

std::optional<bool> bool_of(std::string_view text) {
  if (api::equal_ignoring_case(text, "true")) {
    return true;
  }
  return api::equal_ignoring_case(text, "false") ? std::optional(false) : std::nullopt;
}

// False if it is not of the type.
bool write_field(value::JsonWriter& w, CsvType type, std::string_view text) {
  if (type == CsvType::kText) {
    w.string(text);
    return true;
  }
  if (text.empty()) {
    w.null();
    return true;
  }
  if (type != CsvType::kBool && is_json_number(text)) {
    w.raw(text);
    return true;
  }
  const bool json_bool = text == "true" || text == "false";
  if (type == CsvType::kBool || (type == CsvType::kAuto && json_bool)) {
    const std::optional<bool> value = bool_of(text);
    w.boolean(value.value_or(false));
    return value.has_value();
  }
  w.string(text);
  return type == CsvType::kAuto;
}

std::string_view take_digits(std::string_view& text) noexcept {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

}  // namespace

bool is_json_number(std::string_view text) noexcept {
  if (text.starts_with('-')) {
    text.remove_prefix(1);
  }
  const std::string_view whole = take_digits(text);
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) {
    return false;
  }
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (take_digits(text).empty()) {
      return false;
    }
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) {
      text.remove_prefix(1);
    }
    if (take_digits(text).empty()) {
      return false;
    }
  }
  return text.empty();
}

Result<CsvTypes> CsvTypes::parse(std::string_view text) {
  CsvTypes types;
  if (text == "auto" || text == "text") {
    types.others = text == "auto" ? CsvType::kAuto : CsvType::kText;
    return types;
  }
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    const std::size_t equals = one.rfind('=');
    const std::optional<CsvType> type =
        equals == std::string_view::npos ? std::nullopt : type_of(one.substr(equals + 1));
    if (!type.has_value()) {
      return Error(
          ErrorCode::invalid_argument,
          fmt::format("'{}' is not auto, nor text, nor name=text, number, bool or auto", one));
    }
    types.by_name.insert_or_assign(std::string(one.substr(0, equals)), *type);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return types;
}

Result<void> CsvRecords::set_header(const CsvParser::Row& row) {
  std::set<std::string_view> seen;
  for (const std::string& name : row.fields) {
    if (name.empty() || !value::is_utf8(name) || !seen.insert(name).second) {
      return Error(
          ErrorCode::malformed,
          fmt::format("the first row must name every column, each once; '{}' is not one", name));
    }
  }
  if (!row.fault.empty()) {
    return Error(ErrorCode::malformed, fmt::format("the first row: {}", row.fault));
  }
  for (const auto& [name, type] : types_.by_name) {
    if (!seen.contains(name)) {
      return Error(ErrorCode::invalid_argument, fmt::format("there is no column '{}'", name));
    }
  }
  names_ = row.fields;
  for (const std::string& name : names_) {
    const auto found = types_.by_name.find(name);
    column_types_.push_back(found == types_.by_name.end() ? types_.others : found->second);
  }
  return {};
}

std::string CsvRecords::make(const CsvParser::Row& row) {
  json_.clear();
  if (!row.fault.empty()) {
    return std::string(row.fault);
  }
  if (row.fields.size() != names_.size()) {
    return fmt::format("{} fields, where the first row has {}", row.fields.size(), names_.size());
  }
  value::JsonWriter w(json_);
  w.begin_object();
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!value::is_utf8(row.fields[i])) {
      return fmt::format("column '{}' is not UTF-8", names_[i]);
    }
    w.key(names_[i]);
    if (!write_field(w, column_types_[i], row.fields[i])) {
      return fmt::format("column '{}' has '{}', which is no {}", names_[i], row.fields[i],
                         column_types_[i] == CsvType::kBool ? "bool" : "number");
    }
  }
  w.end_object();
  return "";
}

}  // namespace rookery::transfer
