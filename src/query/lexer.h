// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/query/ast.h"

// Purpose. Cuts the text of a query into tokens, one at a time, because what follows a brace is not
// RQL: the parser then takes the text up to the matching one instead.
// Owns: nothing; tokens are views of the text.

namespace rookery::query {

enum class TokenKind : std::uint8_t {
  kEnd,
  kWord,    // names and keywords; which of them only the grammar knows
  kString,  // quoted, raw
  kNumber,
  kParameter,  // the text is without its `$`
  kPunctuation,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Position at;
  std::string_view text;

  // For kWord.
  [[nodiscard]] bool is_word(std::string_view word) const noexcept;

  // For kPunctuation: one of ( ) [ ] { } , . * = == != <> < <= > >=
  [[nodiscard]] bool is(std::string_view punctuation) const noexcept {
    return kind == TokenKind::kPunctuation && text == punctuation;
  }
};

// Cheap to copy: a copy looks ahead.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // Errors: malformed.
  Result<Token> next();

  // To the next token, or the end.
  // Errors: malformed, for a comment that does not end.
  Result<void> skip_blanks();

  // Past one byte that no token begins with. Requires: not at the end.
  void skip_byte() noexcept { advance(1); }

  [[nodiscard]] const Position& position() const noexcept { return at_; }

  // The text from here up to the brace that closes one opened just before; moves behind it.
  // Errors: malformed, at `opened`, if nothing closes it.
  Result<Script> take_javascript(const Position& opened);
  // The same for the language of time series, closed by `close`: either '}' or ')'.
  Result<Script> take_balanced(const Position& opened, char close);

 private:
  Result<Token> take_string(char quote);
  Result<Token> take_number();
  Result<Token> take_parameter();
  Result<Token> take_punctuation();
  Token take(TokenKind kind, std::size_t size);
  void advance(std::size_t size) noexcept;
  Script take_script(std::size_t size);
  [[nodiscard]] char peek(std::size_t ahead = 0) const noexcept;

  std::string_view text_;
  Position at_;
};

// What the quotes and escapes of a kString token stand for.
// Errors: malformed, for an escape that names no character.
Result<std::string> unquote(const Token& token);

// How a token reads in an error: "'where'", "end of query".
std::string describe(const Token& token);

// A malformed error: "`message` at line:column".
Error syntax_error(const Position& at, const std::string& message);

}  // namespace rookery::query
