// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <sstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/value/json.h"

#include "width.h"

namespace rookery::shell {
namespace {

using testing::HasSubstr;

std::string shown(std::string_view json, std::size_t width = 0, const RowsOptions& rows = {}) {
  const auto results = value::parse_json(json);
  EXPECT_TRUE(results.has_value()) << json;
  return "\n" + render(table_of(results->root(), rows), width);
}

constexpr std::string_view kUsers = R"([
  {"Name":"Ada","Age":36,"@metadata":{"@id":"users/1","@collection":"Users"}},
  {"Name":"Bob","Age":7,"Tags":["a","b"],"@metadata":{"@id":"users/20"}},
  {"Name":null,"Age":1234.5,"Address":{"City":"K\u00f6ln"},"@metadata":{"@id":"users/3"}}])";

TEST(Table, ShowsDocuments) {
  EXPECT_EQ(shown(kUsers), R"(
 @id      | Name |    Age | Tags      | Address
----------+------+--------+-----------+-----------------
 users/1  | Ada  |     36 |           |
 users/20 | Bob  |      7 | ["a","b"] |
 users/3  | null | 1234.5 |           | {"City":"Köln"}
)");
}

TEST(Table, ShowsWhatAProjectionAsksForAndNoMore) {
  EXPECT_EQ(shown(R"([{"a":1,"@metadata":{"@id":"users/1","@projection":true}}])"), R"(
 a
---
 1
)");
}

TEST(Table, ShowsResultsThatAreNoObjects) {
  EXPECT_EQ(shown(R"([1,"x",null])"), R"(
 value
-------
 1
 x

)");
}

TEST(Table, NumbersRows) {
  EXPECT_EQ(shown(R"([{"a":"x"},{"a":"y"}])", 0, {.number_first = 9}), R"(
  # | a
----+---
  9 | x
 10 | y
)");
}

TEST(Table, AlignsByWidthAndNotByBytes) {
  EXPECT_EQ(shown(R"([{"a":"日本","b":"x"},{"a":"ab","b":"y"}])"), R"(
 a    | b
------+---
 日本 | x
 ab   | y
)");
}

TEST(Table, KeepsDocumentsFromDrivingTheTerminal) {
  EXPECT_THAT(shown(R"([{"a\u001b[2J":"x\u001b]0;y\u0007\nz"}])"), HasSubstr(" a\\u001b[2J\n"));
  EXPECT_EQ(shown(R"([{"a\u001b[2J":"x\u001b]0;y\u0007\nz"}])").find('\x1b'), std::string::npos);
}

TEST(Table, CutsTheWidestCellsFirst) {
  EXPECT_EQ(shown(R"([{"a":"short","b":"a text that is rather long","c":"0123456789012345"}])", 40),
            R"(
 a     | b              | c
-------+----------------+---------------
 short | a text that i… | 012345678901…
)");
}

TEST(Table, NamesTheColumnsThatFindNoRoom) {
  EXPECT_EQ(shown(R"([{"a":"0123456789","b":"0123456789","c":"0123456789","d":1}])", 24), R"(
 a          | b
------------+-----------
 0123456789 | 01234567…
(no room for: c, d)
)");
}

TEST(Table, NeverExceedsTheWidth) {
  for (std::size_t width = 12; width < 90; ++width) {
    std::istringstream lines(shown(kUsers, width));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("(no room for")) {
        EXPECT_LE(display_width(line), width) << line;
      }
    }
  }
}

TEST(Table, CutsHugeCellsEarly) {
  const std::string json = R"([{"a":")" + std::string(100'000, 'x') + R"("}])";
  const auto results = value::parse_json(json);
  const Table table = table_of(results->root(), {.cell_width_max = 80});
  EXPECT_LT(table.rows[0][0].text.size(), 100U);
}

}  // namespace
}  // namespace rookery::shell
