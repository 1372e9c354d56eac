// SPDX-License-Identifier: Apache-2.0
#include "parser.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "ascii.h"
#include "keywords.h"

namespace rookery::query {
namespace {

struct ClauseRow {
  std::string_view keyword;
  // Clauses come in steps: what is read and in which order, what is answered, what comes along.
  // Within a step any order will do, because the clients and the documentation differ. Step 0 may
  // stand anywhere.
  int step;
};

constexpr std::array<ClauseRow, 11> kClauses = {{
    {"where", 1},
    {"group", 1},
    {"order", 1},
    {"load", 1},
    {"filter", 0},
    {"filter_limit", 0},
    {"select", 2},
    {"update", 2},
    {"include", 3},
    {"limit", 3},
    {"offset", 3},
}};

int step_of(std::string_view keyword) {
  const auto* row = std::find_if(kClauses.begin(), kClauses.end(),
                                 [&](const ClauseRow& each) { return each.keyword == keyword; });
  return row->step;
}

}  // namespace

Result<Query> parse(std::string_view text, const ParseOptions& options) {
  const std::size_t size_max =
      std::min<std::size_t>(options.size_bytes_max, std::numeric_limits<std::uint32_t>::max());
  if (text.size() > size_max) {
    return Error(ErrorCode::too_large, "the query has " + std::to_string(text.size()) +
                                           " bytes, more than the " + std::to_string(size_max) +
                                           " allowed, at 1:1");
  }
  return Parser(text, options).parse_query();
}

Result<Query> Parser::parse_query() {
  Query query;
  RK_TRY(advance());
  while (token_.is_word("declare")) {
    RK_TRY(parse_declare(query));
  }
  RK_TRY(refuse_graph());
  RK_TRY(expect_word("from"));
  RK_TRY(parse_from(query.from));
  while (token_.kind != TokenKind::kEnd) {
    RK_TRY(parse_clause(query));
  }
  return query;
}

Result<void> Parser::parse_declare(Query& query) {
  Declare declare;
  declare.at = token_.at;
  RK_TRY(advance());
  if (token_.is_word("timeseries")) {
    declare.kind = Declare::Kind::kTimeSeries;
  } else if (!token_.is_word("function")) {
    return expected("'function' or 'timeseries'");
  }
  RK_TRY(advance());
  if (token_.kind != TokenKind::kWord) {
    return expected("the name of the function");
  }
  declare.name = token_.text;
  RK_TRY(advance());
  if (!token_.is("(")) {
    return expected("'('");
  }
  RK_TRY_ASSIGN(declare.parameters, lexer_.take_balanced(token_.at, ')'));
  RK_TRY(advance());
  RK_TRY_ASSIGN(declare.body, parse_braces(declare.kind));
  if (!declared_.insert(declare.name).second) {
    return syntax_error(declare.at, "expected one '" + declare.name + "', found another declared");
  }
  query.declares.push_back(std::move(declare));
  return {};
}

// Time series are written with RQL's strings and comments, the rest is JavaScript.
Result<Script> Parser::parse_braces(Declare::Kind kind) {
  if (!token_.is("{")) {
    return expected("'{'");
  }
  auto script = kind == Declare::Kind::kTimeSeries ? lexer_.take_balanced(token_.at, '}')
                                                   : lexer_.take_javascript(token_.at);
  if (script.has_value()) {
    RK_TRY(advance());
  }
  return script;
}

Result<void> Parser::refuse_graph() const {
  const bool is_with = token_.is_word("with") && (peek().is("{") || peek().is_word("edges"));
  if (is_with || token_.is_word("match")) {
    return Error(ErrorCode::not_supported, "not supported: graph queries (" + describe(token_) +
                                               " at " + to_string(token_.at) + ")");
  }
  return {};
}

Result<void> Parser::parse_from(From& from) {
  RK_TRY(parse_source(from));
  if (token_.is("(")) {
    RK_TRY(parse_revisions(from));
  }
  if (token_.is_word("as")) {
    RK_TRY(advance());
    RK_TRY_ASSIGN(from.alias, parse_name("an alias"));
  } else if (token_.kind == TokenKind::kWord && !begins_clause(token_.text)) {
    RK_TRY_ASSIGN(from.alias, parse_name("an alias"));
  }
  return {};
}

Result<void> Parser::parse_source(From& from) {
  const Token next = peek();
  // A collection may be called `index`, and then stands alone or has something else behind it.
  if (token_.is_word("index") && (next.kind == TokenKind::kString ||
                                  (next.kind == TokenKind::kWord && !begins_clause(next.text)))) {
    RK_TRY(advance());
    from.source = From::Source::kIndex;
  }
  from.at = token_.at;
  if (token_.kind == TokenKind::kWord && is_reserved(token_.text)) {
    return expected("a collection, @all_docs or an index");
  }
  RK_TRY_ASSIGN(from.name, parse_name("a collection, @all_docs or an index"));
  if (from.source == From::Source::kCollection && equal_ignoring_case(from.name, "@all_docs")) {
    from.source = From::Source::kAllDocuments;
    from.name.clear();
  }
  return {};
}

Result<void> Parser::parse_revisions(From& from) {
  RK_TRY(advance());
  RK_TRY(expect_word("revisions"));
  RK_TRY(expect("="));
  if (!token_.is_word("true") && !token_.is_word("false")) {
    return expected("'true' or 'false'");
  }
  from.revisions = token_.is_word("true");
  RK_TRY(advance());
  return expect(")");
}

Result<void> Parser::parse_clause(Query& query) {
  for (const ClauseRow& row : kClauses) {
    if (token_.is_word(row.keyword)) {
      RK_TRY(check_order(row.keyword));
      RK_TRY(advance());
      return parse_body(row.keyword, query);
    }
  }
  return expected("a clause or the end of the query");
}

Result<void> Parser::check_order(std::string_view keyword) {
  const int step = step_of(keyword);
  for (const std::string_view seen : clauses_seen_) {
    if (seen == keyword) {
      return syntax_error(token_.at, "expected one '" + std::string(keyword) + "', found another");
    }
    if (step == 2 && step_of(seen) == 2) {
      return syntax_error(token_.at, "expected 'select' or 'update', found both");
    }
    if (step != 0 && step < step_of(seen)) {
      return syntax_error(token_.at, "expected '" + std::string(keyword) + "' before '" +
                                         std::string(seen) + "', found it behind");
    }
  }
  clauses_seen_.push_back(keyword);
  return {};
}

Result<void> Parser::parse_body(std::string_view keyword, Query& query) {
  using Body = Result<void> (Parser::*)(Query&);
  // In the order of kClauses.
  constexpr std::array<Body, kClauses.size()> kBodies = {
      &Parser::parse_where,  &Parser::parse_group_by, &Parser::parse_order_by,
      &Parser::parse_load,   &Parser::parse_filter,   &Parser::parse_filter_limit,
      &Parser::parse_select, &Parser::parse_update,   &Parser::parse_include,
      &Parser::parse_limit,  &Parser::parse_offset,
  };
  std::size_t i = 0;
  while (kClauses[i].keyword != keyword) {
    ++i;
  }
  return (this->*kBodies[i])(query);
}

Result<void> Parser::parse_where(Query& query) {
  RK_TRY_ASSIGN(query.where, parse_condition());
  return {};
}

Result<void> Parser::parse_filter(Query& query) {
  RK_TRY_ASSIGN(query.filter, parse_condition());
  return {};
}

Result<void> Parser::parse_group_by(Query& query) {
  RK_TRY(expect_word("by"));
  for (bool more = true; more;) {
    const Token start = token_;
    RK_TRY_ASSIGN(Expression key, parse_named_operand(Place::kOperand));
    const Call* call = std::get_if<Call>(&key.node);
    if (!std::holds_alternative<Field>(key.node) &&
        (call == nullptr || call->method != Method::kArray)) {
      return syntax_error(start.at, "expected a field or array(field), found " + describe(start));
    }
    query.group_by.push_back(std::move(key));
    RK_TRY_ASSIGN(more, accept(","));
  }
  return {};
}

Result<void> Parser::parse_order_by(Query& query) {
  RK_TRY(expect_word("by"));
  for (bool more = true; more;) {
    RK_TRY_ASSIGN(OrderTerm term, parse_order_term());
    query.order_by.push_back(std::move(term));
    RK_TRY_ASSIGN(more, accept(","));
  }
  return {};
}

Result<OrderTerm> Parser::parse_order_term() {
  const Token start = token_;
  RK_TRY_ASSIGN(Expression value, parse_named_operand(Place::kOperand));
  if (!std::holds_alternative<Field>(value.node) && !std::holds_alternative<Call>(value.node)) {
    return syntax_error(start.at, "expected a field or a method, found " + describe(start));
  }
  OrderTerm term{std::move(value), std::nullopt, false, std::nullopt};
  if (token_.is_word("as")) {
    RK_TRY(advance());
    constexpr std::array<std::string_view, 4> kTypes = {"string", "long", "double", "alphaNumeric"};
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      if (token_.is_word(kTypes[i])) {
        term.type = static_cast<OrderType>(i);
      }
    }
    if (!term.type.has_value()) {
      return expected("'string', 'long', 'double' or 'alphaNumeric'");
    }
    RK_TRY(advance());
  }
  if (token_.is_word("desc") || token_.is_word("descending")) {
    term.descending = true;
    RK_TRY(advance());
  } else if (token_.is_word("asc") || token_.is_word("ascending")) {
    RK_TRY(advance());
  }
  if (token_.is_word("nulls")) {
    RK_TRY(advance());
    if (!token_.is_word("first") && !token_.is_word("last")) {
      return expected("'first' or 'last'");
    }
    term.nulls = token_.is_word("first") ? NullsPlacement::kFirst : NullsPlacement::kLast;
    RK_TRY(advance());
  }
  return term;
}

