// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

// Purpose. For what works on a text that need not be a query, not yet or not only: a shell that
// looks for the end of a statement, or completes the word that is being typed.
// Threads: any; there is no state.

namespace rookery::query {

enum class PieceKind : std::uint8_t {
  kWord,    // a name or a keyword
  kString,  // with its quotes
  kNumber,
  kParameter,    // without its `$`
  kPunctuation,  // of any length; a byte that RQL does not know, too
  kScript,       // what stands between braces; the braces are punctuation
};

// A view of the text.
struct Piece {
  PieceKind kind = PieceKind::kWord;
  std::size_t offset = 0;  // in bytes
  std::string_view text;
};

enum class PiecesEnd : std::uint8_t {
  kEnd,         // of the text
  kSemicolon,   // outside strings, comments and scripts
  kUnfinished,  // a string, a comment or a script does not end
};

struct Pieces {
  std::vector<Piece> list;
  PiecesEnd end = PiecesEnd::kEnd;
  // Where it ended: the size of the text, the semicolon, or what does not end.
  std::size_t offset = 0;
};

// Takes the text apart up to its first semicolon. Never fails, whatever the text is.
[[nodiscard]] Pieces pieces_of(std::string_view text);

}  // namespace rookery::query
