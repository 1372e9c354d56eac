// SPDX-License-Identifier: Apache-2.0
#include "lexer.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace rookery::query {
namespace {

std::vector<Token> tokens_of(std::string_view text) {
  Lexer lexer(text);
  std::vector<Token> tokens;
  for (;;) {
    auto token = lexer.next();
    if (!token.has_value()) {
      ADD_FAILURE() << token.error().message();
      return tokens;
    }
    if (token->kind == TokenKind::kEnd) {
      return tokens;
    }
    tokens.push_back(*token);
  }
}

std::string error_of(std::string_view text) {
  Lexer lexer(text);
  for (;;) {
    auto token = lexer.next();
    if (!token.has_value()) {
      EXPECT_EQ(token.error().code(), ErrorCode::malformed);
      return std::string(token.error().message());
    }
    if (token->kind == TokenKind::kEnd) {
      return "";
    }
  }
}

std::string unquoted(std::string_view text) {
  auto value = unquote(Token{TokenKind::kString, {}, text});
  return value.has_value() ? *value : std::string(value.error().message());
}

TEST(Lexer, CutsTextIntoTokens) {
  const auto tokens = tokens_of("from Ab_1-c@x where a<=-1.5E+3 and b=='x'or $p_0<>\"y\"[].*");
  const std::vector<std::pair<TokenKind, std::string_view>> expected = {
      {TokenKind::kWord, "from"},      {TokenKind::kWord, "Ab_1-c@x"},
      {TokenKind::kWord, "where"},     {TokenKind::kWord, "a"},
      {TokenKind::kPunctuation, "<="}, {TokenKind::kNumber, "-1.5E+3"},
      {TokenKind::kWord, "and"},       {TokenKind::kWord, "b"},
      {TokenKind::kPunctuation, "=="}, {TokenKind::kString, "'x'"},
      {TokenKind::kWord, "or"},        {TokenKind::kParameter, "p_0"},
      {TokenKind::kPunctuation, "<>"}, {TokenKind::kString, "\"y\""},
      {TokenKind::kPunctuation, "["},  {TokenKind::kPunctuation, "]"},
      {TokenKind::kPunctuation, "."},  {TokenKind::kPunctuation, "*"},
  };
  ASSERT_EQ(tokens.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(tokens[i].kind, expected[i].first) << i;
    EXPECT_EQ(tokens[i].text, expected[i].second) << i;
  }
}

TEST(Lexer, GivesOffsetLineAndColumnInCodePoints) {
  const auto tokens = tokens_of("a\n /* \n */ '\xC3\xA9\xE2\x82\xAC' b");
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[1].at.line, 3U);
  EXPECT_EQ(tokens[1].at.column, 5U);
  EXPECT_EQ(tokens[2].at.line, 3U);
  EXPECT_EQ(tokens[2].at.column, 10U);
  EXPECT_EQ(tokens[2].at.offset, 19U);
}

TEST(Lexer, SkipsComments) {
  const auto tokens = tokens_of("a // b ' \n c /* d \" **/ e//");
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[2].text, "e");
}

TEST(Lexer, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("a\n  'b"), "expected ' to end the string that begins at 2:3");
  EXPECT_EQ(error_of("/* a"), "expected '*/' to end the comment that begins at 1:1");
  EXPECT_EQ(error_of("1abc x"), "expected a number, found '1abc' at 1:1");
  EXPECT_EQ(error_of("1.2.3"), "expected a number, found '1.2.3' at 1:1");
  EXPECT_EQ(error_of("a $ b"), "expected the name of a parameter after '$' at 1:3");
  EXPECT_EQ(error_of("a ; b"), "expected a name, a value or an operator, found ';' at 1:3");
  EXPECT_EQ(error_of(std::string_view("a \0 b", 5)),
            "expected a name, a value or an operator, found ' ' at 1:3");
}

TEST(Unquote, UndoesEscapes) {
  EXPECT_EQ(unquoted("'a\\'b\\\"c\\\\d\\/e'"), "a'b\"c\\d/e");
  EXPECT_EQ(unquoted("\"\\n\\r\\t\\b\\f\""), "\n\r\t\b\f");
  EXPECT_EQ(unquoted("'it''s \"\"'"), "it's \"\"");
  EXPECT_EQ(unquoted("\"say \"\"hi\"\" ''\""), "say \"hi\" ''");
  EXPECT_EQ(unquoted("'\\u0041\\u00e9\\u20AC\\ud83d\\ude00'"),
            "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST(Unquote, KeepsABackslashThatEscapesNothing) {
  EXPECT_EQ(unquoted("'^\\d+\\.$'"), "^\\d+\\.$");
}

TEST(Unquote, RefusesEscapesThatNameNoCharacter) {
  const std::string error = "expected \\u to name a character in the string at 1:1";
  EXPECT_EQ(unquoted("'\\u12'"), error);
  EXPECT_EQ(unquoted("'\\uzzzz'"), error);
  EXPECT_EQ(unquoted("'\\ud83d'"), error);
  EXPECT_EQ(unquoted("'\\ud83dx'"), error);
  EXPECT_EQ(unquoted("'\\ude00\\ud83d'"), error);
}

TEST(Describe, ShortensWithoutCuttingACharacter) {
  const std::string word(39, 'a');
  EXPECT_EQ(describe(Token{TokenKind::kWord, {}, word + "\xC3\xA9z"}), "'" + word + "...'");
  EXPECT_EQ(describe(Token{TokenKind::kString, {}, "'a\nb'"}), "'a b'");
  EXPECT_EQ(describe(Token{}), "the end of the query");
}

}  // namespace
}  // namespace rookery::query
