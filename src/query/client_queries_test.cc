// SPDX-License-Identifier: Apache-2.0
// Queries in the shapes that the official clients send, and those of the documentation: each is
// parsed, printed and parsed again. The list was written by hand from what those clients emit and
// from what their users write.
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rookery/query/parse.h"
#include "rookery/query/print.h"

#include "example_queries.h"

namespace rookery::query {
namespace {

void expect_round_trip(std::string_view text) {
  SCOPED_TRACE(text);
  const auto first = parse(text);
  ASSERT_TRUE(first.has_value()) << first.error().message();
  const std::string printed = print(*first);
  const auto second = parse(printed);
  ASSERT_TRUE(second.has_value()) << printed << "\n" << second.error().message();
  EXPECT_EQ(*first, *second) << printed;
  EXPECT_EQ(print(*second), printed);
}

TEST(ClientQueries, ParsePrintAndParseToTheSameTree) {
  ASSERT_GT(kExampleQueries.size(), 100U);
  for (const std::string_view text : kExampleQueries) {
    expect_round_trip(text);
  }
}

TEST(ClientQueries, OfTheDocumentationParse) {
  std::ifstream page(RK_SOURCE_DIR "/docs/rql-grammar.md");
  std::string line;
  while (std::getline(page, line) && line != "## Examples") {
  }
  int count = 0;
  for (int fences = 0; fences < 2 && std::getline(page, line);) {
    if (line.starts_with("```")) {
      ++fences;
    } else if (fences == 1) {
      expect_round_trip(line);
      ++count;
    }
  }
  EXPECT_GE(count, 10);
}

TEST(ClientQueries, GraphQueriesAreRefusedByNameAndPlace) {
  for (const std::string_view text : kGraphQueries) {
    SCOPED_TRACE(text);
    const auto query = parse(text);
    ASSERT_FALSE(query.has_value());
    EXPECT_EQ(query.error().code(), ErrorCode::not_supported);
    EXPECT_NE(query.error().message().find(" at 1:"), std::string_view::npos)
        << query.error().message();
  }
}

}  // namespace
}  // namespace rookery::query
