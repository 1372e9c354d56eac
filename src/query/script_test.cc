// SPDX-License-Identifier: Apache-2.0
#include "script.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace rookery::query {
namespace {

// `text` must be a whole body: the brace behind it is the one that closes it.
void expect_body(std::string_view text) {
  SCOPED_TRACE(text);
  EXPECT_EQ(javascript_size(std::string(text) + "} rest } of ` it ' / \""), text.size());
}

TEST(JavaScriptSize, CountsBraces) {
  expect_body("");
  expect_body(" a ");
  expect_body("{ put('x', {'a': {b: 1}}); }");
  expect_body("function f() { return {}; } if (a) { b() } else { c() }");
}

TEST(JavaScriptSize, IsNulloptWithoutAnEnd) {
  EXPECT_EQ(javascript_size(""), std::nullopt);
  EXPECT_EQ(javascript_size("{}"), std::nullopt);
  EXPECT_EQ(javascript_size("'}"), std::nullopt);
  EXPECT_EQ(javascript_size("`}"), std::nullopt);
  EXPECT_EQ(javascript_size("`${a}"), std::nullopt);
  EXPECT_EQ(javascript_size("/* }"), std::nullopt);
  EXPECT_EQ(javascript_size("// }"), std::nullopt);
  EXPECT_EQ(javascript_size("'\\"), std::nullopt);
}

TEST(JavaScriptSize, SkipsStringsAndComments) {
  expect_body("a = '}' + \"}\" + '\\'}' + \"\\\"}\"");
  expect_body("// }\n b /* } ' */ + 1 // it's\n");
}

TEST(JavaScriptSize, SkipsTemplateLiteralsAndWhatTheyNest) {
  expect_body("`}`");
  expect_body("`\\`}${a}`");
  expect_body("`a${ {b: `}${c}}`}.b }d}` + 1");
  expect_body("`$}`");
}

TEST(JavaScriptSize, TellsRegularExpressionsFromDivisions) {
  expect_body("a = /}/.test(b)");
  expect_body("a = /[/}\"]'/g");
  expect_body("a = /\\/}/");
  expect_body("return /}/");
  expect_body("f(/}/, [/'/], !/}/)");
  expect_body("if (a) /}/.test(b)");
  expect_body("while (x) { } /}/.test(b)");
}

TEST(JavaScriptSize, TellsDivisionsFromRegularExpressions) {
  // Taken for a regular expression, the slash would end in the first string, and the brace in the
  // second would count.
  for (const std::string_view operand :
       {"a", "(a)", "a[0]", "x = {a: 1}", "i++", "i--", "o.return", "o?.in", "5", "``", "'s'",
        "/r/", "f(b)", "$", "\xC3\xA9"}) {
    expect_body(std::string(operand) + " / '/' + '}'");
  }
}

TEST(JavaScriptSize, TakesALoneSlashForADivision) {
  expect_body("= / {}\n'}'");
}

TEST(JavaScriptSize, SurvivesParenthesesThatDoNotMatch) {
  expect_body("{ ( }");
  expect_body(") ) {(}");
}

TEST(JavaScriptSize, IsLinearInDepth) {
  const std::string deep(1'000'000, '{');
  EXPECT_EQ(javascript_size(deep + std::string(deep.size(), '}') + "}"), 2 * deep.size());
}

TEST(BalancedSize, CountsItsOwnBracketOnly) {
  EXPECT_EQ(balanced_size("a (b) } c) d", ')'), 9U);
  EXPECT_EQ(balanced_size("a {b} ) c} d", '}'), 9U);
  EXPECT_EQ(balanced_size("a (b)", ')'), std::nullopt);
}

TEST(BalancedSize, SkipsStringsAndComments) {
  EXPECT_EQ(balanced_size("')' \")\" '\\')' ''')' /* ) */ // )\n)", ')'), 33U);
  EXPECT_EQ(balanced_size("')", ')'), std::nullopt);
}

TEST(QuotedSize, EndsAtTheQuoteThatIsNeitherEscapedNorTwice) {
  EXPECT_EQ(quoted_size("'' x"), 2U);
  EXPECT_EQ(quoted_size("'a\\'b''c\"' x"), 10U);
  EXPECT_EQ(quoted_size("'a"), 0U);
  EXPECT_EQ(quoted_size("'a\\'"), 0U);
  EXPECT_EQ(quoted_size("'"), 0U);
}

}  // namespace
}  // namespace rookery::query