Result<void> Parser::parse_load(Query& query) {
  for (bool more = true; more;) {
    RK_TRY_ASSIGN(LoadTerm term, parse_load_term());
    query.load.push_back(std::move(term));
    RK_TRY_ASSIGN(more, accept(","));
  }
  return {};
}

Result<LoadTerm> Parser::parse_load_term() {
  RK_TRY_ASSIGN(Expression value, parse_named_operand(Place::kOperand));
  LoadTerm term{std::move(value), {}, false};
  RK_TRY(expect_word("as"));
  RK_TRY_ASSIGN(term.alias, parse_name("an alias"));
  RK_TRY_ASSIGN(term.many, accept("["));
  if (term.many) {
    RK_TRY(expect("]"));
  }
  return term;
}

Result<void> Parser::parse_select(Query& query) {
  Select select;
  select.at = token_.at;
  if (token_.is_word("distinct")) {
    // A field may have this name; then the list goes on, or ends, right behind it.
    const Token next = peek();
    if (next.kind != TokenKind::kEnd && !next.is(",") && !next.is(".") && !next.is_word("as")) {
      select.distinct = true;
      RK_TRY(advance());
    }
  }
  if (token_.is("{")) {
    RK_TRY_ASSIGN(select.what, parse_braces(Declare::Kind::kFunction));
  } else if (token_.is("*")) {
    RK_TRY(advance());
  } else {
    RK_TRY_ASSIGN(select.what, parse_select_items());
  }
  query.select = std::move(select);
  return {};
}

