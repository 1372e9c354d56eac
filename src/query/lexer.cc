// SPDX-License-Identifier: Apache-2.0
#include "lexer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "rookery/query/parse.h"

#include "ascii.h"
#include "script.h"

namespace rookery::query {
namespace {

constexpr bool continues_character(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((code >> shift) & 0x3FU)));
  };
  if (code < 0x80U) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800U) {
    out.push_back(static_cast<char>(0xC0U | (code >> 6U)));
    tail(0);
  } else if (code < 0x10000U) {
    out.push_back(static_cast<char>(0xE0U | (code >> 12U)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0U | (code >> 18U)));
    tail(12);
    tail(6);
    tail(0);
  }
}

// The value of `\uXXXX` at the start of `text`, if that is what stands there.
std::optional<std::uint32_t> unicode_escape(std::string_view text) noexcept {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') {
    return std::nullopt;
  }
  std::uint32_t code = 0;
  for (const char c : text.substr(2, 4)) {
    const char low = to_lower(c);
    if (!is_digit(low) && (low < 'a' || low > 'f')) {
      return std::nullopt;
    }
    code = (code << 4U) | static_cast<std::uint32_t>(is_digit(low) ? low - '0' : low - 'a' + 10);
  }
  return code;
}

// Appends what the escape at the start of `text` stands for; returns its size in bytes, 0 if it
// names no character.
std::size_t append_escape(std::string& out, std::string_view text) {
  constexpr std::string_view kEscapes = "'\"\\/nrtbf";
  constexpr std::string_view kMeanings = "'\"\\/\n\r\t\b\f";
  const char c = text[1];
  if (const auto found = kEscapes.find(c); found != std::string_view::npos) {
    out.push_back(kMeanings[found]);
    return 2;
  }
  if (c != 'u') {
    // Not an escape: the backslash is meant, as in the regular expression '^\d+$'.
    out.push_back('\\');
    return 1;
  }
  const auto code = unicode_escape(text);
  if (!code.has_value()) {
    return 0;
  }
  if (*code < 0xD800U || *code > 0xDFFFU) {
    append_utf8(out, *code);
    return 6;
  }
  const auto low = unicode_escape(text.substr(6));
  if (*code > 0xDBFFU || !low.has_value() || *low < 0xDC00U || *low > 0xDFFFU) {
    return 0;
  }
  append_utf8(out, 0x10000U + ((*code - 0xD800U) << 10U) + (*low - 0xDC00U));
  return 12;
}

}  // namespace

bool Token::is_word(std::string_view word) const noexcept {
  return kind == TokenKind::kWord && equal_ignoring_case(text, word);
}

char Lexer::peek(std::size_t ahead) const noexcept {
  const std::size_t offset = at_.offset + ahead;
  return offset < text_.size() ? text_[offset] : '\0';
}

void Lexer::advance(std::size_t size) noexcept {
  for (const char c : text_.substr(at_.offset, size)) {
    ++at_.offset;
    if (c == '\n') {
      ++at_.line;
      at_.column = 1;
    } else if (!continues_character(c)) {
      ++at_.column;
    }
  }
}

Token Lexer::take(TokenKind kind, std::size_t size) {
  Token token{kind, at_, text_.substr(at_.offset, size)};
  advance(size);
  return token;
}

Result<void> Lexer::skip_blanks() {
  for (;;) {
    if (at_.offset < text_.size() && is_blank(peek())) {
      advance(1);
    } else if (peek() == '/' && peek(1) == '/') {
      const std::size_t end = text_.find('\n', at_.offset);
      advance((end == std::string_view::npos ? text_.size() : end) - at_.offset);
    } else if (peek() == '/' && peek(1) == '*') {
      const std::size_t end = text_.find("*/", at_.offset + 2);
      if (end == std::string_view::npos) {
        return syntax_error(at_, "expected '*/' to end the comment that begins");
      }
      advance(end + 2 - at_.offset);
    } else {
      return {};
    }
  }
}

Result<Token> Lexer::next() {
  RK_TRY(skip_blanks());
  if (at_.offset >= text_.size()) {
    return take(TokenKind::kEnd, 0);
  }
  const char c = peek();
  if (begins_word(c)) {
    std::size_t size = 1;
    while (continues_word(peek(size))) {
      ++size;
    }
    return take(TokenKind::kWord, size);
  }
  if (c == '\'' || c == '"') {
    return take_string(c);
  }
  if (is_digit(c) || (c == '-' && is_digit(peek(1)))) {
    return take_number();
  }
  if (c == '$') {
    return take_parameter();
  }
  return take_punctuation();
}

