// SPDX-License-Identifier: Apache-2.0
#include "transfer_arguments.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "commands.h"

namespace rookery::cli {

namespace {

constexpr std::string_view kImportFooter =
    "A record's id is made of --id-field, else it is the one in its @metadata (an export's), else\n"
    "--id-prefix (by default the collection's name and '/') and the number of the record. So the\n"
    "same input gives the same ids, and an import that was interrupted goes on when it is started\n"
    "again: FILE.import-state says how far it is. A CSV field that is written as JSON writes a\n"
    "number, true or false becomes one, unless --types says otherwise.\n"
    "Exit code 0: all imported; 1: failed; 2: called wrongly; 3: some records were rejected, or\n"
    "differ with --verify; 130: interrupted.";

constexpr std::string_view kExportFooter =
    "All documents as of one moment, with their metadata; `rookery import` restores them with\n"
    "their ids and change vectors. Not exported: indexes, identities, settings. The file appears\n"
    "when it is whole. Exit code 0: done; 1: failed; 2: called wrongly; 130: interrupted.";

int exit_code_of(transfer::Outcome outcome) {
  switch (outcome) {
    case transfer::Outcome::kDone:
      return kExitOk;
    case transfer::Outcome::kPartly:
      return kExitPartly;
    case transfer::Outcome::kInterrupted:
      return kExitInterrupted;
    case transfer::Outcome::kFailed:
      break;
  }
  return kExitFailed;
}

void add_server(CLI::App& command, transfer::ServerAddress& server) {
  command.add_option("--url", server.url, "The server")->capture_default_str();
  command.add_option("--database", server.database, "The database")->required();
}

void add_import(CLI::App& app, transfer::ImportArguments& a, int& exit_code) {
  CLI::App* command = app.add_subcommand("import", "Store the records of a file as documents");
  command->add_option("file", a.file, "JSON, JSON lines or CSV; - is the standard input")
      ->required();
  add_server(*command, a.server);
  command->add_option("--format", a.format, "json, jsonl or csv; else told by name and content");
  command->add_option("--collection", a.collection, "Put all documents into this collection");
  command->add_option("--id-field", a.id_field, "The field that ids are made of");
  command->add_option("--id-prefix", a.id_prefix, "What ids begin with");
  command->add_option(
      "--types", a.types,
      "Of CSV columns: auto (the default), text, or name=text|number|bool|auto,...");
  command->add_option("--delimiter", a.delimiter, "Between CSV fields: one character, or tab");
  command->add_option("--state", a.state, "The file that says how far the import is");
  command->add_flag("--no-state", a.no_state, "Begin anew, and keep no such file");
  command->add_option("--rejects", a.rejects, "Write rejected records there, as JSON lines");
  command->add_option("--batch-bytes", a.batch_bytes, "How much is sent at once")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{256} << 20U));
  command->add_flag("--create", a.create, "Make the database, unless it exists");
  command->add_flag("--verify", a.verify, "Afterwards, read every document back and compare");
  command->footer(std::string(kImportFooter));
  command->callback([&a, &exit_code] { exit_code = exit_code_of(transfer::run_import(a)); });
}

void add_export(CLI::App& app, transfer::ExportArguments& a, int& exit_code) {
  CLI::App* command = app.add_subcommand("export", "Write all documents of a database to a file");
  command->add_option("file", a.file, "- is the standard output")->capture_default_str();
  add_server(*command, a.server);
  command->add_option("--format", a.format, "jsonl or json")->capture_default_str();
  command->add_flag("--overwrite", a.overwrite, "Replace the file, if it exists");
  command->footer(std::string(kExportFooter));
  command->callback([&a, &exit_code] { exit_code = exit_code_of(transfer::run_export(a)); });
}

void add_compare(CLI::App& app, transfer::CompareArguments& a, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("compare", "Tell whether a database has the documents of an export");
  command->add_option("file", a.file, "What rookery export wrote")->required();
  add_server(*command, a.server);
  command->add_flag("--content", a.content_only, "Change vectors and dates do not count");
  command->footer("Exit code 0: the same; 3: they differ; 1: failed.");
  command->callback([&a, &exit_code] { exit_code = exit_code_of(transfer::run_compare(a)); });
}

}  // namespace

void add_transfer_commands(CLI::App& app, TransferCommandLine& line, int& exit_code) {
  add_import(app, line.import, exit_code);
  add_export(app, line.export_, exit_code);
  add_compare(app, line.compare, exit_code);
}

}  // namespace rookery::cli
