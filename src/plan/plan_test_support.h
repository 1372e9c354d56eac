// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "rookery/base/check.h"
#include "rookery/plan/condition.h"
#include "rookery/plan/projection.h"
#include "rookery/query/parse.h"
#include "rookery/value/json.h"

// Purpose. For tests: queries and documents from their texts.

namespace rookery::plan {

inline value::Document json(std::string_view text) {
  auto parsed = value::parse_json(text);
  RK_CHECK(parsed.has_value());
  return std::move(parsed).value();
}

inline query::Query parsed(std::string_view text) {
  auto query = query::parse(text);
  if (!query.has_value()) {
    ADD_FAILURE() << text << ": " << query.error().message();
    return {};
  }
  return std::move(query).value();
}

// 2026-11-30T12:34:56Z
inline constexpr value::Date kTestNow{std::chrono::seconds{1'796'042'096}};

// Purpose. A query with its parameters, kept alive for its scope.
class TestQuery {
 public:
  explicit TestQuery(std::string_view text, std::string_view parameters = "{}")
      : query_(parsed(text)), parameters_(json(parameters)) {}

  [[nodiscard]] const query::Query& query() const { return query_; }

  [[nodiscard]] Scope scope() const { return Scope{query_, parameters_.root(), kTestNow}; }

  [[nodiscard]] Result<Condition> where() const {
    if (!query_.where) {
      return Error(ErrorCode::malformed, "there is no where clause");
    }
    return compile_condition(*query_.where, scope());
  }

  // "message" of the error of the where clause; "none" if there is none.
  [[nodiscard]] std::string where_error() const {
    const auto compiled = where();
    return compiled.has_value() ? "none" : std::string(compiled.error().message());
  }

 private:
  query::Query query_;
  value::Document parameters_;
};

inline DocumentFacts facts(const value::Document& body) {
  return {.id = "Users/1-A",
          .body = body.root(),
          .collection = "Users",
          .last_modified = "2026-11-30T10:00:00.0000000Z",
          .change_vector = "A:7-x"};
}

}  // namespace rookery::plan
