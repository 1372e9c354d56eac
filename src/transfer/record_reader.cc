// SPDX-License-Identifier: Apache-2.0
#include "record_reader.h"

#include <utility>

#include <fmt/format.h>

#include "rookery/value/element_cutter.h"

#include "csv_records.h"

namespace rookery::transfer {

namespace {

class JsonArrayReader final : public RecordReader {
 public:
  JsonArrayReader(TextParts parts, std::size_t record_bytes_max)
      : parts_(std::move(parts)), cutter_(record_bytes_max) {}

  Result<std::optional<Record>> next() override {
    for (;;) {
      Result<std::optional<std::string_view>> element = cutter_.next();
      if (!element.has_value()) {
        return place(element.error());
      }
      if (element->has_value()) {
        Record record;
        record.text = **element;
        record.line = cutter_.element_line();
        return std::optional(std::move(record));
      }
      RK_TRY_ASSIGN(const std::string_view part, parts_.next());
      if (part.empty()) {
        const Result<void> finished = cutter_.finish();
        return finished.has_value() ? Result<std::optional<Record>>(std::optional<Record>())
                                    : place(finished.error());
      }
      cutter_.feed(part);
    }
  }

  [[nodiscard]] std::uint64_t bytes_taken() const override { return parts_.taken(); }

 private:
  [[nodiscard]] Error place(const Error& error) const {
    return error.with_context(fmt::format("behind record {}, which begins in line {}",
                                          cutter_.element_count(), cutter_.element_line()));
  }

  TextParts parts_;
  value::ElementCutter cutter_;
};

class JsonLinesReader final : public RecordReader {
 public:
  JsonLinesReader(TextParts parts, std::size_t record_bytes_max)
      : parts_(std::move(parts)), record_bytes_max_(record_bytes_max) {}

  Result<std::optional<Record>> next() override {
    if (held_is_given_) {
      held_.clear();
      held_is_given_ = false;
    }
    for (;;) {
      while (position_ < part_.size()) {
        const std::size_t end = part_.find('\n', position_);
        const std::string_view here = part_.substr(position_, end - position_);
        if (held_.size() + here.size() > record_bytes_max_) {
          return Error(ErrorCode::too_large,
                       fmt::format("line {} has more than {} bytes", line_ + 1, record_bytes_max_));
        }
        if (end == std::string_view::npos) {
          held_ += here;
          position_ = part_.size();
          break;
        }
        position_ = end + 1;
        if (std::optional<Record> record = end_line(here); record.has_value()) {
          return record;
        }
      }
      if (ended_) {
        return std::optional<Record>();
      }
      RK_TRY_ASSIGN(part_, parts_.next());
      position_ = 0;
      if (part_.empty()) {
        ended_ = true;
        return end_line("");
      }
    }
  }

  [[nodiscard]] std::uint64_t bytes_taken() const override { return parts_.taken(); }

 private:
  // nullopt: it is empty.
  std::optional<Record> end_line(std::string_view here) {
    ++line_;
    std::string_view text = here;
    if (!held_.empty()) {
      held_ += here;
      held_is_given_ = true;
      text = held_;
    }
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) {
      held_.clear();
      held_is_given_ = false;
      return std::nullopt;
    }
    if (text.ends_with('\r')) {
      text.remove_suffix(1);
    }
    Record record;
    record.text = text;
    record.line = line_;
    return record;
  }

  TextParts parts_;
  const std::size_t record_bytes_max_;
  std::string_view part_;
  std::size_t position_ = 0;
  std::string held_;
  bool held_is_given_ = false;
  bool ended_ = false;
  std::uint64_t line_ = 0;  // that ended last
};

class CsvReader final : public RecordReader {
 public:
  CsvReader(TextParts parts, const ReaderOptions& options, CsvTypes types)
      : parts_(std::move(parts)),
        parser_(options.delimiter, options.record_bytes_max),
        records_(std::move(types)) {}

  Result<std::optional<Record>> next() override {
    for (;;) {
      RK_TRY_ASSIGN(const std::optional<CsvParser::Row> row, parser_.next_row());
      if (row.has_value() && !records_.has_header()) {
        RK_TRY(records_.set_header(*row));
        continue;
      }
      if (row.has_value()) {
        Record record;
        record.text = row->text;
        record.line = row->line;
        record.fault = records_.make(*row);
        record.json = records_.json();
        return std::optional(std::move(record));
      }
      if (ended_) {
        // Also what is left of a file that was cut down to nothing.
        return records_.has_header()
                   ? Result<std::optional<Record>>(std::optional<Record>())
                   : Error(ErrorCode::malformed, "there is no first row, which names the columns");
      }
      RK_TRY_ASSIGN(const std::string_view part, parts_.next());
      if (part.empty()) {
        ended_ = true;
        parser_.finish();
      } else {
        parser_.feed(part);
      }
    }
  }

  [[nodiscard]] std::uint64_t bytes_taken() const override { return parts_.taken(); }

 private:
  TextParts parts_;
  CsvParser parser_;
  CsvRecords records_;
  bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<RecordReader>> make_reader(TextParts parts, const ReaderOptions& options) {
  if (options.format == "json") {
    return std::unique_ptr<RecordReader>(
        std::make_unique<JsonArrayReader>(std::move(parts), options.record_bytes_max));
  }
  if (options.format == "jsonl") {
    return std::unique_ptr<RecordReader>(
        std::make_unique<JsonLinesReader>(std::move(parts), options.record_bytes_max));
  }
  if (options.format == "csv") {
    RK_TRY_ASSIGN(CsvTypes types, CsvTypes::parse(options.types));
    return std::unique_ptr<RecordReader>(
        std::make_unique<CsvReader>(std::move(parts), options, std::move(types)));
  }
  return Error(ErrorCode::invalid_argument,
               fmt::format("'{}' is none of the formats json, jsonl, csv", options.format));
}

Result<std::string> detect_format(const std::string& path, std::string_view begin) {
  for (const std::string_view ending : {".csv", ".tsv"}) {
    if (path.ends_with(ending)) {
      return std::string("csv");
    }
  }
  for (const std::string_view ending : {".jsonl", ".ndjson"}) {
    if (path.ends_with(ending)) {
      return std::string("jsonl");
    }
  }
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  const char c = first == std::string_view::npos ? '\0' : begin[first];
  if (c == '[') {
    return std::string("json");
  }
  if (c == '{') {
    return std::string("jsonl");
  }
  if (begin.empty()) {
    return Error(ErrorCode::invalid_argument, fmt::format("'{}' is empty", path));
  }
  return Error(ErrorCode::invalid_argument,
               fmt::format("what is in '{}' cannot be told by its name or beginning: say --format "
                           "json, jsonl or csv",
                           path));
}

Result<OpenRecords> open_records(const std::string& path, const Interrupt& interrupt,
                                 ReaderOptions options) {
  RK_TRY_ASSIGN(std::unique_ptr<ByteSource> source, open_source(path, interrupt));
  TextParts parts(std::move(source));
  if (options.format.empty()) {
    RK_TRY_ASSIGN(const std::string_view begin, parts.peek());
    RK_TRY_ASSIGN(options.format, detect_format(path, begin));
  }
  OpenRecords records;
  RK_TRY_ASSIGN(records.reader, make_reader(std::move(parts), options));
  records.format = std::move(options.format);
  return records;
}

}  // namespace rookery::transfer
