// SPDX-License-Identifier: Apache-2.0
#include "rookery/query/pieces.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "example_queries.h"

namespace rookery::query {
namespace {

// The pieces, each in angle brackets.
std::string shown(std::string_view text) {
  std::string out;
  for (const Piece& piece : pieces_of(text).list) {
    out += "<" + std::string(piece.text) + ">";
  }
  return out;
}

// The text before the semicolon; "-" if none ends it, "..." if something is unfinished.
std::string first_statement(std::string_view text) {
  const Pieces pieces = pieces_of(text);
  return pieces.end == PiecesEnd::kEnd          ? "-"
         : pieces.end == PiecesEnd::kUnfinished ? "..."
                                                : std::string(text.substr(0, pieces.offset));
}

TEST(Pieces, TakesAQueryApart) {
  EXPECT_EQ(shown("from Users where Name = 'it''s' /* not this */ and a.b[] >= $p // nor this"),
            "<from><Users><where><Name><=><'it''s'><and><a><.><b><[><]><>=><p>");
  EXPECT_EQ(shown("from u select { a: '}' }"), "<from><u><select><{>< a: '}' ><}>");
}

TEST(Pieces, NeverFails) {
  EXPECT_EQ(shown("a # 12ab $ ? b"), "<a><#><12ab><$><?><b>");
  EXPECT_EQ(shown(""), "");
}

TEST(Pieces, EndsAtASemicolonThatIsMeant) {
  EXPECT_EQ(first_statement("from Users"), "-");
  EXPECT_EQ(first_statement("from Users; from Dogs"), "from Users");
  EXPECT_EQ(first_statement(";"), "");
  EXPECT_EQ(first_statement("from Users where a = ';' ; x"), "from Users where a = ';' ");
  EXPECT_EQ(first_statement("from Users // a; b\n;"), "from Users // a; b\n");
  EXPECT_EQ(first_statement("from Users /* a; b */;"), "from Users /* a; b */");
  EXPECT_EQ(first_statement("from Users update { this.a = 1; this.b = ';}'; };"),
            "from Users update { this.a = 1; this.b = ';}'; }");
  EXPECT_EQ(first_statement("from Users where a = 12ab;"), "from Users where a = 12ab");
  EXPECT_EQ(first_statement("from Users where a = $;"), "from Users where a = $");
}

TEST(Pieces, SaysThatSomethingIsUnfinished) {
  for (const std::string_view text :
       {"from Users where a = 'x;", "from Users where a = \"x;", "from Users /* x;",
        "from Users update { x;", "from Users update { '};"}) {
    EXPECT_EQ(first_statement(text), "...") << text;
  }
}

TEST(Pieces, FindsTheEndOfEveryExample) {
  for (const std::string_view text : kExampleQueries) {
    // A comment at the end would take the semicolon along.
    const std::string statement = std::string(text) + "\n";
    EXPECT_EQ(first_statement(statement + "; from Other"), statement);
    EXPECT_EQ(first_statement(statement), "-");
  }
}

}  // namespace
}  // namespace rookery::query
