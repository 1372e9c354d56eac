// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rookery/value/json.h"

#include "outcome.h"

namespace rookery::transfer {

namespace {

constexpr std::uint64_t kRejectsShownMax = 10;
constexpr std::size_t kBatchDocumentsMax = 50'000;

Result<char> delimiter_of(const ImportArguments& arguments) {
  if (arguments.delimiter.empty()) {
    return arguments.file.ends_with(".tsv") ? '\t' : ',';
  }
  if (arguments.delimiter == "tab") {
    return '\t';
  }
  const char c = arguments.delimiter.front();
  if (arguments.delimiter.size() > 1 || c == '"' || c == '\n' || c == '\r') {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("'{}' cannot delimit fields: it must be one character, or tab",
                             arguments.delimiter));
  }
  return c;
}

// A reason quotes the record, which may be long, or hold what a terminal obeys.
std::string fit_for_terminal(std::string_view why) {
  constexpr std::size_t kShownMax = 300;
  std::size_t size = std::min(why.size(), kShownMax);
  while (size < why.size() && size > 0 && (static_cast<unsigned char>(why[size]) & 0xC0) == 0x80) {
    --size;  // not inside a character
  }
  std::string line(why.substr(0, size));
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return size < why.size() ? line + "..." : line;
}

// What a record is known again by. A row of CSV is nothing without the names of its columns.
std::uint64_t add_record(std::uint64_t hash, const Record& record) {
  const std::uint64_t with_text = add_to_hash(hash, record.text);
  return record.json.empty() ? with_text : add_to_hash(with_text, record.json);
}

}  // namespace

Importer::Importer(const ImportArguments& arguments, Interrupt& interrupt)
    : arguments_(arguments),
      interrupt_(interrupt),
      server_(arguments.server, interrupt),
      maker_({.collection = arguments.collection,
              .id_field = arguments.id_field,
              .id_prefix = arguments.id_prefix}),
      sender_([this](std::string body) { return server_.insert(std::move(body)); }) {}

Result<void> Importer::run() {
  if (arguments_.verify && arguments_.file == "-") {
    return Error(ErrorCode::invalid_argument,
                 "what came on standard input cannot be read again to verify it");
  }
  RK_TRY(open_input());
  interrupt_.arm();
  if (arguments_.create) {
    RK_TRY(server_.create_database());
  }
  RK_TRY(load_state_file());
  RK_TRY(skip_known());
  progress_ = std::make_unique<Progress>(ProgressState{
      .documents = state_.document_count, .done = reader_->bytes_taken(), .all = size_});
  const Result<void> imported = import_records();
  progress_->clear();
  if (!imported.has_value()) {
    return ended_by(imported.error());
  }
  if (!state_path().empty()) {
    RK_TRY(remove_file(state_path()));
  }
  print_summary();
  return arguments_.verify ? verify() : Result<void>();
}

Result<void> Importer::open_input() {
  ReaderOptions options;
  options.format = arguments_.format;
  RK_TRY_ASSIGN(options.delimiter, delimiter_of(arguments_));
  options.types = arguments_.types;
  RK_TRY_ASSIGN(OpenRecords input, open_records(arguments_.file, interrupt_, options));
  reader_ = std::move(input.reader);
  format_ = std::move(input.format);
  size_ = source_size(arguments_.file);
  return {};
}

Result<void> Importer::load_state_file() {
  RK_TRY_ASSIGN(const DatabaseFacts database, server_.facts());
  state_.target = target(database);
  const std::string path = state_path();
  if (!path.empty()) {
    Result<std::unique_ptr<FileLock>> lock = FileLock::take(path + ".lock");
    if (!lock.has_value() && lock.error().code() != ErrorCode::busy) {
      return lock.error().with_context(
          "how far the import is cannot be noted (--state FILE for another place, --no-state)");
    }
    RK_TRY_ASSIGN(lock_, std::move(lock));
    RK_TRY_ASSIGN(const std::optional<ImportState> known, load_state(path));
    if (known.has_value() && known->target != state_.target) {
      return Error(ErrorCode::invalid_argument,
                   fmt::format("'{}' belongs to another import: it has {}, and now it is {}. "
                               "Remove it to begin anew",
                               path, known->target, state_.target));
    }
    state_ = known.value_or(state_);
  }
  if (!arguments_.rejects.empty()) {
    if (std::error_code none;
        std::filesystem::equivalent(arguments_.rejects, arguments_.file, none)) {
      return Error(ErrorCode::invalid_argument, "the rejects would overwrite the input");
    }
    RK_TRY_ASSIGN(rejects_, AppendedFile::open(arguments_.rejects, state_.rejects_bytes));
  }
  return {};
}

// Reads again what an earlier run has dealt with, and makes sure that it is the same.
Result<void> Importer::skip_known() {
  for (; records_read_ < state_.record_count; ++records_read_) {
    const Result<std::optional<Record>> record = reader_->next();
    if (!record.has_value()) {
      return ended_by(record.error());
    }
    if (!record->has_value()) {
      return Error(ErrorCode::invalid_argument,
                   fmt::format("the input has fewer records than the {} that were imported of it; "
                               "remove '{}' to begin anew",
                               state_.record_count, state_path()));
    }
    hash_ = add_record(hash_, **record);
  }
  if (hash_ != state_.hash) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the input has changed since its first {} records were imported; "
                             "remove '{}' to begin anew",
                             state_.record_count, state_path()));
  }
  documents_made_ = state_.document_count;
  resumed_at_ = state_.record_count;
  if (resumed_at_ > 0) {
    fmt::print(stderr, "{} records were imported before; going on behind them.\n",
               with_commas(resumed_at_));
  }
  return {};
}

