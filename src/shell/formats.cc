// SPDX-License-Identifier: Apache-2.0
#include "formats.h"

#include <cstddef>
#include <string_view>

#include "rookery/value/json.h"

#include "width.h"

namespace rookery::shell {

using value::View;

namespace {

void append_csv(std::string& out, std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    out += c == '"' ? "\"\"" : std::string(1, c);
  }
  out += '"';
}

// null and missing are both nothing: CSV knows no difference.
std::string csv_text(View value) {
  if (value.is_null()) {
    return {};
  }
  return value.is_string() ? std::string(*value.as_string()) : to_json(value);
}

// The depth of a document is bounded (value::kDepthMax).
void append_pretty(std::string& out, View value, std::size_t indent) {
  if (value.size() == 0 || (!value.is_array() && !value.is_object())) {
    out += printable(to_json(value));
    return;
  }
  const bool is_object = value.is_object();
  const std::string inner(indent + 2, ' ');
  out += is_object ? "{\n" : "[\n";
  for (std::size_t i = 0; i < value.size(); ++i) {
    out += inner;
    if (is_object) {
      std::string key;
      value::JsonWriter(key).string(value.key_at(i));
      out += printable(key) + ": ";
    }
    append_pretty(out, is_object ? value.value_at(i) : value.at(i), indent + 2);
    out += i + 1 < value.size() ? ",\n" : "\n";
  }
  out += std::string(indent, ' ') + (is_object ? "}" : "]");
}

}  // namespace

std::string CsvWriter::page(View results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::vector<std::string> added = fields_.add(results.at(i));
    std::vector<std::string>& target = has_header_ ? left_out_ : columns_;
    target.insert(target.end(), added.begin(), added.end());
  }
  std::string out;
  const auto append_line = [&](auto&& text_of) {
    const std::size_t begin = out.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      out += i == 0 ? "" : ",";
      append_csv(out, text_of(columns_[i]));
    }
    // A line of nothing would be no row to many readers.
    out += out.size() == begin ? "\"\"\n" : "\n";
  };
  if (!has_header_ && !columns_.empty()) {
    append_line([](const std::string& column) { return column; });
    has_header_ = true;
  }
  for (std::size_t i = 0; has_header_ && i < results.size(); ++i) {
    append_line([&](const std::string& column) {
      return csv_text(field_of(results.at(i), column).value_or(View()));
    });
  }
  return out;
}

std::string json_lines(View results) {
  std::string out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    out += to_json(results.at(i));
    out += '\n';
  }
  return out;
}

std::string pretty_json(View value) {
  std::string out;
  append_pretty(out, value, 0);
  out += '\n';
  return out;
}

}  // namespace rookery::shell
