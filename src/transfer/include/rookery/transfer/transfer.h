// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "rookery/base/result.h"

// Purpose. Documents of a database into a file and back, over HTTP: rookery import, export and
// compare. All of it streams: memory does not depend on how many records there are.
// Threads: one call at a time, by the main thread: they use the standard streams and, while they
// run, the signal mask, so that SIGINT and SIGTERM end them in good order (kInterrupted).
// Source: docs/import-export.md.

namespace rookery::transfer {

// What one of them came to; the command line makes its exit code of it.
enum class Outcome : std::uint8_t { kDone, kFailed, kPartly, kInterrupted };

struct ServerAddress {
  std::string url = "http://127.0.0.1:8080";
  std::string database{};
};

struct ImportArguments {
  ServerAddress server;
  std::string file{};        // "-": the standard input
  std::string format{};      // json, jsonl, csv; empty: by name and content
  std::string collection{};  // empty: what the record says
  std::string id_field{};
  std::string id_prefix{};
  std::string types{};      // of CSV: empty or "auto", "text", or name=text|number|bool,...
  std::string delimiter{};  // of CSV: one character, or tab; empty: by the file's name
  std::string state{};      // file; empty: beside the input
  bool no_state = false;
  std::string rejects{};  // file; empty: told on standard error only
  bool create = false;    // the database, unless it exists
  bool verify = false;    // afterwards, read every document back
  std::uint64_t batch_bytes = 4 * 1024 * 1024;
};

// Prints progress, summary and errors on standard error. kPartly: some records were rejected, or,
// with `verify`, are not in the database as they were sent.
[[nodiscard]] Outcome run_import(const ImportArguments& arguments);

struct ExportArguments {
  ServerAddress server;
  std::string file = "-";        // "-": the standard output
  std::string format = "jsonl";  // or json
  bool overwrite = false;        // a file that exists
};

// The file appears when it is whole and durable.
[[nodiscard]] Outcome run_export(const ExportArguments& arguments);

struct CompareArguments {
  ServerAddress server;
  std::string file{};
  bool content_only = false;  // change vectors and dates do not count
};

// kPartly: they differ.
[[nodiscard]] Outcome run_compare(const CompareArguments& arguments);

}  // namespace rookery::transfer