Result<void> Importer::import_records() {
  for (;;) {
    const Result<std::optional<Record>> record = reader_->next();
    if (!record.has_value() && record.error().code() == ErrorCode::cancelled) {
      return record.error();
    }
    if (record.has_value() && record->has_value()) {
      RK_TRY(take(**record));
      continue;
    }
    // What came before a fault is in order, and is kept.
    RK_TRY(send_batch());
    RK_TRY(confirm_batch());
    return record.has_value() ? Result<void>() : record.error();
  }
}

Result<void> Importer::take(const Record& record) {
  ++records_read_;
  hash_ = add_record(hash_, record);
  const Result<MadeDocument> made = record.fault.empty()
                                        ? maker_.make(record.object(), records_read_)
                                        : Error(ErrorCode::malformed, record.fault);
  if (made.has_value()) {
    batch_.add(*made, record.line);
    ++documents_made_;
  } else {
    batch_.reject({.line = record.line,
                   .why = std::string(made.error().message()),
                   .record = std::string(record.text)});
  }
  if (batch_.size_bytes() >= arguments_.batch_bytes ||
      batch_.document_count() >= kBatchDocumentsMax) {
    RK_TRY(send_batch());
    show_progress();
  }
  return {};
}

// Waits for the batch before.
Result<void> Importer::send_batch() {
  RK_TRY(confirm_batch());
  batch_.record_count = records_read_;
  batch_.hash = hash_;
  sender_.begin(std::exchange(batch_, {}));
  return {};
}

Result<void> Importer::confirm_batch() {
  RK_TRY_ASSIGN(std::optional<ImportBatch> batch, sender_.wait());
  if (!batch.has_value()) {
    return {};
  }
  state_.record_count = batch->record_count;
  state_.hash = batch->hash;
  state_.document_count += batch->accepted_count();
  RK_TRY(note_rejects(batch->take_rejects()));
  const std::string path = state_path();
  // An input that is wrong from its beginning leaves none.
  return path.empty() || state_.record_count == 0 ? Result<void>() : save_state(path, state_);
}

Result<void> Importer::note_rejects(const std::vector<Reject>& rejects) {
  std::string lines;
  for (const Reject& reject : rejects) {
    if (state_.reject_count++ < kRejectsShownMax) {
      progress_->clear();
      fmt::print(stderr, "line {}: {}\n", reject.line, fit_for_terminal(reject.why));
    }
    if (rejects_ == nullptr) {
      continue;
    }
    value::JsonWriter w(lines);
    w.begin_object();
    w.uint64("Line", reject.line);
    w.string("Error", reject.why);
    w.string("Record", reject.record);
    w.end_object();
    lines += '\n';
  }
  if (!lines.empty()) {
    RK_TRY(rejects_->append(lines));
    // Before the state that counts them.
    RK_TRY(rejects_->sync());
    state_.rejects_bytes = rejects_->size();
  }
  return {};
}

Result<void> Importer::verify() {
  RK_TRY(open_input());
  RK_TRY_ASSIGN(verified_, verify_documents(*reader_, maker_, server_));
  fmt::print(stderr, "{} documents verified, {} differ.\n", with_commas(verified_.equal_count),
             with_commas(verified_.difference_count));
  return {};
}

std::string Importer::state_path() const {
  if (arguments_.no_state) {
    return "";
  }
  if (!arguments_.state.empty()) {
    return arguments_.state;
  }
  return arguments_.file == "-" ? "" : arguments_.file + ".import-state";
}

// Everything that decides which document a record becomes, and where. A database of the same name
// that was made anew has none of them.
std::string Importer::target(const DatabaseFacts& database) const {
  return fmt::format(
      "database={} ({}) format={} collection={} id-field={} id-prefix={} types={} delimiter={}",
      arguments_.server.database, database.id, format_, arguments_.collection, arguments_.id_field,
      arguments_.id_prefix, arguments_.types, arguments_.delimiter);
}

Error Importer::ended_by(const Error& error) const {
  if (state_.record_count == 0) {
    return error;
  }
  const std::string_view advice =
      state_path().empty() ? "" : "; the same command goes on from there";
  return {error.code(), fmt::format("{} (stored: {} records{})", error.message(),
                                    with_commas(state_.record_count), advice)};
}

void Importer::show_progress() {
  progress_->show({.documents = documents_made_,
                   .done = reader_->bytes_taken(),
                   .all = size_,
                   .rejects = state_.reject_count});
}

void Importer::print_summary() const {
  const double seconds = std::chrono::duration<double>(progress_->elapsed()).count();
  const std::uint64_t now = state_.record_count - resumed_at_;
  const double rate = seconds > 0 ? static_cast<double>(now) / seconds : 0;
  const std::string_view advice = state_.reject_count > kRejectsShownMax && rejects_ == nullptr
                                      ? " (--rejects FILE lists them all)"
                                      : "";
  fmt::print(stderr,
             "{} documents imported, {} records rejected{}; {} records in {:.1f} s, {}/s.\n",
             with_commas(state_.document_count), with_commas(state_.reject_count), advice,
             with_commas(now), seconds, with_commas(static_cast<std::uint64_t>(rate)));
}

Outcome run_import(const ImportArguments& arguments) {
  Interrupt interrupt;
  Importer importer(arguments, interrupt);
  if (const Result<void> done = importer.run(); !done.has_value()) {
    fmt::print(stderr, "rookery import: {}\n", done.error().message());
    return outcome_of(done.error());
  }
  return importer.is_whole() ? Outcome::kDone : Outcome::kPartly;
}

}  // namespace rookery::transfer
