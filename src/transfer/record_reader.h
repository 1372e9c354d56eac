// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/result.h"

#include "byte_source.h"
#include "interrupt.h"

// Purpose. Records of an input file, one by one, whatever its format.

namespace rookery::transfer {

struct Record {
  // As it stands in the file. Lives until the next call.
  std::string_view text;
  std::uint64_t line = 0;  // where it begins, from 1
  // A JSON object made of it; empty: `text` is to be one.
  std::string_view json;
  // Why the record is none; empty: it is one.
  std::string fault;

  // What is to be a document.
  [[nodiscard]] std::string_view object() const noexcept { return json.empty() ? text : json; }
};

struct ReaderOptions {
  std::string format{};  // json, jsonl, csv; empty: told by name and content
  // More than a server's largest document may have as text; the input ends at a larger one.
  std::size_t record_bytes_max = std::size_t{160} << 20U;
  char delimiter = ',';
  std::string types{};  // see ImportArguments
};

class RecordReader {
 public:
  RecordReader() = default;
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;
  virtual ~RecordReader() = default;

  // nullopt: that was all. Errors: the input cannot be read any further: io, malformed, too_large,
  // cancelled.
  // A record that is not in order is no error.
  [[nodiscard]] virtual Result<std::optional<Record>> next() = 0;
  // Bytes of the input that have been taken from its source.
  [[nodiscard]] virtual std::uint64_t bytes_taken() const = 0;
};

// Errors: invalid_argument (format, types).
[[nodiscard]] Result<std::unique_ptr<RecordReader>> make_reader(TextParts parts,
                                                                const ReaderOptions& options);

struct OpenRecords {
  std::unique_ptr<RecordReader> reader;
  std::string format;
};

// A file from its beginning; "-" is the standard input. Borrows `interrupt`. Errors: of
// open_source(), make_reader() and detect_format().
[[nodiscard]] Result<OpenRecords> open_records(const std::string& path, const Interrupt& interrupt,
                                               ReaderOptions options);
// json, jsonl or csv, by the file's name or else by its first bytes.
// Errors: invalid_argument, if neither tells.
[[nodiscard]] Result<std::string> detect_format(const std::string& path, std::string_view begin);

}  // namespace rookery::transfer
