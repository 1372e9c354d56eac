// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// Purpose. Compares the table of docs/errors.md with the table of src/api/errors.cc: each failure
// is a row of the page, with its status and type, and each row of the page is a failure.

namespace rookery::docs {

// What is wrong; empty if nothing is.
[[nodiscard]] std::vector<std::string> check_errors_page(std::string_view page);

}  // namespace rookery::docs
