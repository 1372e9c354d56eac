// SPDX-License-Identifier: Apache-2.0
#include "caret.h"

#include <string>

#include <gtest/gtest.h>

namespace rookery::shell {
namespace {

TEST(Caret, FindsThePlaceInAMessage) {
  EXPECT_EQ(place_in("expected 'from', found 'x' at 1:7"), (Place{1, 7}));
  EXPECT_EQ(
      place_in("not supported yet: facet() at 3:14 [System.NotSupportedException, status 501]"),
      (Place{3, 14}));
  EXPECT_EQ(place_in("cannot connect at 127.0.0.1:8080 at 2:5 [x]"), (Place{2, 5}));
  EXPECT_EQ(place_in("at the end"), std::nullopt);
  EXPECT_EQ(place_in("at 0:4"), std::nullopt);
  EXPECT_EQ(place_in("at 3"), std::nullopt);
  EXPECT_EQ(place_in(""), std::nullopt);
}

TEST(Caret, StandsBelowThePlace) {
  EXPECT_EQ(caret_lines("from a where b", {1, 14}, 0), "from a where b\n             ^\n");
  EXPECT_EQ(caret_lines("from a\nwhere b", {2, 7}, 0), "where b\n      ^\n");
  EXPECT_EQ(caret_lines("from a", {1, 7}, 0), "from a\n      ^\n") << "the end of the query";
  EXPECT_EQ(caret_lines("日本 = x", {1, 4}, 0), "日本 = x\n     ^\n");
  EXPECT_EQ(caret_lines("\tx", {1, 2}, 0), "\\tx\n  ^\n");
}

TEST(Caret, IsNotShownWhereThereIsNoSuchPlace) {
  EXPECT_EQ(caret_lines("from a", {2, 1}, 0), "");
  EXPECT_EQ(caret_lines("from a", {1, 9}, 0), "");
}

TEST(Caret, CutsALineThatIsTooWide) {
  const std::string query = "from a where b = '" + std::string(100, 'x') + "' ! and c = 1 or d";
  const std::string shown = caret_lines(query, {1, 121}, 40);
  const std::size_t end = shown.find('\n');
  EXPECT_LE(end, 42U) << "an ellipsis has three bytes";
  EXPECT_EQ(shown.substr(0, 4), "...x");
  const std::size_t caret = shown.find('^') - end - 1;
  EXPECT_EQ(shown[caret], '!');
}

}  // namespace
}  // namespace rookery::shell
