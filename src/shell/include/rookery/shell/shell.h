// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// Purpose. The shell as a program: queries and commands from a terminal, a pipe or the command
// line, answers on the standard output.
// Threads: one call at a time; it uses the process's standard streams, locale and signal mask.
// Source: docs/shell.md.

namespace rookery::shell {

struct ShellArguments {
  std::string url = "http://127.0.0.1:8080";
  std::string database{};              // may be chosen later, by \use
  std::vector<std::string> execute{};  // not empty: run these and nothing else
  std::string format = "table";        // table, json or csv
  // Query parameters: a name, and a value as JSON.
  std::vector<std::pair<std::string, std::string>> parameters{};
  std::size_t page_rows = 50;
  bool keep_going = false;  // after an error in a pipe
  bool wait = false;        // for results that are not stale
};

// 0: all went well, or the user left. 1: something failed. 2: the arguments make no sense.
[[nodiscard]] int run_shell(const ShellArguments& arguments);

}  // namespace rookery::shell
