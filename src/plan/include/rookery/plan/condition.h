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

// `=` matches a document if any value of the field equals; `!=` is its complement, so documents
// without the field match, too. Order operators match values of the literal's own kind only
// (numbers with numbers, strings with strings), dates by time: see matches().
struct Compare {
  Field field;
  query::CompareOperator op = query::CompareOperator::kEqual;
  Scalar value;
  bool exact = false;  // strings as they are; otherwise with case folded
};

// Both ends belong to it. Both are of one kind. Low above high is legal and matches nothing.
struct Between {
  Field field;
  Scalar low;
  Scalar high;
  bool exact = false;
};

// No values: nothing for kAny, everything for kAll.
struct In {
  Field field;
  std::vector<Scalar> values;
  query::InMode mode = query::InMode::kAny;
  bool exact = false;
};

// The field is named at all: null, an object or an empty array will do.
struct Exists {
  Field field;
};

// Of strings only. The text is as it was written; compare it folded unless exact.
struct TextMatch {
  enum class Kind : std::uint8_t { kStartsWith, kEndsWith, kRegex, kFuzzy };
  Kind kind = Kind::kStartsWith;
  Field field;
  std::string text;         // kRegex: RE2 syntax, checked
  double similarity = 0.5;  // of kFuzzy: from 0 to 1
  bool exact = false;
};

// search(): the terms as written, wildcards in them, and how they are joined.
struct Search {
  Field field;
  std::string terms;
  query::LogicalOperator op = query::LogicalOperator::kOr;
  // The most words between. If set, `terms` are two words or more without wildcards.
  std::optional<std::uint32_t> proximity;
  query::Position at;
};

struct Combine {
  query::LogicalOperator op = query::LogicalOperator::kAnd;
  std::vector<Condition> terms;  // one or more
};

struct Negation {
  std::unique_ptr<Condition> term;  // never null
};

struct Boost {
  std::unique_ptr<Condition> term;  // never null
  double factor = 1.0;              // finite, not negative
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

// Errors of all below, each ending in "at line:column": invalid_query (a parameter that is missing,
// arguments that make no sense, bounds of different kinds); not_supported for what the grammar has
// and nobody evaluates yet.

// The clauses that are refused before anything else: group by, load, filter, update, scripts,
// declared functions, and the includes of what documents do not have yet. What is inside where,
// order by and select is refused by the functions that compile it.
[[nodiscard]] Result<void> check_supported(const query::Query& query);

[[nodiscard]] Result<Condition> compile_condition(const query::Expression& expression,
                                                  const Scope& scope);
// The field that an expression names: `u.name` without its alias, id(). Not score() nor random():
// those are compile_order's.
[[nodiscard]] Result<Field> compile_field(const query::Expression& expression, const Scope& scope);
// A literal, a parameter, today(), now(); not_supported for the rest.
[[nodiscard]] Result<Scalar> compile_scalar(const query::Expression& expression,
                                            const Scope& scope);
// Of limit, offset: an integer that is not negative.
[[nodiscard]] Result<std::uint64_t> compile_count(const query::Expression& expression,
                                                  const Scope& scope);

// One key of `order by`.
struct OrderKey {
  Field field;  // any kind
  std::optional<query::OrderType> type;
  bool descending = false;
  std::optional<query::NullsPlacement> nulls;
  std::optional<std::string> seed;  // of kRandom: random('seed')
};

[[nodiscard]] Result<OrderKey> compile_order(const query::OrderTerm& term, const Scope& scope);

// Whether the document meets the condition, by looking at its values alone: what an index must
// agree with. In a range whose bounds are all dates (date_of), a field that holds any date is
// compared by its dates alone, by time; everything else goes by text. exact() ranges and those on
// id() always go by text, and id() is folded even in exact().
// Errors: not_supported for Search and kFuzzy, which need an analyzer.
[[nodiscard]] Result<bool> matches(const Condition& condition, const DocumentFacts& document);

}  // namespace rookery::plan
