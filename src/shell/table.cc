// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rookery/value/json.h"

#include "result_fields.h"
#include "width.h"

namespace rookery::shell {

using value::View;

namespace {

// A column is not made narrower than this; rather, columns are left out.
constexpr std::size_t kColumnWidthMin = 8;
constexpr std::string_view kGap = " | ";

Cell cell_of(View value, std::size_t width_max) {
  Cell cell;
  cell.is_number = value.is_number();
  cell.text = printable(value.is_string() ? std::string(*value.as_string()) : to_json(value));
  if (width_max > 0) {
    cell.text = fitted(cell.text, width_max);
  }
  return cell;
}

// Columns are flush right if all they hold are numbers.
std::vector<bool> right_columns(const Table& table) {
  std::vector<bool> out(table.headers.size(), false);
  for (std::size_t column = 0; column < out.size(); ++column) {
    std::size_t numbers = 0;
    std::size_t others = 0;
    for (const auto& row : table.rows) {
      const Cell& cell = row[column];
      numbers += cell.is_number ? 1U : 0U;
      others += !cell.is_number && !cell.text.empty() && cell.text != "null" ? 1U : 0U;
    }
    out[column] = numbers > 0 && others == 0;
  }
  return out;
}

std::vector<std::size_t> natural_widths(const Table& table) {
  std::vector<std::size_t> out;
  for (std::size_t column = 0; column < table.headers.size(); ++column) {
    std::size_t width = display_width(table.headers[column]);
    for (const auto& row : table.rows) {
      width = std::max(width, display_width(row[column].text));
    }
    out.push_back(width);
  }
  return out;
}

std::size_t total_width(const std::vector<std::size_t>& widths) {
  std::size_t sum = 2;  // a blank at either side
  for (const std::size_t width : widths) {
    sum += width;
  }
  return sum + (widths.empty() ? 0 : (widths.size() - 1) * kGap.size());
}

std::vector<std::size_t> capped(std::vector<std::size_t> widths, std::size_t cap) {
  for (std::size_t& width : widths) {
    width = std::min(width, cap);
  }
  return widths;
}

// Makes the widest columns narrower until all fit, and leaves the last ones out if that would make
// them unreadable. The widths of those that stay.
std::vector<std::size_t> fit(std::vector<std::size_t> widths, std::size_t width_max) {
  if (width_max == 0) {
    return widths;
  }
  while (widths.size() > 1 && total_width(capped(widths, kColumnWidthMin)) > width_max) {
    widths.pop_back();
  }
  std::size_t low = 1;
  std::size_t high = widths.empty() ? 1 : *std::max_element(widths.begin(), widths.end());
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (total_width(capped(widths, middle)) <= width_max) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  std::vector<std::size_t> out = capped(widths, low);
  // What the same width for all leaves over.
  for (std::size_t i = 0; i < out.size() && total_width(out) < width_max; ++i) {
    out[i] += out[i] < widths[i] ? 1U : 0U;
  }
  return out;
}

void append_line(std::string& out, const std::vector<std::string>& texts,
                 const std::vector<std::size_t>& widths, const std::vector<bool>& right) {
  std::string line = " ";
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::string text = fitted(texts[i], widths[i]);
    const std::string blanks(widths[i] - std::min(widths[i], display_width(text)), ' ');
    line += i == 0 ? "" : std::string(kGap);
    line += right[i] ? blanks + text : text + blanks;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

void append_rule(std::string& out, const std::vector<std::size_t>& widths) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    out += i == 0 ? "" : "+";
    out += std::string(widths[i] + 2, '-');
  }
  out += "\n";
}

}  // namespace

Table table_of(View results, const RowsOptions& options) {
  ResultFields fields;
  for (std::size_t i = 0; i < results.size(); ++i) {
    fields.add(results.at(i));
  }
  Table table;
  if (options.number_first > 0) {
    table.headers.emplace_back("#");
  }
  for (const std::string& name : fields.names()) {
    table.headers.push_back(printable(name));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::vector<Cell> row;
    if (options.number_first > 0) {
      row.push_back({.text = fmt::format("{}", options.number_first + i), .is_number = true});
    }
    for (const std::string& name : fields.names()) {
      const std::optional<View> value = field_of(results.at(i), name);
      row.push_back(value.has_value() ? cell_of(*value, options.cell_width_max) : Cell{});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string render(const Table& table, std::size_t width) {
  const std::vector<bool> right = right_columns(table);
  const std::vector<std::size_t> widths = fit(natural_widths(table), width);
  std::string out;
  append_line(out, table.headers, widths, right);
  append_rule(out, widths);
  for (const auto& row : table.rows) {
    std::vector<std::string> texts;
    for (const Cell& cell : row) {
      texts.push_back(cell.text);
    }
    append_line(out, texts, widths, right);
  }
  if (widths.size() < table.headers.size()) {
    std::string names;
    for (std::size_t i = widths.size(); i < table.headers.size(); ++i) {
      names += (names.empty() ? "" : ", ") + table.headers[i];
    }
    out += "(no room for: " + names + ")\n";
  }
  return out;
}

}  // namespace rookery::shell
