// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "digest.h"
#include "file_writer.h"
#include "interrupt.h"
#include "outcome.h"
#include "progress.h"
#include "record_reader.h"
#include "server.h"

namespace rookery::transfer {

namespace {

constexpr std::string_view kStandardOutput = "the standard output";

// Purpose. Where an export goes: a file that appears when it is whole, or standard output.
class Output {
 public:
  [[nodiscard]] static Result<Output> open(const ExportArguments& arguments) {
    Output output;
    if (arguments.file != "-") {
      RK_TRY_ASSIGN(output.file_,
                    ReplacingFile::create(arguments.file, arguments.overwrite ? Existing::kReplace
                                                                              : Existing::kKeep));
    }
    return output;
  }

  [[nodiscard]] Result<void> write(std::string_view bytes) {
    return file_ != nullptr ? file_->write(bytes)
                            : write_all(STDOUT_FILENO, std::string(kStandardOutput), bytes);
  }

  [[nodiscard]] Result<void> commit() {
    return file_ != nullptr ? file_->commit() : Result<void>();
  }

 private:
  std::unique_ptr<ReplacingFile> file_;
};

// Purpose. Lines of documents into an output, as they are or as one array.
class DocumentWriter {
 public:
  DocumentWriter(Output& output, bool as_array)
      : output_(output), as_array_(as_array), text_(as_array ? "[\n" : "") {}

  // The next part of a stream of lines.
  [[nodiscard]] Result<void> write(std::string_view part) {
    RK_TRY(lines_.feed(part, [this](std::string_view line) { return take(line); }));
    RK_TRY(output_.write(text_));
    text_.clear();
    return {};
  }

  [[nodiscard]] Result<void> finish() {
    if (!lines_.at_line_start()) {
      return Error(ErrorCode::malformed, "the server's answer ends in the middle of a document");
    }
    return output_.write(as_array_ ? text_ + "\n]\n" : text_);
  }

  [[nodiscard]] const Digest& digest() const noexcept { return digester_.digest(); }

 private:
  [[nodiscard]] Result<void> take(std::string_view line) {
    if (as_array_ && digest().count > 0) {
      text_ += ",\n";
    }
    text_ += line;
    text_ += as_array_ ? "" : "\n";
    return digester_.add(line);
  }

  Output& output_;
  const bool as_array_;
  std::string text_;
  LineSplitter lines_;
  Digester digester_;
};

Result<void> export_documents(const ExportArguments& arguments, Interrupt& interrupt) {
  if (arguments.format != "jsonl" && arguments.format != "json") {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("'{}' is none of the formats jsonl, json", arguments.format));
  }
  const Server server(arguments.server, interrupt);
  RK_TRY_ASSIGN(const DatabaseFacts database, server.facts());
  RK_TRY_ASSIGN(Output output, Output::open(arguments));
  // On the standard output there is nothing to tidy up, and who reads it may block it.
  if (arguments.file != "-") {
    interrupt.arm();
  }
  Progress progress({});
  DocumentWriter documents(output, arguments.format == "json");
  const auto take = [&](std::string_view part) {
    Result<void> written = documents.write(part);
    const std::uint64_t count = documents.digest().count;
    progress.show({.documents = count, .done = count, .all = database.document_count});
    return written;
  };
  RK_TRY(server.stream(take));
  RK_TRY(documents.finish());
  RK_TRY(output.commit());
  progress.clear();
  fmt::print(stderr, "Exported {}.\n", to_text(documents.digest()));
  return {};
}

Result<Digest> digest_of_file(const std::string& path, const Interrupt& interrupt) {
  RK_TRY_ASSIGN(const OpenRecords input, open_records(path, interrupt, {}));
  Digester digester;
  for (;;) {
    RK_TRY_ASSIGN(const std::optional<Record> record, input.reader->next());
    if (!record.has_value()) {
      return digester.digest();
    }
    if (const Result<void> added = digester.add(record->text); !added.has_value()) {
      return added.error().with_context(fmt::format("'{}', line {}", path, record->line));
    }
  }
}

Result<Digest> digest_of_server(const ServerAddress& address, const Interrupt& interrupt) {
  Digester digester;
  LineSplitter lines;
  RK_TRY(Server(address, interrupt).stream([&](std::string_view part) {
    return lines.feed(part, [&](std::string_view line) { return digester.add(line); });
  }));
  return digester.digest();
}

Result<bool> compare(const CompareArguments& arguments) {
  const Interrupt never;  // there is nothing to tidy up
  RK_TRY_ASSIGN(const Digest file, digest_of_file(arguments.file, never));
  RK_TRY_ASSIGN(const Digest database, digest_of_server(arguments.server, never));
  const bool same = arguments.content_only
                        ? file.count == database.count && file.content == database.content
                        : file == database;
  const std::string text = fmt::format("file:     {}\ndatabase: {}\n{}\n", to_text(file),
                                       to_text(database), same ? "the same" : "they differ");
  RK_TRY(write_all(STDOUT_FILENO, std::string(kStandardOutput), text));
  return same;
}

}  // namespace

Outcome run_export(const ExportArguments& arguments) {
  Interrupt interrupt;
  if (const Result<void> done = export_documents(arguments, interrupt); !done.has_value()) {
    const bool exists = done.error().code() == ErrorCode::already_exists;
    fmt::print(stderr, "rookery export: {}{}\n", done.error().message(),
               exists ? " (--overwrite replaces it)" : "");
    return outcome_of(done.error());
  }
  return Outcome::kDone;
}

Outcome run_compare(const CompareArguments& arguments) {
  const Result<bool> same = compare(arguments);
  if (!same.has_value()) {
    fmt::print(stderr, "rookery compare: {}\n", same.error().message());
    return outcome_of(same.error());
  }
  return *same ? Outcome::kDone : Outcome::kPartly;
}

}  // namespace rookery::transfer