Result<std::vector<SelectItem>> Parser::parse_select_items() {
  std::vector<SelectItem> items;
  for (bool more = true; more;) {
    RK_TRY_ASSIGN(Expression value, parse_named_operand(Place::kOperand));
    SelectItem item{std::move(value), std::nullopt};
    RK_TRY_ASSIGN(const bool named, accept_word("as"));
    if (named) {
      RK_TRY_ASSIGN(item.alias, parse_name("an alias"));
    }
    items.push_back(std::move(item));
    RK_TRY_ASSIGN(more, accept(","));
  }
  return items;
}

Result<void> Parser::parse_update(Query& query) {
  RK_TRY_ASSIGN(query.update, parse_braces(Declare::Kind::kFunction));
  return {};
}

Result<void> Parser::parse_include(Query& query) {
  for (bool more = true; more;) {
    const Token start = token_;
    RK_TRY_ASSIGN(Expression item, parse_operand(Place::kInclude));
    if (!std::holds_alternative<Field>(item.node) && !std::holds_alternative<String>(item.node) &&
        !std::holds_alternative<Call>(item.node)) {
      return syntax_error(start.at, "expected a path or a method, found " + describe(start));
    }
    query.include.push_back(std::move(item));
    RK_TRY_ASSIGN(more, accept(","));
  }
  return {};
}

