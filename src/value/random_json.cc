// SPDX-License-Identifier: Apache-2.0
#include "random_json.h"

#include <array>
#include <cstdint>
#include <cstdio>

namespace rookery::value {

namespace {

constexpr std::size_t kDepthMaxRandom = 40;

// The escape that JsonWriter uses, or nothing.
[[nodiscard]] std::string_view short_escape(char32_t code) {
  switch (code) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return {};
  }
}

[[nodiscard]] std::string utf8(char32_t code) {
  std::string s;
  const auto add = [&s](char32_t byte) {
    s += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | (code >> 6U));
    add(0x80 | (code & 0x3FU));
  } else if (code < 0x10000) {
    add(0xE0 | (code >> 12U));
    add(0x80 | ((code >> 6U) & 0x3FU));
    add(0x80 | (code & 0x3FU));
  } else {
    add(0xF0 | (code >> 18U));
    add(0x80 | ((code >> 12U) & 0x3FU));
    add(0x80 | ((code >> 6U) & 0x3FU));
    add(0x80 | (code & 0x3FU));
  }
  return s;
}

[[nodiscard]] std::string unit_escape(std::uint32_t unit, bool upper) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), upper ? "\\u%04X" : "\\u%04x", unit);
  return text.data();
}

[[nodiscard]] std::string any_escape(char32_t code, bool upper) {
  if (code < 0x10000) {
    return unit_escape(static_cast<std::uint32_t>(code), upper);
  }
  const auto over = static_cast<std::uint32_t>(code) - 0x10000U;
  return unit_escape(0xD800U + (over >> 10U), upper) +
         unit_escape(0xDC00U + (over & 0x3FFU), !upper);
}

}  // namespace

RandomJson JsonGenerator::document(std::size_t values) {
  json_ = {};
  left_ = values;
  add_space();
  add_value(0);
  add_space();
  return json_;
}

void JsonGenerator::add_both(std::string_view text) {
  json_.text += text;
  json_.canonical += text;
}

void JsonGenerator::add_space() {
  while (prng_.chance(4)) {
    json_.text += " \n\t\r"[prng_.below(4)];
  }
}

void JsonGenerator::add_value(std::size_t depth) {
  left_ -= left_ > 0 ? 1U : 0U;
  const bool leaf = depth >= kDepthMaxRandom || left_ == 0;
  switch (prng_.below(leaf ? 5 : 12)) {
    case 0:
      add_both("null");
      return;
    case 1:
      add_both(prng_.chance(2) ? "true" : "false");
      return;
    case 2:
      add_string();
      return;
    case 3:
    case 4:
      add_number();
      return;
    case 5:
    case 6:
    case 7:
      add_array(depth);
      return;
    default:
      add_object(depth);
      return;
  }
}

void JsonGenerator::add_array(std::size_t depth) {
  add_both("[");
  add_space();
  const std::uint64_t count = prng_.below(prng_.chance(8) ? 40 : 6);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0) {
      add_both(",");
      add_space();
    }
    add_value(depth + 1);
    add_space();
  }
  add_both("]");
}

void JsonGenerator::add_object(std::size_t depth) {
  add_both("{");
  add_space();
  const std::uint64_t count = prng_.below(prng_.chance(8) ? 40 : 12);
  const std::uint64_t first = prng_.below(50);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0) {
      add_both(",");
      add_space();
    }
    // 7 and 50 have no common factor: no key twice, most keys in many objects, in no order.
    const std::uint64_t key = (first + i * 7) % 50;
    add_key(key);
    add_space();
    add_both(":");
    add_space();
    add_value(depth + 1);
    add_space();
  }
  add_both("}");
}

void JsonGenerator::add_code_point(char32_t code) {
  const std::string_view escape = short_escape(code);
  const std::string plain = utf8(code);
  if (!escape.empty()) {
    json_.canonical += escape;
  } else {
    json_.canonical += code < 0x20 ? unit_escape(static_cast<std::uint32_t>(code), false) : plain;
  }
  if (code == '/' && prng_.chance(2)) {
    json_.text += "\\/";
  } else if (prng_.chance(3)) {
    json_.text += any_escape(code, prng_.chance(2));
  } else if (!escape.empty()) {
    json_.text += escape;
  } else {
    json_.text += code < 0x20 ? unit_escape(static_cast<std::uint32_t>(code), true) : plain;
  }
}

// Key 0 is the empty one, or a long one.
void JsonGenerator::add_key(std::uint64_t key) {
  const std::string text = key == 0 ? "" : std::to_string(key);
  add_both("\"");
  for (const char c : text) {
    add_code_point(static_cast<unsigned char>(c));
  }
  if (key == 0 && prng_.chance(2)) {
    add_both("key ");
    add_characters();
  }
  add_both("\"");
}

void JsonGenerator::add_string() {
  add_both("\"");
  add_characters();
  add_both("\"");
}

void JsonGenerator::add_characters() {
  const std::uint64_t count = prng_.below(prng_.chance(16) ? 400 : 12);
  for (std::uint64_t i = 0; i < count; ++i) {
    char32_t code = static_cast<char32_t>(prng_.below(0x80));
    if (prng_.chance(4)) {
      code = static_cast<char32_t>(prng_.below(0x110000));
      code = code >= 0xD800 && code <= 0xDFFF ? U'/' : code;
    }
    add_code_point(code);
  }
}

void JsonGenerator::add_digits(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    add_both(std::string_view("0123456789").substr(prng_.below(10), 1));
  }
}

void JsonGenerator::add_number() {
  if (prng_.chance(2)) {
    add_both("-");
  }
  if (prng_.chance(4)) {
    add_both("0");
  } else {
    add_both(std::string_view("123456789").substr(prng_.below(9), 1));
    add_digits(prng_.below(prng_.chance(8) ? 30 : 6));
  }
  if (prng_.chance(3)) {
    add_both(".");
    add_digits(1 + prng_.below(prng_.chance(8) ? 30 : 4));
  }
  if (prng_.chance(4)) {
    add_both(prng_.chance(2) ? "e" : "E");
    constexpr std::array<std::string_view, 3> kSigns = {"", "+", "-"};
    add_both(kSigns[prng_.below(kSigns.size())]);
    add_digits(1 + prng_.below(3));
  }
}

}  // namespace rookery::value
