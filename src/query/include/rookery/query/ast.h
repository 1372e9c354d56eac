// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rookery/query/method.h"

// Purpose. The syntax tree of RQL: what a query says, with nothing resolved. Plain values: copied,
// compared and taken apart with std::get_if or std::visit.
// Owns: everything it shows; nothing points back into the query's text.
// Invariants (parse() guarantees them, print() needs them):
// - Logical has two terms or more. A Logical inside a Logical was written in parentheses, except an
//   `and` inside an `or`, which binds tighter by itself.
// - Not is a term of a Logical, and never the first thing after `where` or an open parenthesis.
// - A quoted name is a Field where only a field can be meant (left of an operator, in select, group
//   by, order by, load, and as first argument of the methods that takes_field() names); elsewhere
//   quotes make a String.
// - Depth is bounded by ParseOptions::depth_max, so walking it recursively is safe.
// Source: docs/rql-grammar.md.

namespace rookery::query {

// Where something begins in the text. Line and column count from 1, the column in code points.
// Positions are not part of what a query means: any two of them compare equal, so that trees do.
struct Position {
  std::uint32_t offset = 0;  // in bytes
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  friend bool operator==(const Position& /*a*/, const Position& /*b*/) { return true; }
};

// One T on the heap, copied and compared by value: lets a type hold values of its own kind.
template <typename T>
class Box {
 public:
  Box(T value)  // NOLINT(google-explicit-constructor): stands for the value
      : value_(std::make_unique<T>(std::move(value))) {}

  Box(const Box& other) : value_(std::make_unique<T>(*other.value_)) {}

  Box(Box&& other) noexcept = default;

  Box& operator=(const Box& other) {
    Box copy(other);
    std::swap(value_, copy.value_);
    return *this;
  }

  Box& operator=(Box&& other) noexcept = default;
  ~Box() = default;

  T& operator*() { return *value_; }

  const T& operator*() const { return *value_; }

  T* operator->() { return value_.get(); }

  const T* operator->() const { return value_.get(); }

  friend bool operator==(const Box& a, const Box& b) { return *a.value_ == *b.value_; }

 private:
  std::unique_ptr<T> value_;  // never null, except in a Box that was moved from
};

struct Expression;

// `[]` stands for every element (no index); `[3]` for one.
struct Subscript {
  std::optional<std::uint32_t> index;

  bool operator==(const Subscript& other) const = default;
};

struct PathSegment {
  std::string name;  // without quotes and escapes; may hold dots if it was quoted
  std::vector<Subscript> subscripts;

  bool operator==(const PathSegment& other) const = default;
};

// `lines[].product`, `'@metadata'.'@collection'`. Whether the first segment is an alias is not
// known here.
struct Path {
  std::vector<PathSegment> segments;

  bool operator==(const Path& other) const = default;
};

// A field of a document, or a variable of the query (its alias, a loaded document).
struct Field {
  Path path;

  bool operator==(const Field& other) const = default;
};

struct String {
  std::string text;  // without quotes and escapes, UTF-8

  bool operator==(const String& other) const = default;
};

struct Number {
  std::string text;  // as written: -?digits(.digits)?(e[+-]?digits)?
  bool is_integer = true;

  bool operator==(const Number& other) const = default;
};

struct Boolean {
  bool value = false;

  bool operator==(const Boolean& other) const = default;
};

struct Null {
  bool operator==(const Null& other) const = default;
};

// `$name`
struct Parameter {
  std::string name;

  bool operator==(const Parameter& other) const = default;
};

enum class LogicalOperator : std::uint8_t { kAnd, kOr };

// A bare `and` or `or` as an argument: search(title, $terms, and).
struct OperatorWord {
  LogicalOperator op = LogicalOperator::kOr;

  bool operator==(const OperatorWord& other) const = default;
};

// The text inside `timeseries( ... )` in a select, a language of its own.
struct TimeSeriesText {
  std::string text;

  bool operator==(const TimeSeriesText& other) const = default;
};

// An argument may have a name of its own: facet(category, sum(price) as total).
struct Argument {
  Box<Expression> value;
  std::optional<std::string> alias;