Result<void> Parser::parse_limit(Query& query) {
  RK_TRY_ASSIGN(Expression first, parse_count());
  RK_TRY_ASSIGN(const bool two, accept(","));
  if (!two) {
    query.limit = std::move(first);
    return {};
  }
  if (query.offset.has_value()) {
    return syntax_error(first.at, "expected one offset, found another");
  }
  query.offset = std::move(first);
  RK_TRY_ASSIGN(query.limit, parse_count());
  return {};
}

Result<void> Parser::parse_offset(Query& query) {
  if (query.offset.has_value()) {
    return syntax_error(token_.at, "expected one offset, found another");
  }
  RK_TRY_ASSIGN(query.offset, parse_count());
  return {};
}

Result<void> Parser::parse_filter_limit(Query& query) {
  RK_TRY_ASSIGN(query.filter_limit, parse_count());
  return {};
}

Result<Expression> Parser::parse_count() {
  const Token start = token_;
  RK_TRY_ASSIGN(Expression count, parse_operand(Place::kOperand));
  const Number* number = std::get_if<Number>(&count.node);
  const bool is_count = number != nullptr && number->is_integer && !number->text.starts_with('-');
  if (!is_count && !std::holds_alternative<Parameter>(count.node)) {
    return syntax_error(start.at,
                        "expected a whole number or a parameter, found " + describe(start));
  }
  return count;
}

Result<void> Parser::advance() {
  RK_TRY_ASSIGN(token_, lexer_.next());
  return {};
}

Token Parser::peek() const {
  Lexer ahead = lexer_;
  auto token = ahead.next();
  // What is wrong with it is said when it is reached.
  return token.has_value() ? *token : Token{};
}

Result<void> Parser::expect_word(std::string_view word) {
  if (!token_.is_word(word)) {
    return expected("'" + std::string(word) + "'");
  }
  return advance();
}

Result<void> Parser::expect(std::string_view punctuation) {
  if (!token_.is(punctuation)) {
    return expected("'" + std::string(punctuation) + "'");
  }
  return advance();
}

Result<bool> Parser::accept(std::string_view punctuation) {
  const bool found = token_.is(punctuation);
  if (found) {
    RK_TRY(advance());
  }
  return found;
}

Result<bool> Parser::accept_word(std::string_view word) {
  const bool found = token_.is_word(word);
  if (found) {
    RK_TRY(advance());
  }
  return found;
}

Error Parser::expected(std::string_view what) const {
  return syntax_error(token_.at, "expected " + std::string(what) + ", found " + describe(token_));
}

Result<void> Parser::enter() {
  if (depth_ >= options_.depth_max) {
    return Error(ErrorCode::too_large, "more than " + std::to_string(options_.depth_max) +
                                           " parentheses inside each other at " +
                                           to_string(token_.at));
  }
  ++depth_;
  return {};
}

}  // namespace rookery::query
