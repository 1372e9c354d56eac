// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <utility>

#include "keywords.h"
#include "parser.h"

// Everything here that calls itself does so through enter(), which bounds the depth.

namespace rookery::query {
namespace {

struct OperatorRow {
  std::string_view text;
  CompareOperator op;
};

constexpr std::array<OperatorRow, 8> kOperators = {{
    {"=", CompareOperator::kEqual},
    {"==", CompareOperator::kEqual},
    {"!=", CompareOperator::kNotEqual},
    {"<>", CompareOperator::kNotEqual},
    {"<", CompareOperator::kLess},
    {"<=", CompareOperator::kLessOrEqual},
    {">", CompareOperator::kGreater},
    {">=", CompareOperator::kGreaterOrEqual},
}};

// Quotes may quote a name here.
void make_field(Expression& expression) {
  if (const String* string = std::get_if<String>(&expression.node); string != nullptr) {
    expression.node = Field{Path{{PathSegment{string->text, {}}}}};
  }
}

bool is_condition_by_itself(const Expression& expression) {
  return std::holds_alternative<Call>(expression.node) ||
         std::holds_alternative<Boolean>(expression.node);
}

bool is_path_mark(const Token& token) {
  return token.is(".") || token.is("[");
}

}  // namespace

Result<Expression> Parser::parse_or(Allowed allowed) {
  RK_TRY_ASSIGN(Expression first, parse_and(allowed));
  if (!token_.is_word("or")) {
    return first;
  }
  const Position at = first.at;
  Logical logical{LogicalOperator::kOr, {}};
  logical.terms.push_back(std::move(first));
  while (token_.is_word("or")) {
    RK_TRY(advance());
    RK_TRY_ASSIGN(Expression term, parse_and({.bare_operand = false, .negation = true}));
    logical.terms.push_back(std::move(term));
  }
  return Expression{at, std::move(logical)};
}

Result<Expression> Parser::parse_and(Allowed allowed) {
  RK_TRY_ASSIGN(Expression first, parse_term(allowed));
  if (!token_.is_word("and")) {
    return first;
  }
  const Position at = first.at;
  Logical logical{LogicalOperator::kAnd, {}};
  logical.terms.push_back(std::move(first));
  while (token_.is_word("and")) {
    RK_TRY(advance());
    RK_TRY_ASSIGN(Expression term, parse_term({.bare_operand = false, .negation = true}));
    logical.terms.push_back(std::move(term));
  }
  return Expression{at, std::move(logical)};
}

Result<Expression> Parser::parse_term(Allowed allowed) {
  if (!token_.is_word("not") || is_path_mark(peek())) {
    return parse_predicate(allowed);
  }
  if (!allowed.negation) {
    return expected("a condition ('not' must follow 'and' or 'or', as in: true and not ...)");
  }
  const Position at = token_.at;
  RK_TRY(advance());
  RK_TRY_ASSIGN(Expression term, parse_predicate({}));
  return Expression{at, Not{std::move(term)}};
}

Result<Expression> Parser::parse_predicate(Allowed allowed) {
  if (token_.is("(")) {
    return parse_parenthesised();
  }
  RK_TRY_ASSIGN(Expression operand,
                parse_operand(allowed.bare_operand ? Place::kArgument : Place::kOperand));
  for (const OperatorRow& row : kOperators) {
    if (token_.is(row.text)) {
      return parse_comparison(std::move(operand), row.op);
    }
  }
  if (token_.is_word("between")) {
    return parse_between(std::move(operand));
  }
  if (token_.is_word("in")) {
    return parse_in(std::move(operand), InMode::kAny);
  }
  if (token_.is_word("all") && peek().is_word("in")) {
    RK_TRY(advance());
    return parse_in(std::move(operand), InMode::kAll);
  }
  const bool ends_argument = token_.is(",") || token_.is(")") || token_.is_word("as");
  if (is_condition_by_itself(operand) || (allowed.bare_operand && ends_argument)) {
    return operand;
  }
  return expected(allowed.bare_operand ? "an operator, ',' or ')'" : "an operator");
}

Result<Expression> Parser::parse_parenthesised() {
  RK_TRY(enter());
  RK_TRY(advance());
  RK_TRY_ASSIGN(Expression inner, parse_condition());
  RK_TRY(expect(")"));
  leave();
  return inner;
}

Result<Expression> Parser::parse_comparison(Expression left, CompareOperator op) {
  RK_TRY(advance());
  make_field(left);
  const Position at = left.at;
  RK_TRY_ASSIGN(Expression right, parse_operand(Place::kOperand));
  return Expression{at, Comparison{std::move(left), op, std::move(right)}};
}

Result<Expression> Parser::parse_between(Expression subject) {
  RK_TRY(advance());
  make_field(subject);
  const Position at = subject.at;
  RK_TRY_ASSIGN(Expression low, parse_operand(Place::kOperand));
  RK_TRY(expect_word("and"));
  RK_TRY_ASSIGN(Expression high, parse_operand(Place::kOperand));
  return Expression{at, Between{std::move(subject), std::move(low), std::move(high)}};
}

Result<Expression> Parser::parse_in(Expression subject, InMode mode) {
  RK_TRY(advance());
  make_field(subject);
  const Position at = subject.at;
  RK_TRY(expect("("));
  In in{std::move(subject), mode, {}};
  RK_TRY_ASSIGN(bool done, accept(")"));
  while (!done) {
    RK_TRY_ASSIGN(Expression value, parse_operand(Place::kArgument));
    in.values.push_back(std::move(value));
    RK_TRY_ASSIGN(const bool more, accept(","));
    if (!more) {
      RK_TRY(expect(")"));
      done = true;
    }
  }
  return Expression{at, std::move(in)};
}

Result<Expression> Parser::parse_named_operand(Place place) {
  RK_TRY_ASSIGN(Expression operand, parse_operand(place));
  make_field(operand);
  return operand;
}

Result<Expression> Parser::parse_operand(Place place) {
  const Token start = token_;
  switch (start.kind) {
    case TokenKind::kNumber: {
      RK_TRY(advance());
      const bool is_integer = start.text.find_first_of(".eE") == std::string_view::npos;
      return Expression{start.at, Number{std::string(start.text), is_integer}};
    }
    case TokenKind::kParameter:
      RK_TRY(advance());
      return Expression{start.at, Parameter{std::string(start.text)}};
    case TokenKind::kString: {
      if (is_path_mark(peek())) {
        RK_TRY_ASSIGN(Path path, parse_path());
        return Expression{start.at, Field{std::move(path)}};
      }
      RK_TRY_ASSIGN(std::string text, unquote(start));
      RK_TRY(advance());
      return Expression{start.at, String{std::move(text)}};
    }
    case TokenKind::kWord:
      return parse_word_operand(place);
    case TokenKind::kEnd:
    case TokenKind::kPunctuation:
      break;
  }
  return expected("a field, a value or a method");
}

Result<Expression> Parser::parse_word_operand(Place place) {
  const Token start = token_;
  const Token next = peek();
  const bool alone = !is_path_mark(next) && !next.is("(");
  if (alone && is_literal(start.text)) {
    RK_TRY(advance());
    if (start.is_word("null")) {
      return Expression{start.at, Null{}};
    }
    return Expression{start.at, Boolean{start.is_word("true")}};
  }
  const bool ends_argument = place == Place::kArgument && (next.is(",") || next.is(")"));
  const bool reserved_is_name = is_path_mark(next) || ends_argument || place == Place::kInclude;
  if (is_boolean_operator(start.text) && !is_path_mark(next)) {
    return expected("a field, a value or a method");
  }
  if (is_reserved(start.text) && !reserved_is_name) {
    return expected("a field, a value or a method (a field of that name needs quotes)");
  }
  RK_TRY_ASSIGN(Path path, parse_path());
  if (!token_.is("(")) {
    return Expression{start.at, Field{std::move(path)}};
  }
  std::string name;
  for (const PathSegment& segment : path.segments) {
    if (!is_word(segment.name) || !segment.subscripts.empty()) {
      return expected("an operator");
    }
    name += (name.empty() ? "" : ".") + segment.name;
  }
  return parse_call(start.at, std::move(name));
}

Result<Path> Parser::parse_path() {
  Path path;
  RK_TRY_ASSIGN(PathSegment first, parse_segment());
  path.segments.push_back(std::move(first));
  RK_TRY(parse_more_segments(path));
  return path;
}

Result<void> Parser::parse_more_segments(Path& path) {
  while (token_.is(".")) {
    RK_TRY(advance());
    RK_TRY_ASSIGN(PathSegment segment, parse_segment());
    path.segments.push_back(std::move(segment));
  }
  return {};
}

Result<PathSegment> Parser::parse_segment() {
  PathSegment segment;
  RK_TRY_ASSIGN(segment.name, parse_name("the name of a field"));
  while (token_.is("[")) {
    RK_TRY(advance());
    Subscript subscript;
    if (!token_.is("]")) {
      std::uint32_t index = 0;
      const char* end = token_.text.data() + token_.text.size();
      const auto parsed = std::from_chars(token_.text.data(), end, index);
      if (token_.kind != TokenKind::kNumber || parsed.ec != std::errc{} || parsed.ptr != end) {
        return expected("']' or the number of an element");
      }
      subscript.index = index;
      RK_TRY(advance());
    }
    RK_TRY(expect("]"));
    segment.subscripts.push_back(subscript);
  }
  return segment;
}

Result<std::string> Parser::parse_name(std::string_view what) {
  if (token_.kind == TokenKind::kWord) {
    std::string name(token_.text);
    RK_TRY(advance());
    return name;
  }
  if (token_.kind == TokenKind::kString) {
    RK_TRY_ASSIGN(std::string name, unquote(token_));
    RK_TRY(advance());
    return name;
  }
  return expected(what);
}

Result<Expression> Parser::parse_call(const Position& at, std::string name) {
  Call call;
  call.method = declared_.contains(name) ? Method::kFunction : method_named(name);
  call.name = std::move(name);
  RK_TRY(enter());
  if (call.method == Method::kTimeSeries && peek().is_word("from")) {
    const Position text_at = lexer_.position();
    RK_TRY_ASSIGN(Script script, lexer_.take_balanced(token_.at, ')'));
    call.arguments.push_back(
        {Expression{text_at, TimeSeriesText{std::move(script.text)}}, std::nullopt});
    RK_TRY(advance());
  } else {
    RK_TRY(advance());
    RK_TRY(parse_arguments(call.arguments));
  }
  leave();
  if (takes_field(call.method) && !call.arguments.empty()) {
    make_field(*call.arguments.front().value);
  }
  if (token_.is(".")) {
    RK_TRY(parse_more_segments(call.rest));
  }
  return Expression{at, std::move(call)};
}

Result<void> Parser::parse_arguments(std::vector<Argument>& arguments) {
  RK_TRY_ASSIGN(bool done, accept(")"));
  while (!done) {
    RK_TRY_ASSIGN(Argument argument, parse_argument());
    arguments.push_back(std::move(argument));
    RK_TRY_ASSIGN(const bool more, accept(","));
    if (!more) {
      if (!token_.is(")")) {
        return expected("',' or ')'");
      }
      RK_TRY(advance());
      done = true;
    }
  }
  return {};
}

Result<Argument> Parser::parse_argument() {
  const Position at = token_.at;
  const bool is_and = token_.is_word("and");
  if (is_and || token_.is_word("or")) {
    const Token next = peek();
    if (next.is(",") || next.is(")")) {
      RK_TRY(advance());
      const LogicalOperator op = is_and ? LogicalOperator::kAnd : LogicalOperator::kOr;
      return Argument{Expression{at, OperatorWord{op}}, std::nullopt};
    }
  }
  RK_TRY_ASSIGN(Expression value, parse_or({.bare_operand = true, .negation = false}));
  Argument argument{std::move(value), std::nullopt};
  RK_TRY_ASSIGN(const bool named, accept_word("as"));
  if (named) {
    RK_TRY_ASSIGN(argument.alias, parse_name("an alias"));
  }
  return argument;
}

}  // namespace rookery::query
