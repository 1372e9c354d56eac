// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rookery/value/document.h"

// Purpose. Results as a table of text.
// Threads: plain values.

namespace rookery::shell {

struct Cell {
  std::string text{};  // printable
  bool is_number = false;
};

struct Table {
  std::vector<std::string> headers;
  std::vector<std::vector<Cell>> rows;  // each as long as `headers`
};

struct RowsOptions {
  // Not 0: a column with the number of each row, from this one on.
  std::size_t number_first = 0;
  // Longer cells are cut; 0: none is.
  std::size_t cell_width_max = 0;
};

// One row a result, one column a field that any of them has, in the order in which they appear. A
// whole document's id comes first; its other metadata are left out. A nested value is compact JSON,
// null is `null`, and a field that is missing is blank.
// Requires: `results` is an array.
[[nodiscard]] Table table_of(value::View results, const RowsOptions& options = {});

// Lines with their ends: the headers, a rule, the rows. At most `width` columns (0: any number):
// the widest cells are cut first, and columns that still find no place are left out and named
// below the table. Columns of numbers are flush right.
[[nodiscard]] std::string render(const Table& table, std::size_t width);

}  // namespace rookery::shell
