// SPDX-License-Identifier: Apache-2.0
#include "rookery/query/print.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rookery/query/parse.h"

namespace rookery::query {
namespace {

std::string reprinted(std::string_view text) {
  const auto query = parse(text);
  return query.has_value() ? print(*query) : std::string(query.error().message());
}

TEST(Print, WritesOneSpellingOfEverything) {
  EXPECT_EQ(reprinted("FROM Users U\nWHERE (a==1) AND\tb<>\"x\" // y"),
            "from 'Users' as U where a = 1 and b != 'x'");
  EXPECT_EQ(reprinted("from a order by b ascending, c as ALPHANUMERIC descending nulls FIRST"),
            "from 'a' order by b, c as alphaNumeric desc nulls first");
  EXPECT_EQ(reprinted("from a limit 5, $p"), "from 'a' limit $p offset 5");
}

TEST(Print, QuotesNamesOnlyWhereTheyNeedIt) {
  EXPECT_EQ(reprinted("from a where 'b' = 1 and 'order'.'c' = 2 and 'd e' = 3"),
            "from 'a' where b = 1 and 'order'.c = 2 and 'd e' = 3");
  EXPECT_EQ(reprinted("from a select 'true', 'distinct', 'x' as 'y', z as 'select'"),
            "from 'a' select 'true', 'distinct', x as y, z as 'select'");
}

TEST(Print, WritesOnlyTheParenthesesThatMatter) {
  EXPECT_EQ(reprinted("from a where ((b = 1) and (c = 2 and d = 3)) or (e = 4 and (f = 5))"),
            "from 'a' where b = 1 and (c = 2 and d = 3) or e = 4 and f = 5");
  EXPECT_EQ(reprinted("from a where (b = 1 or c = 2) or not (d = 3) and not (e = 4 or f = 5)"),
            "from 'a' where (b = 1 or c = 2) or not d = 3 and not (e = 4 or f = 5)");
}

TEST(Print, WritesPiecesByThemselves) {
  const auto query = parse("from a where 'b c'.d[] = 'e''f' or g(h)");
  ASSERT_TRUE(query.has_value());
  EXPECT_EQ(print(*query->where), "'b c'.d[] = 'e\\'f' or g(h)");
  EXPECT_EQ(print(Path{{PathSegment{"where", {}}}}), "'where'");
  EXPECT_EQ(quote("it's \\ \n\r\t"), "'it\\'s \\\\ \\n\\r\\t'");
}

}  // namespace
}  // namespace rookery::query
