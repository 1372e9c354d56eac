// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"
#include "rookery/query/ast.h"
#include "rookery/query/parse.h"

#include "lexer.h"

// Purpose. Recursive descent over the tokens of one query, one token ahead. parser.cc has the
// clauses, parser_expression.cc what stands inside them. Used once, then thrown away: after an
// error its state means nothing.

namespace rookery::query {

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options) : options_(options), lexer_(text) {}

  Result<Query> parse_query();

 private:
  // Where an operand stands decides which bare words may be one.
  enum class Place : std::uint8_t {
    kOperand,   // any but reserved words
    kArgument,  // reserved words too, if the argument ends there: sum(order)
    kInclude,   // every word: include order
  };

  // What may begin a condition.
  struct Allowed {
    bool bare_operand = false;  // an argument may be just a field or a value
    bool negation = false;      // `not` only follows `and` or `or`
  };

  // Clauses.
  Result<void> parse_declare(Query& query);
  Result<void> refuse_graph() const;
  Result<void> parse_from(From& from);
  Result<void> parse_source(From& from);
  Result<void> parse_revisions(From& from);
  Result<void> parse_clause(Query& query);
  Result<void> parse_body(std::string_view keyword, Query& query);
  Result<void> check_order(std::string_view keyword);
  Result<void> parse_where(Query& query);
  Result<void> parse_group_by(Query& query);
  Result<void> parse_order_by(Query& query);
  Result<OrderTerm> parse_order_term();
  Result<void> parse_load(Query& query);
  Result<LoadTerm> parse_load_term();
  Result<void> parse_filter(Query& query);
  Result<void> parse_select(Query& query);
  Result<std::vector<SelectItem>> parse_select_items();
  Result<void> parse_update(Query& query);
  Result<void> parse_include(Query& query);
  Result<void> parse_limit(Query& query);
  Result<void> parse_offset(Query& query);
  Result<void> parse_filter_limit(Query& query);
  Result<Expression> parse_count();

  // Expressions.
  Result<Expression> parse_condition() { return parse_or({}); }

  Result<Expression> parse_or(Allowed allowed);
  Result<Expression> parse_and(Allowed allowed);
  Result<Expression> parse_term(Allowed allowed);
  Result<Expression> parse_predicate(Allowed allowed);
  Result<Expression> parse_parenthesised();
  Result<Expression> parse_comparison(Expression left, CompareOperator op);
  Result<Expression> parse_between(Expression subject);
  Result<Expression> parse_in(Expression subject, InMode mode);
  Result<Expression> parse_operand(Place place);
  Result<Expression> parse_word_operand(Place place);
  // An operand where quotes quote a name.
  Result<Expression> parse_named_operand(Place place);
  Result<Path> parse_path();
  Result<void> parse_more_segments(Path& path);
  Result<PathSegment> parse_segment();
  Result<Expression> parse_call(const Position& at, std::string name);
  Result<void> parse_arguments(std::vector<Argument>& arguments);
  Result<Argument> parse_argument();
  Result<std::string> parse_name(std::string_view what);
  Result<Script> parse_braces(Declare::Kind kind);

  // Tokens.
  Result<void> advance();
  // What follows the current token; the end of the text if it is no token at all.
  [[nodiscard]] Token peek() const;
  // Moves behind the keyword or punctuation, or fails.
  Result<void> expect_word(std::string_view word);
  Result<void> expect(std::string_view punctuation);
  Result<bool> accept(std::string_view punctuation);
  Result<bool> accept_word(std::string_view word);
  [[nodiscard]] Error expected(std::string_view what) const;
  Result<void> enter();

  void leave() { --depth_; }

  const ParseOptions options_;
  Lexer lexer_;  // stands behind token_
  Token token_;
  std::uint32_t depth_ = 0;
  std::set<std::string, std::less<>> declared_;  // by this query; these hide our methods
  std::vector<std::string_view> clauses_seen_;
};

}  // namespace rookery::query
