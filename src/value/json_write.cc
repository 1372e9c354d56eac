// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "rookery/base/check.h"
#include "rookery/value/json.h"
#include "rookery/value/text.h"

#include "number.h"
#include "reader.h"

namespace rookery::value {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// For each byte: 0 as it is, 'u' by number, or the letter of its short escape; for what isn't
// ASCII, kHigh.
constexpr char kHigh = '\x01';
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes{};
  for (std::size_t c = 0; c < 0x20; ++c) {
    escapes[c] = 'u';
  }
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  for (std::size_t c = 0x80; c < escapes.size(); ++c) {
    escapes[c] = kHigh;
  }
  return escapes;
}();

void append_unit(std::string& out, std::uint32_t unit) {
  out += "\\u";
  for (unsigned shift = 16; shift > 0; shift -= 4) {
    out += kHexDigits[(unit >> (shift - 4)) & 0xFU];
  }
}

void append_escape(std::string& out, char c) {
  const char escape = kEscapes[static_cast<unsigned char>(c)];
  if (escape == 'u') {
    append_unit(out, static_cast<unsigned char>(c));
  } else {
    out += '\\';
    out += escape;
  }
}

void append_code_point(std::string& out, std::uint32_t code) {
  if (code < 0x10000) {
    append_unit(out, code);
  } else {
    append_unit(out, 0xD800U + ((code - 0x10000U) >> 10U));
    append_unit(out, 0xDC00U + ((code - 0x10000U) & 0x3FFU));
  }
}

// How the bytes that aren't ASCII go out.
enum class High : std::uint8_t { kCopy, kEscape };

void append_string(std::string& out, std::string_view text, High high);

// `text` is not UTF-8: what is goes out as ever, each stray byte as U+FFFD.
void append_repaired(std::string& out, std::string_view text, High high) {
  std::string repaired;
  while (const std::optional<std::size_t> bad = utf8_error_offset(text)) {
    repaired += text.substr(0, *bad);
    repaired += kReplacement;
    text.remove_prefix(*bad + 1);
  }
  repaired += text;
  append_string(out, repaired, high);
}

// Quoted. Requires: UTF-8.
void append_string(std::string& out, std::string_view text, High high) {
  out += '"';
  std::size_t copied = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const char escape = kEscapes[static_cast<unsigned char>(text[at])];
    if (escape == '\0' || (escape == kHigh && high == High::kCopy)) {
      ++at;
      continue;
    }
    out.append(text, copied, at - copied);
    if (escape == kHigh) {
      const DecodedCodePoint decoded = decode_code_point(text.substr(at));
      append_code_point(out, decoded.code_point);
      at += decoded.size;
    } else {
      append_escape(out, text[at]);
      ++at;
    }
    copied = at;
  }
  out.append(text, copied);
  out += '"';
}

void append_value(std::string& out, View view, High high);

void append_array(std::string& out, View view, High high) {
  const Container c = Reader::container(view);
  out += '[';
  for (std::uint32_t i = 0; i < c.count; ++i) {
    if (i != 0) {
      out += ',';
    }
    append_value(out, Reader::view(c.base, c.child_offset(i)), high);
  }
  out += ']';
}

void append_object(std::string& out, View view, High high) {
  const Container c = Reader::container(view);
  const Keys keys = Reader::keys(view);
  out += '{';
  for (std::uint32_t i = 0; i < c.count; ++i) {
    if (i != 0) {
      out += ',';
    }
    append_string(out, keys.at(c.key_id(i)), high);
    out += ':';
    append_value(out, Reader::view(c.base, c.child_offset(i)), high);
  }
  out += '}';
}

// Recursion is bounded by kDepthMax.
void append_value(std::string& out, View view, High high) {
  switch (view.type()) {
    case Type::kNull:
      out += "null";
      return;
    case Type::kBool:
      out += *view.as_bool() ? "true" : "false";
      return;
    case Type::kInt: {
      NumberText text;
      out += write_int64(text, *view.as_int64());
      return;
    }
    case Type::kNumber:
      out += Reader::text(view);
      return;
    case Type::kString:
      append_string(out, Reader::text(view), high);
      return;
    case Type::kArray:
      append_array(out, view, high);
      return;
    case Type::kObject:
      append_object(out, view, high);
      return;
  }
}

[[nodiscard]] High high_of(WriteOptions options) noexcept {
  return options.escape_non_ascii ? High::kEscape : High::kCopy;
}

}  // namespace

JsonWriter::JsonWriter(std::string& out, WriteOptions options) : out_(out), options_(options) {}

void JsonWriter::separate() {
  if (comma_) {
    out_ += ',';
  }
  comma_ = true;
}

void JsonWriter::begin_object() {
  separate();
  out_ += '{';
  comma_ = false;
  ++depth_;
}

void JsonWriter::end_object() {
  RK_CHECK(depth_ > 0);
  out_ += '}';
  comma_ = true;
  --depth_;
}

void JsonWriter::begin_array() {
  separate();
  out_ += '[';
  comma_ = false;
  ++depth_;
}

void JsonWriter::end_array() {
  RK_CHECK(depth_ > 0);
  out_ += ']';
  comma_ = true;
  --depth_;
}

void JsonWriter::key(std::string_view key) {
  string(key);
  out_ += ':';
  comma_ = false;
}

void JsonWriter::null() {
  raw("null");
}

void JsonWriter::boolean(bool value) {
  raw(value ? "true" : "false");
}

void JsonWriter::int64(std::int64_t value) {
  NumberText text;
  raw(write_int64(text, value));
}

void JsonWriter::uint64(std::uint64_t value) {
  NumberText text;
  raw(write_uint64(text, value));
}

void JsonWriter::number(double value) {
  NumberText text;
  raw(write_double(text, value));
}

void JsonWriter::string(std::string_view utf8) {
  separate();
  if (is_utf8(utf8)) {
    append_string(out_, utf8, high_of(options_));
  } else {
    append_repaired(out_, utf8, high_of(options_));
  }
}

void JsonWriter::value(View value) {
  separate();
  append_value(out_, value, high_of(options_));
}

void JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
}

void JsonWriter::null(std::string_view name) {
  key(name);
  null();
}

void JsonWriter::boolean(std::string_view name, bool value) {
  key(name);
  boolean(value);
}

void JsonWriter::int64(std::string_view name, std::int64_t value) {
  key(name);
  int64(value);
}

void JsonWriter::uint64(std::string_view name, std::uint64_t value) {
  key(name);
  uint64(value);
}

void JsonWriter::number(std::string_view name, double value) {
  key(name);
  number(value);
}

void JsonWriter::string(std::string_view name, std::string_view utf8) {
  key(name);
  string(utf8);
}

void JsonWriter::value(std::string_view name, View member) {
  key(name);
  value(member);
}

void JsonWriter::raw(std::string_view name, std::string_view json) {
  key(name);
  raw(json);
}

void JsonWriter::members(View object, std::initializer_list<std::string_view> without) {
  RK_CHECK(object.is_object());
  const Container c = Reader::container(object);
  const Keys keys = Reader::keys(object);
  for (std::uint32_t i = 0; i < c.count; ++i) {
    const std::string_view name = keys.at(c.key_id(i));
    if (std::ranges::find(without, name) == without.end()) {
      key(name);
      value(Reader::view(c.base, c.child_offset(i)));
    }
  }
}

std::string to_json(View value, WriteOptions options) {
  std::string out;
  append_value(out, value, high_of(options));
  return out;
}

}  // namespace rookery::value
