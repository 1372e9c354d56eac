// SPDX-License-Identifier: Apache-2.0
#include "shell_arguments.h"

#include <fmt/format.h>

#include "commands.h"

namespace rookery::cli {

namespace {

constexpr std::string_view kShellFooter =
    "A query ends with a semicolon, or with an empty line. At a terminal: TAB completes, \\help\n"
    "lists the commands. From a pipe: all pages are printed, and the first error ends it with "
    "exit\n"
    "code 1.";

// "name=json" in two; CLI::ValidationError if it is none.
void split_parameters(ShellCommandLine& line) {
  for (const std::string& text : line.parameters) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw CLI::ValidationError("--param", fmt::format("'{}' is not name=json", text));
    }
    const std::size_t dollar = text.front() == '$' ? 1 : 0;
    line.arguments.parameters.emplace_back(text.substr(dollar, equals - dollar),
                                           text.substr(equals + 1));
  }
}

void add_options(CLI::App& command, ShellCommandLine& line) {
  shell::ShellArguments& arguments = line.arguments;
  command.add_option("--url", arguments.url, "The server")->capture_default_str();
  command.add_option("--database", arguments.database, "The database");
  command.add_option("--format", arguments.format, "How results are printed: table, json or csv")
      ->capture_default_str();
  command.add_option("--limit", arguments.page_rows, "Rows a page")->capture_default_str();
  command.add_option("--param", line.parameters,
                     "name=json: the value of a query's $name; may be repeated");
  command.add_flag("--wait", arguments.wait, "Wait until results are not stale");
}

}  // namespace

void add_shell_commands(CLI::App& app, ShellCommandLine& line, int& exit_code) {
  shell::ShellArguments& arguments = line.arguments;
  const auto run = [&line, &exit_code] {
    split_parameters(line);
    exit_code = shell::run_shell(line.arguments);
  };
  CLI::App* shell = app.add_subcommand("shell", "Ask queries, at a terminal or from a pipe");
  add_options(*shell, line);
  shell->add_option("-e,--execute", arguments.execute, "Run this and leave; may be repeated")
      ->allow_extra_args(false);
  shell->add_flag("--keep-going", arguments.keep_going, "Do not stop at the first error");
  shell->footer(std::string(kShellFooter));
  shell->callback(run);

  CLI::App* query = app.add_subcommand("query", "Run one query: shell -e QUERY");
  add_options(*query, line);
  query->add_option("query", arguments.execute, "The query, in RQL")->required()->expected(1);
  query->callback(run);
}

}  // namespace rookery::cli
