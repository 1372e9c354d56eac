// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/value/document.h"

// Purpose. JSON text in and out of binary documents.
// Source: RFC 8259; text is read by simdjson.

namespace rookery::value {

struct ParseOptions {
  std::size_t size_bytes_max = kDocumentSizeDefaultBytes;  // of the text
  // At most kDepthMax counts. A request that wraps a document adds its own levels: allow for them
  // here, and build the document inside with BuildLimits of its own.
  std::size_t depth_max = kDepthDefault;
};

// Purpose. Parses one text after another, keeping its working memory between them.
// Threads: one owner.
class JsonParser {
 public:
  JsonParser();
  JsonParser(const JsonParser&) = delete;
  JsonParser& operator=(const JsonParser&) = delete;
  JsonParser(JsonParser&&) noexcept;
  JsonParser& operator=(JsonParser&&) noexcept;
  ~JsonParser();

  // The whole of `text` must be one JSON value; whitespace around it is allowed. A byte order mark
  // is not. Nothing of `text` is kept.
  // Errors: malformed (syntax, UTF-8, a lone surrogate, a key twice in one object, text after the
  //   value), too_large (size, depth), out_of_memory; each message names line, column and byte
  //   offset where there is one place to name. Lines and columns count from 1, columns in bytes.
  Result<Document> parse(std::string_view text, const ParseOptions& options = {});

 private:
  class State;
  std::unique_ptr<State> state_;
};

// One text with a parser of its own.
Result<Document> parse_json(std::string_view text, const ParseOptions& options = {});

struct WriteOptions {
  // \uXXXX for all that is not ASCII; otherwise UTF-8 as it is.
  bool escape_non_ascii = false;
};

// Purpose. Appends JSON text to a string, minding commas and escapes; no whitespace.
//   JsonWriter w(out); w.begin_object(); w.string("Name", "x"); w.key("Ids"); w.begin_array(); ...
// Owns: nothing; borrows the string. What is in it already stays.
// Errors: none; memory for the text is the caller's to bound.
// Requires: calls nest properly and strings are UTF-8; a byte that isn't is written as U+FFFD.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out, WriteOptions options = {});

  void begin_object();
  void end_object();
  void begin_array();
  void end_array();
  void key(std::string_view key);

  void null();
  void boolean(bool value);
  void int64(std::int64_t value);
  void uint64(std::uint64_t value);
  // Shortest text that reads back as the same double; NaN and infinities become null.
  void number(double value);
  void string(std::string_view utf8);
  void value(View value);
  // Text that is JSON already.
  void raw(std::string_view json);

  // key() and a value at once.
  void null(std::string_view name);
  void boolean(std::string_view name, bool value);
  void int64(std::string_view name, std::int64_t value);
  void uint64(std::string_view name, std::uint64_t value);
  void number(std::string_view name, double value);
  void string(std::string_view name, std::string_view utf8);
  void value(std::string_view name, View value);
  void raw(std::string_view name, std::string_view json);

  // The members of `object` inside the object that is open, but for those whose key is in
  // `without`. Requires: `object` is an object.
  void members(View object, std::initializer_list<std::string_view> without = {});

 private:
  void separate();

  std::string& out_;
  WriteOptions options_;
  bool comma_ = false;       // the next value or key follows another in its container
  std::uint32_t depth_ = 0;  // containers open
};

// The text of one value.
[[nodiscard]] std::string to_json(View value, WriteOptions options = {});

}  // namespace rookery::value