  bool operator==(const Argument& other) const = default;
};

// `name(arguments).rest`; `rest` is usually empty: cmpxchg($key).owner.name
struct Call {
  Method method = Method::kFunction;  // kFunction: declared by the query, or unknown
  std::string name;                   // as written, with dots
  std::vector<Argument> arguments;
  Path rest;

  bool operator==(const Call& other) const;
};

enum class CompareOperator : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
};

struct Comparison {
  Box<Expression> left;
  CompareOperator op;
  Box<Expression> right;

  bool operator==(const Comparison& other) const = default;
};

// Both bounds are included.
struct Between {
  Box<Expression> subject;
  Box<Expression> low;
  Box<Expression> high;

  bool operator==(const Between& other) const = default;
};

enum class InMode : std::uint8_t { kAny, kAll };

// `subject in (values)`, `subject all in (values)`. No values at all is legal. A parameter among
// the values may hold an array, which stands for its elements.
struct In {
  Box<Expression> subject;
  InMode mode = InMode::kAny;
  std::vector<Expression> values;

  bool operator==(const In& other) const;
};

struct Not {
  Box<Expression> term;

  bool operator==(const Not& other) const = default;
};

struct Logical {
  LogicalOperator op = LogicalOperator::kAnd;
  std::vector<Expression> terms;

  bool operator==(const Logical& other) const;
};

struct Expression {
  using Node = std::variant<Null, Boolean, Number, String, Parameter, Field, OperatorWord,
                            TimeSeriesText, Call, Comparison, Between, In, Not, Logical>;

  Position at;
  Node node;

  bool operator==(const Expression& other) const;
};

// Text between brackets that this layer delimits and does not read: JavaScript, or the language of
// time series. Starts right after the opening bracket and is kept to the byte.
struct Script {
  Position at;
  std::string text;

  bool operator==(const Script& other) const = default;
};

struct Declare {
  enum class Kind : std::uint8_t { kFunction, kTimeSeries };

  Position at;
  Kind kind = Kind::kFunction;
  std::string name;
  Script parameters;  // the text between the parentheses
  Script body;

  bool operator==(const Declare& other) const = default;
};

struct From {
  enum class Source : std::uint8_t { kCollection, kAllDocuments, kIndex };

  Position at;  // of the name
  Source source = Source::kCollection;
  std::string name;        // as written; empty for kAllDocuments
  bool revisions = false;  // `(Revisions = true)`, for subscriptions
  std::optional<std::string> alias;

  bool operator==(const From& other) const = default;
};

enum class OrderType : std::uint8_t { kString, kLong, kDouble, kAlphaNumeric };
enum class NullsPlacement : std::uint8_t { kFirst, kLast };

struct OrderTerm {
  Expression value;
  std::optional<OrderType> type;
  bool descending = false;
  std::optional<NullsPlacement> nulls;

  bool operator==(const OrderTerm& other) const = default;
};

// `load value as alias`; `as alias[]` loads every document that the path reaches.
struct LoadTerm {
  Expression value;
  std::string alias;
  bool many = false;

  bool operator==(const LoadTerm& other) const = default;
};

struct SelectItem {
  Expression value;
  std::optional<std::string> alias;

  bool operator==(const SelectItem& other) const = default;
};

struct Star {
  bool operator==(const Star& other) const = default;
};

struct Select {
  Position at;
  bool distinct = false;
  // `*`, a list of one item or more, or the text of a JavaScript object literal.
  std::variant<Star, std::vector<SelectItem>, Script> what;

  bool operator==(const Select& other) const = default;
};

// One query. The order of the fields is the order in which print() writes the clauses.
struct Query {
  std::vector<Declare> declares;
  From from;
  std::vector<Expression> group_by;  // each a Field, or a Call of `array`
  std::optional<Expression> where;
  std::vector<OrderTerm> order_by;
  std::vector<LoadTerm> load;
  std::optional<Expression> filter;
  std::optional<Select> select;  // never together with update
  std::optional<Script> update;
  std::vector<Expression> include;  // each a Field, a String holding a path, or a Call
  // Each a Number (an integer that is not negative) or a Parameter.
  std::optional<Expression> limit;
  std::optional<Expression> offset;
  std::optional<Expression> filter_limit;

  bool operator==(const Query& other) const = default;
};

}  // namespace rookery::query
