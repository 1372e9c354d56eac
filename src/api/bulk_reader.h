// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/db/command.h"
#include "rookery/value/element_cutter.h"
#include "rookery/value/json.h"

// Purpose. The body of a bulk insert, part by part, as commands for the database's writer: one JSON
// array of {"Type":"PUT","Id":...,"Document":{...}} and {"Type":"HeartBeat"}.

namespace rookery::api {

struct BulkReaderOptions {
  std::size_t document_bytes_max = 0;
  char separator = '/';  // of the parts of an id
  bool skip_if_unchanged = false;
  bool keep_versions = false;  // see doc::version_of
};

// Threads: one owner.
class BulkReader {
 public:
  explicit BulkReader(const BulkReaderOptions& options);

  // As ElementCutter::feed().
  void feed(std::string_view part) { cutter_.feed(part); }

  // The next document; nullopt: the part is used up.
  // Errors stick, and what follows is not looked at: malformed, too_large, invalid_argument;
  // not_supported for other types of elements (of attachments the bytes that follow are no JSON).
  // The message says which element it is and at which byte it begins.
  [[nodiscard]] Result<std::optional<db::PutCommand>> next();
  // Errors: malformed, if the array is not closed; or what next() failed with.
  [[nodiscard]] Result<void> finish() const;

  // What is kept between parts.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return cutter_.held_bytes(); }

 private:
  [[nodiscard]] Result<std::optional<db::PutCommand>> read(std::string_view element);
  [[nodiscard]] Result<db::PutCommand> read_put(value::View element) const;

  const BulkReaderOptions options_;
  value::ElementCutter cutter_;
  value::JsonParser parser_;
  std::optional<Error> error_;
};

}  // namespace rookery::api