Result<Token> Lexer::take_string(char quote) {
  const std::size_t size = quoted_size(text_.substr(at_.offset));
  if (size == 0) {
    return syntax_error(at_, std::string("expected ") + quote + " to end the string that begins");
  }
  return take(TokenKind::kString, size);
}

Result<Token> Lexer::take_number() {
  std::size_t size = 1;
  const auto digits = [&] {
    while (is_digit(peek(size))) {
      ++size;
    }
  };
  digits();
  if (peek(size) == '.' && is_digit(peek(size + 1))) {
    ++size;
    digits();
  }
  if (to_lower(peek(size)) == 'e') {
    const std::size_t sign = peek(size + 1) == '+' || peek(size + 1) == '-' ? 1 : 0;
    if (is_digit(peek(size + 1 + sign))) {
      size += 1 + sign;
      digits();
    }
  }
  if (continues_word(peek(size)) || peek(size) == '.') {
    while (continues_word(peek(size)) || peek(size) == '.') {
      ++size;
    }
    const Position at = at_;
    return syntax_error(at, "expected a number, found " + describe(take(TokenKind::kWord, size)));
  }
  return take(TokenKind::kNumber, size);
}

Result<Token> Lexer::take_parameter() {
  std::size_t size = 1;
  while (is_letter(peek(size)) || is_digit(peek(size)) || peek(size) == '_') {
    ++size;
  }
  if (size == 1) {
    return syntax_error(at_, "expected the name of a parameter after '$'");
  }
  Token token = take(TokenKind::kParameter, size);
  token.text.remove_prefix(1);
  return token;
}

Result<Token> Lexer::take_punctuation() {
  constexpr std::array<std::string_view, 5> kPairs = {"==", "!=", "<>", "<=", ">="};
  constexpr std::string_view kSingles = "()[]{},.*=<>";
  const std::string_view rest = text_.substr(at_.offset);
  for (const std::string_view pair : kPairs) {
    if (rest.starts_with(pair)) {
      return take(TokenKind::kPunctuation, 2);
    }
  }
  if (kSingles.find(rest.front()) != std::string_view::npos) {
    return take(TokenKind::kPunctuation, 1);
  }
  const Token found = take(TokenKind::kPunctuation, 1);
  return syntax_error(found.at,
                      "expected a name, a value or an operator, found " + describe(found));
}

Script Lexer::take_script(std::size_t size) {
  Script script{at_, std::string(text_.substr(at_.offset, size))};
  advance(size + 1);
  return script;
}

Result<Script> Lexer::take_javascript(const Position& opened) {
  const auto size = javascript_size(text_.substr(at_.offset));
  if (!size.has_value()) {
    return syntax_error(opened, "expected '}' to end the script that begins");
  }
  return take_script(*size);
}

Result<Script> Lexer::take_balanced(const Position& opened, char close) {
  const auto size = balanced_size(text_.substr(at_.offset), close);
  if (!size.has_value()) {
    return syntax_error(opened, std::string("expected '") + close + "' to end what begins");
  }
  return take_script(*size);
}

Result<std::string> unquote(const Token& token) {
  const std::string_view inner = token.text.substr(1, token.text.size() - 2);
  const char quote_mark = token.text.front();
  std::string out;
  out.reserve(inner.size());
  for (std::size_t i = 0; i < inner.size();) {
    if (inner[i] == '\\' && i + 1 < inner.size()) {
      const std::size_t size = append_escape(out, inner.substr(i));
      if (size == 0) {
        return syntax_error(token.at, "expected \\u to name a character in the string");
      }
      i += size;
    } else {
      out.push_back(inner[i]);
      // A quote inside is there twice.
      i += inner[i] == quote_mark ? 2U : 1U;
    }
  }
  return out;
}

std::string describe(const Token& token) {
  constexpr std::size_t kShownBytesMax = 40;
  if (token.kind == TokenKind::kEnd) {
    return "the end of the query";
  }
  std::string shown(token.kind == TokenKind::kParameter ? "$" : "");
  shown += token.text;
  if (shown.size() > kShownBytesMax) {
    std::size_t size = kShownBytesMax;
    while (size > 0 && continues_character(shown[size])) {
      --size;
    }
    shown.resize(size);
    shown += "...";
  }
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  return token.kind == TokenKind::kString ? shown : "'" + shown + "'";
}

std::string to_string(const Position& position) {
  return std::to_string(position.line) + ":" + std::to_string(position.column);
}

Error syntax_error(const Position& at, const std::string& message) {
  return {ErrorCode::malformed, message + " at " + to_string(at)};
}

}  // namespace rookery::query
