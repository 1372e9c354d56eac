// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "config_keys.h"
#include "shell_arguments.h"
#include "transfer_arguments.h"

// The program. `rookery --Key=value ...` is `rookery serve --Key=value ...`.

namespace rookery::cli {

namespace {

constexpr std::string_view kServeHelp =
    "rookery serve [--Key=value | --Key value | -c FILE | --config-path FILE]...\n"
    "              [--print-settings]\n"
    "\n"
    "Starts the server; `rookery` with such flags does the same. Keys may also be given as\n"
    "environment variables (RAVEN_Key or ROOKERY_Key, '_' for '.'), and in a file of JSON:\n"
    "FILE, or settings.json in the working directory if that is there. The command line wins\n"
    "over the environment, the environment over the file. --print-settings says what differs\n"
    "from the defaults and who set it, and starts nothing. The server stops on SIGTERM, SIGINT,\n"
    "or the words 'shutdown no-confirmation' on its standard input.\n"
    "\n"
    "Keys with an effect, and their defaults:\n";

int print_serve_help() {
  fmt::print("{}", kServeHelp);
  for (const ConfigKey& key : config_keys()) {
    if (key.has_effect) {
      fmt::print("  {:<52} {}\n", key.name, key.default_value);
    }
  }
  fmt::print("\nKeys of the documentation without an effect yet; the log names those given:\n");
  for (const ConfigKey& key : config_keys()) {
    if (!key.has_effect) {
      fmt::print("  {:<52} {}\n", key.name, key.default_value);
    }
  }
  return kExitOk;
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h" || argument == "-?") {
      return true;
    }
  }
  return false;
}

void add_document_command(CLI::App& app, const std::string& name, const std::string& what,
                          DocumentVerb verb, DocumentArguments& arguments, int& exit_code) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("id", arguments.id, "The document's id")->required();
  if (verb == DocumentVerb::kPut) {
    command->add_option("file", arguments.file, "JSON to store; - is the standard input")
        ->capture_default_str();
  }
  command->add_option("--url", arguments.url, "The server")->capture_default_str();
  command->add_option("--database", arguments.database, "The database")->required();
  command->add_option("--folder", arguments.folder,
                      "A data directory that no server holds, instead of a server");
  command->callback([&arguments, &exit_code, verb] {
    arguments.verb = verb;
    exit_code = run_document(arguments);
  });
}

void add_doctor_command(CLI::App& app, DoctorArguments& arguments, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Say what this machine gives a data directory (exit code 0: fine, 1: warnings, 2: problems)");
  command->add_option("folder", arguments.folder, "The folder; a server may be running in it")
      ->required();
  command->add_flag("--json", arguments.json, "For programs");
  command->callback([&arguments, &exit_code] { exit_code = run_doctor(arguments); });
}

// What stands in a buffer is not written yet: a full disk is seen here, and must not look like
// success.
int with_output_written(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return exit_code;
  }
  const std::string why =
      errno == 0 ? "" : ": " + std::error_code(errno, std::generic_category()).message();
  fmt::print(stderr, "rookery: the standard output cannot be written{}\n", why);
  return exit_code == kExitOk ? kExitFailed : exit_code;
}

int run(const std::vector<std::string>& arguments) {
  const std::string first = arguments.empty() ? "" : arguments.front();
  if (first == "serve") {
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    return asks_for_help(rest) ? with_output_written(print_serve_help()) : run_serve(rest);
  }
  const bool is_general =
      first == "--help" || first == "-h" || first == "--version" || first == "-v";
  if (first.empty() || (first.starts_with("-") && !is_general)) {
    return asks_for_help(arguments) ? with_output_written(print_serve_help())
                                    : run_serve(arguments);
  }
  CLI::App app("Rookery, a document database.", "rookery");
  app.set_version_flag("-v,--version", version_text());
  app.require_subcommand(1);
  app.footer("Without a subcommand: serve.");
  int exit_code = kExitOk;
  // For the list of subcommands only: it was handled above.
  app.add_subcommand("serve", "Start the server (rookery serve --help lists its keys)");
  std::string folder;
  CLI::App* verify =
      app.add_subcommand("verify", "Check a data directory, or one database, on disk");
  verify->add_option("folder", folder, "The folder; no server may hold it")->required();
  verify->callback([&] { exit_code = run_verify(folder); });
  DoctorArguments doctor;
  add_doctor_command(app, doctor, exit_code);
  DocumentArguments document;
  add_document_command(app, "get", "Print a document", DocumentVerb::kGet, document, exit_code);
  add_document_command(app, "put", "Store a document", DocumentVerb::kPut, document, exit_code);
  add_document_command(app, "del", "Delete a document", DocumentVerb::kDelete, document, exit_code);
  ShellCommandLine shell;
  add_shell_commands(app, shell, exit_code);
  TransferCommandLine transfer;
  add_transfer_commands(app, transfer, exit_code);
  const auto is_first = [&first](CLI::App* one) { return one->get_name() == first; };
  if (!is_general && app.get_subcommands(is_first).empty()) {
    fmt::print(stderr, "rookery: there is no subcommand '{}'; rookery --help lists them\n", first);
    return kExitUsage;
  }
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? with_output_written(kExitOk) : kExitUsage;
  }
  return with_output_written(exit_code);
}

}  // namespace

}  // namespace rookery::cli

int main(int argc, char** argv) {
  try {
    return rookery::cli::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& e) {
    fmt::print(stderr, "rookery: {}\n", e.what());
    return rookery::cli::kExitFailed;
  }
}
