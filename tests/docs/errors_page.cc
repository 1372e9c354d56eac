// SPDX-License-Identifier: Apache-2.0
#include "errors_page.h"

#include <set>

#include "rookery/api/errors.h"

namespace rookery::docs {

namespace {

// `| 404 | `DocumentDoesNotExistException` | ...` as "404 DocumentDoesNotExistException"; empty for
// any other line.
[[nodiscard]] std::string row_of(std::string_view line) {
  const std::size_t status_end = line.find(" | `");
  if (!line.starts_with("| ") || status_end != 5) {
    return "";
  }
  const std::string_view type = line.substr(status_end + 4);
  return std::string(line.substr(2, 3)) + ' ' + std::string(type.substr(0, type.find('`')));
}

[[nodiscard]] std::set<std::string> rows_of_page(std::string_view page) {
  std::set<std::string> rows;
  while (!page.empty()) {
    const std::size_t end = page.find('\n');
    if (const std::string row = row_of(page.substr(0, end)); !row.empty()) {
      rows.insert(row);
    }
    page.remove_prefix(end == std::string_view::npos ? page.size() : end + 1);
  }
  return rows;
}

[[nodiscard]] std::set<std::string> rows_of_server() {
  std::set<std::string> rows;
  for (auto i = 0; i <= static_cast<int>(api::Fault::kInternal); ++i) {
    const api::FaultRow& row = api::fault_row(static_cast<api::Fault>(i));
    rows.insert(std::to_string(row.status) + ' ' +
                std::string(row.type.substr(row.type.rfind('.') + 1)));
  }
  return rows;
}

}  // namespace

std::vector<std::string> check_errors_page(std::string_view page) {
  std::vector<std::string> findings;
  const std::set<std::string> written = rows_of_page(page);
  const std::set<std::string> real = rows_of_server();
  for (const std::string& row : real) {
    if (!written.contains(row)) {
      findings.push_back("docs/errors.md has no row for " + row);
    }
  }
  for (const std::string& row : written) {
    if (!real.contains(row)) {
      findings.push_back("docs/errors.md: the server has no such error: " + row);
    }
  }
  return findings;
}

}  // namespace rookery::docs
