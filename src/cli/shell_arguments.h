// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "rookery/shell/shell.h"

// Purpose. The command lines of `rookery shell` and `rookery query`.

namespace rookery::cli {

// What CLI11 fills while it parses; outlives it.
struct ShellCommandLine {
  shell::ShellArguments arguments;
  std::vector<std::string> parameters;  // name=json
};

void add_shell_commands(CLI::App& app, ShellCommandLine& line, int& exit_code);

}  // namespace rookery::cli
