// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/plan/condition.h"
#include "rookery/query/parse.h"
#include "rookery/value/date.h"

#include "facts.h"
#include "naive_words.h"
#include "test_indexes.h"

// Purpose. For tests: what a query must find, by looking at every document.

namespace rookery::index {

// Sorted. nullopt: the condition makes no sense (bounds of different kinds).
inline std::optional<std::vector<std::string>> expected_ids(TestIndexes& test,
                                                            const std::string& text,
                                                            std::string_view collection) {
  const Result<query::Query> query = query::parse(text);
  EXPECT_TRUE(query.has_value()) << text << ": " << query.error().to_string();
  const Result<plan::Condition> condition =
      plan::compile_condition(*query->where, {*query, value::View(), value::Date()});
  if (!condition) {
    return std::nullopt;
  }
  std::vector<std::string> ids;
  const Result<doc::Snapshot> snapshot = doc::Snapshot::open(test.documents());
  const Result<void> scanned =
      (*snapshot)->scan_etags(0, false, [&](const doc::DocumentView& document) -> Result<bool> {
        if (!collection.empty() && document.collection != collection) {
          return true;
        }
        RK_TRY_ASSIGN(const value::View body, document.value());
        const std::string last_modified = value::format_date(document.last_modified);
        RK_TRY_ASSIGN(const bool matches,
                      naive_matches(*condition, facts_of(document, body, last_modified)));
        if (matches) {
          ids.emplace_back(document.id);
        }
        return true;
      });
  EXPECT_TRUE(scanned.has_value()) << scanned.error().to_string();
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace rookery::index
