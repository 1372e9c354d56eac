// SPDX-License-Identifier: Apache-2.0
#include "rookery/query/pieces.h"

#include "lexer.h"

namespace rookery::query {

namespace {

PieceKind kind_of(TokenKind kind) noexcept {
  switch (kind) {
    case TokenKind::kString:
      return PieceKind::kString;
    case TokenKind::kNumber:
      return PieceKind::kNumber;
    case TokenKind::kParameter:
      return PieceKind::kParameter;
    case TokenKind::kPunctuation:
      return PieceKind::kPunctuation;
    case TokenKind::kWord:
    case TokenKind::kEnd:
      return PieceKind::kWord;
  }
  return PieceKind::kWord;
}

// Adds the text behind an open brace and the brace that closes it; false if nothing does.
bool take_script(Lexer& lexer, std::string_view text, std::vector<Piece>& list) {
  const Position at = lexer.position();
  const auto script = lexer.take_javascript(at);
  if (!script.has_value()) {
    return false;
  }
  const std::size_t size = script->text.size();
  list.push_back({PieceKind::kScript, at.offset, text.substr(at.offset, size)});
  list.push_back({PieceKind::kPunctuation, at.offset + size, text.substr(at.offset + size, 1)});
  return true;
}

}  // namespace

Pieces pieces_of(std::string_view text) {
  Pieces out;
  Lexer lexer(text);
  for (;;) {
    const auto blank = lexer.skip_blanks();
    const std::size_t begin = lexer.position().offset;
    if (!blank.has_value()) {
      out.end = PiecesEnd::kUnfinished;
      out.offset = begin;
      return out;
    }
    if (begin < text.size() && text[begin] == ';') {
      out.end = PiecesEnd::kSemicolon;
      out.offset = begin;
      return out;
    }
    const auto token = lexer.next();
    if (!token.has_value()) {
      if (begin < text.size() && (text[begin] == '\'' || text[begin] == '"')) {
        out.end = PiecesEnd::kUnfinished;
        out.offset = begin;
        return out;
      }
      // A number with letters behind it was taken whole; anything else goes byte by byte.
      if (lexer.position().offset == begin) {
        lexer.skip_byte();
      }
      const std::size_t size = lexer.position().offset - begin;
      out.list.push_back({PieceKind::kPunctuation, begin, text.substr(begin, size)});
      continue;
    }
    if (token->kind == TokenKind::kEnd) {
      out.offset = text.size();
      return out;
    }
    out.list.push_back({kind_of(token->kind), begin, token->text});
    if (token->is("{") && !take_script(lexer, text, out.list)) {
      out.end = PiecesEnd::kUnfinished;
      out.offset = begin;
      return out;
    }
  }
}

}  // namespace rookery::query
