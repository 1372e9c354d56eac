// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/plan/field.h"
#include "rookery/plan/scalar.h"
#include "rookery/query/ast.h"
#include "rookery/value/date.h"

// Purpose. The conditions of a query with everything resolved: aliases gone, parameters in place,
// methods known. Evaluated over values here, translated to terms by `index`.
// Threads: any; plain values.
// Source: docs/rql.md; CONFORMANCE 6b.

namespace rookery::plan {

struct Condition;

struct Constant {
  bool value = true;
};

// `!=` is the complement of `=`. Order operators match values of the literal's own kind only:
// numbers with numbers, strings with strings (two dates by time, see docs/rql.md).
struct Compare {
  Field field;
  query::CompareOperator op = query::CompareOperator::kEqual;
  Scalar value;
  bool exact = false;
};

struct Between {
  Field field;
  Scalar low;
  Scalar high;
  bool exact = false;
};

struct In {
  Field field;
  std::vector<Scalar> values;
  query::InMode mode = query::InMode::kAny;
  bool exact = false;
};

struct Exists {
  Field field;
};

struct TextMatch {
  enum class Kind : std::uint8_t { kStartsWith, kEndsWith, kRegex, kFuzzy };
  Kind kind = Kind::kStartsWith;
  Field field;
  std::string text;
  double similarity = 0.5;  // of kFuzzy
  bool exact = false;
};

// search(): the terms as written, wildcards in them, and how they are joined.
struct Search {
  Field field;
  std::string terms;
  query::LogicalOperator op = query::LogicalOperator::kOr;
  std::optional<std::uint32_t> proximity;  // the most words between
  query::Position at;
};

struct Combine {
  query::LogicalOperator op = query::LogicalOperator::kAnd;
  std::vector<Condition> terms;
};

struct Negation {
  std::unique_ptr<Condition> term;  // never null
};

struct Boost {
  std::unique_ptr<Condition> term;  // never null
  double factor = 1.0;
};

struct Condition {
  std::variant<Constant, Compare, Between, In, Exists, TextMatch, Search, Combine, Negation, Boost>
      what;
};

// What names in a query stand for.
// Owns: nothing; the query and the parameters outlive it.
struct Scope {
  const query::Query& query;
  value::View parameters;  // an object, or null for none
  value::Date now;
};

// Errors, each ending in "at line:column": invalid_query (a parameter that is missing, arguments
// that make no sense, bounds of different kinds); not_supported for what the grammar has and we
// don't evaluate yet.
[[nodiscard]] Result<Condition> compile_condition(const query::Expression& expression,
                                                  const Scope& scope);
// The field that an expression names: `u.name` without its alias, id(), score() where allowed.
[[nodiscard]] Result<Field> compile_field(const query::Expression& expression, const Scope& scope);
// A literal, a parameter, today(), now(); not_supported for the rest.
[[nodiscard]] Result<Scalar> compile_scalar(const query::Expression& expression,
                                            const Scope& scope);
// Of limit, offset: an integer that is not negative.
[[nodiscard]] Result<std::uint64_t> compile_count(const query::Expression& expression,
                                                  const Scope& scope);

// Whether the document meets the condition, by looking at its values alone: what an index must
// agree with. Errors: not_supported for Search and kFuzzy, which need an analyzer.
[[nodiscard]] Result<bool> matches(const Condition& condition, const DocumentFacts& document);

}  // namespace rookery::plan
