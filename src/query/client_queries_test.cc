// SPDX-License-Identifier: Apache-2.0
// Queries in the shapes that the official clients send, each parsed, printed and parsed again. The
// list was written by hand from what those clients emit and what their users write.
#include <string_view>

#include <gtest/gtest.h>

#include "rookery/query/parse.h"
#include "rookery/query/print.h"

#include "example_queries.h"

namespace rookery::query {
namespace {

TEST(ClientQueries, ParsePrintAndParseToTheSameTree) {
  ASSERT_GT(kExampleQueries.size(), 100U);
  for (const std::string_view text : kExampleQueries) {
    SCOPED_TRACE(text);
    const auto first = parse(text);
    if (!first.has_value()) {
      ADD_FAILURE() << first.error().message();
      continue;
    }
    const std::string printed = print(*first);
    const auto second = parse(printed);
    if (!second.has_value()) {
      ADD_FAILURE() << printed << "\n" << second.error().message();
      continue;
    }
    EXPECT_EQ(*first, *second) << printed;
    EXPECT_EQ(print(*second), printed);
  }
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
