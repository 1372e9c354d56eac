// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rookery/base/prng.h"
#include "rookery/query/ast.h"

#include "keywords.h"

// Purpose. Random trees that keep the invariants of ast.h, for tests.

namespace rookery::query {

class RandomQuery {
 public:
  // `depth` bounds how deep conditions and calls nest.
  RandomQuery(Prng& prng, std::uint64_t depth) : prng_(prng), depth_(depth) {}

  Query query() {
    Query query;
    for (std::uint64_t i = 0; i < prng_.below(2); ++i) {
      query.declares.push_back(declare());
      declared_ = query.declares.back().name;
    }
    query.from = from();
    fill(query.group_by, 3, [&] { return group_key(); });
    maybe(query.where, [&] { return condition(depth_); });
    fill(query.order_by, 3, [&] { return order_term(); });
    fill(query.load, 3, [&] { return LoadTerm{named_operand(1), any_name(), prng_.chance(3)}; });
    maybe(query.filter, [&] { return condition(depth_); });
    if (prng_.chance(2)) {
      query.select = select();
    } else if (prng_.chance(3)) {
      query.update = script();
    }
    fill(query.include, 3, [&] { return include(); });
    maybe(query.limit, [&] { return count(); });
    maybe(query.offset, [&] { return count(); });
    maybe(query.filter_limit, [&] { return count(); });
    return query;
  }

 private:
  template <typename T, typename Make>
  void fill(std::vector<T>& items, std::uint64_t size_max, Make make) {
    for (std::uint64_t size = prng_.chance(2) ? prng_.below(size_max + 1) : 0; size > 0; --size) {
      items.push_back(make());
    }
  }

  template <typename T, typename Make>
  void maybe(std::optional<T>& value, Make make) {
    if (prng_.chance(2)) {
      value = make();
    }
  }

  template <typename T>
  std::string one_of(const T& texts) {
    return std::string(texts[prng_.below(std::size(texts))]);
  }

  static Expression expression(Expression::Node node) { return {{}, std::move(node)}; }

  std::string word() {
    static constexpr std::string_view kWords[] = {
        "a",     "name",     "Lines",   "@metadata",  "@last-modified",
        "x_1",   "\xC3\xA9", "index",   "limit",      "from",
        "all",   "in",       "asc",     "distinct",   "nulls",
        "match", "with",     "declare", "timeseries", "revisions"};
    return one_of(kWords);
  }

  // Any text at all can be a name, in quotes.
  std::string any_name() {
    static constexpr std::string_view kNames[] = {"select", "order", "and", "not", "true", "null",
                                                  "a b",    "a.b",   "",    "5",   "$p",   "[]"};
    return prng_.chance(3) ? one_of(kNames) : prng_.chance(3) ? text() : word();
  }

  std::string text() {
    static constexpr std::string_view kPieces[] = {
        "a",  "Z",  "'", "\"", "\\", "\n",   "\r", "\t",           "\\u", "''",
        "//", "/*", "}", ")",  " ",  "\x01", "\b", "\xE2\x82\xAC", "\\d", "$"};
    std::string out;
    for (std::uint64_t size = prng_.below(6); size > 0; --size) {
      out += one_of(kPieces);
    }
    return out;
  }

  Script script() {
    static constexpr std::string_view kPieces[] = {
        " a ", "{ b }", "'}'", "`${c}}`", "/* } */", "// }\n", " = /}/; ", "\n", ";", "x / y"};
    Script script;
    for (std::uint64_t size = prng_.below(6); size > 0; --size) {
      script.text += one_of(kPieces);
    }
    // A division before a comment that holds a brace would still be one.
    script.text += ";";
    return script;
  }

  Declare declare() {
    static constexpr std::string_view kParameters[] = {"", "a", " a, b ", "a = ')'", "a // x\n"};
    static constexpr std::string_view kBodies[] = {"", "\n from a.b\n", "from '}' where (c",
                                                   "//}\n"};
    static constexpr std::string_view kNames[] = {"f", "sum", "search", "from", "select"};
    Declare declare;
    declare.name = one_of(kNames);
    declare.parameters.text = one_of(kParameters);
    if (prng_.chance(2)) {
      declare.kind = Declare::Kind::kTimeSeries;
      declare.body.text = one_of(kBodies);
    } else {
      declare.body = script();
    }
    return declare;
  }

  From from() {
    From from;
    from.source = static_cast<From::Source>(prng_.below(3));
    if (from.source != From::Source::kAllDocuments) {
      from.name = any_name();
    }
    from.revisions = prng_.chance(4);
    maybe(from.alias, [&] { return any_name(); });
    return from;
  }

  PathSegment segment() {
    PathSegment segment{any_name(), {}};
    while (prng_.chance(4)) {
      segment.subscripts.push_back({});
      maybe(segment.subscripts.back().index,
            [&] { return static_cast<std::uint32_t>(prng_.next()); });
    }
    return segment;
  }

  Path path(std::uint64_t size_max) {
    Path path;
    for (std::uint64_t size = 1 + prng_.below(size_max); size > 0; --size) {
      path.segments.push_back(segment());
    }
    return path;
  }

  // A field where quotes quote a name.
  Expression named_field() { return expression(Field{path(3)}); }

  // A field where quotes make a string: without dot or bracket, its name must do without quotes.
  Expression bare_field() {
    Path made = path(3);
    const bool single = made.segments.size() == 1 && made.segments[0].subscripts.empty();
    if (single && !is_plain_name(made.segments[0].name)) {
      made.segments[0].name = word();
    }
    return expression(Field{std::move(made)});
  }

  Expression number() {
    static constexpr std::string_view kIntegers[] = {"0", "-0", "12345678901234567890123", "-7"};
    static constexpr std::string_view kOthers[] = {"0.50", "-1e5", "1.5E-10", "2e+3"};
    const bool is_integer = prng_.chance(2);
    return expression(Number{is_integer ? one_of(kIntegers) : one_of(kOthers), is_integer});
  }

  Expression count() {
    return prng_.chance(2) ? expression(Parameter{"p0"})
                           : expression(Number{std::to_string(prng_.below(1000)), true});
  }

  Expression literal() {
    switch (prng_.below(6)) {
      case 0:
        return expression(Null{});
      case 1:
        return expression(Boolean{prng_.chance(2)});
      case 2:
        return expression(Parameter{"p_\xC3\xA9"});
      case 3:
        return number();
      default:
        return expression(String{text()});
    }
  }

  Expression value(std::uint64_t depth) {
    return prng_.chance(4) ? call(depth) : prng_.chance(4) ? bare_field() : literal();
  }

  Expression named_operand(std::uint64_t depth) {
    if (prng_.chance(3)) {
      return call(depth);
    }
    Expression operand = prng_.chance(4) ? literal() : named_field();
    return std::holds_alternative<String>(operand.node) ? named_field() : operand;
  }

  Expression call(std::uint64_t depth) {
    static constexpr std::string_view kNames[] = {
        "f",   "search", "SUM",   "boost", "facet",      "id",    "spatial.within",
        "o.g", "when",   "array", "key",   "timeseries", "limit", "in"};
    Call call;
    call.name = one_of(kNames);
    call.method = call.name == declared_ ? Method::kFunction : method_named(call.name);
    if (call.method == Method::kTimeSeries && prng_.chance(2)) {
      static constexpr std::string_view kTexts[] = {"from a", " from a where (b = ')') // )\n"};
      call.arguments.push_back({expression(TimeSeriesText{one_of(kTexts)}), std::nullopt});
    } else if (depth > 0) {
      fill(call.arguments, 3, [&] { return argument(depth - 1); });
      if (takes_field(call.method) && !call.arguments.empty() && prng_.chance(2)) {
        call.arguments[0].value = named_field();
      }
      make_first_a_field(call);
    }
    if (prng_.chance(8)) {
      call.rest = path(2);
    }
    return expression(std::move(call));
  }

  void make_first_a_field(Call& call) {
    if (!call.arguments.empty()) {
      Expression& first = *call.arguments[0].value;
      const bool quoted = std::holds_alternative<String>(first.node);
      const bool is_from = print_is_from(first) && call.method == Method::kTimeSeries;
      if ((quoted && takes_field(call.method)) || is_from) {
        first = expression(Parameter{"p"});
      }
    }
  }

  // timeseries(from ...) is text.
  static bool print_is_from(const Expression& first) {
    const Field* field = std::get_if<Field>(&first.node);
    return field != nullptr && field->path.segments[0].name == "from";
  }

  Argument argument(std::uint64_t depth) {
    Argument argument{expression(Null{}), std::nullopt};
    switch (prng_.below(4)) {
      case 0:
        argument.value = condition(depth);
        break;
      case 1:
        argument.value = expression(OperatorWord{static_cast<LogicalOperator>(prng_.below(2))});
        return argument;  // `and as x` is no argument
      default:
        argument.value = value(depth);
    }
    maybe(argument.alias, [&] { return any_name(); });
    return argument;
  }

  Expression condition(std::uint64_t depth) {
    return depth > 0 && prng_.chance(2) ? logical(depth, any_operator()) : predicate(depth);
  }

  LogicalOperator any_operator() { return static_cast<LogicalOperator>(prng_.below(2)); }

  Expression logical(std::uint64_t depth, LogicalOperator op) {
    Logical logical{op, {}};
    for (std::uint64_t size = 2 + prng_.below(3); size > 0; --size) {
      const bool first = logical.terms.empty();
      if (!first && prng_.chance(3)) {
        logical.terms.push_back(expression(Not{condition(depth - 1)}));
      } else if (!first && op == LogicalOperator::kOr && prng_.chance(4)) {
        logical.terms.push_back(conjunction_with_not(depth - 1));
      } else {
        logical.terms.push_back(condition(depth - 1));
      }
    }
    return expression(std::move(logical));
  }

  // ... or not a and b
  Expression conjunction_with_not(std::uint64_t depth) {
    Logical logical{LogicalOperator::kAnd, {}};
    logical.terms.push_back(expression(Not{condition(depth)}));
    logical.terms.push_back(condition(depth));
    return expression(std::move(logical));
  }

  Expression predicate(std::uint64_t depth) {
    switch (prng_.below(6)) {
      case 0:
        return call(depth);
      case 1:
        return expression(Boolean{prng_.chance(2)});
      case 2:
        return expression(Between{named_operand(depth), value(depth), value(depth)});
      case 3: {
        In in{named_operand(depth), static_cast<InMode>(prng_.below(2)), {}};
        fill(in.values, 4, [&] { return value(depth); });
        return expression(std::move(in));
      }
      default:
        return expression(Comparison{named_operand(depth),
                                     static_cast<CompareOperator>(prng_.below(6)), value(depth)});
    }
  }

  Expression group_key() {
    if (prng_.chance(3) && declared_ != "array") {
      Call call{Method::kArray, "Array", {}, {}};
      call.arguments.push_back({named_field(), std::nullopt});
      return expression(std::move(call));
    }
    return named_field();
  }

  OrderTerm order_term() {
    OrderTerm term{prng_.chance(3) ? call(1) : named_field(), {}, prng_.chance(2), {}};
    maybe(term.type, [&] { return static_cast<OrderType>(prng_.below(4)); });
    maybe(term.nulls, [&] { return static_cast<NullsPlacement>(prng_.below(2)); });
    return term;
  }

  Select select() {
    Select select;
    select.distinct = prng_.chance(3);
    if (prng_.chance(4)) {
      select.what = script();
    } else if (prng_.chance(4)) {
      select.what = Star{};
    } else {
      std::vector<SelectItem> items;
      for (std::uint64_t size = 1 + prng_.below(3); size > 0; --size) {
        items.push_back({named_operand(depth_), std::nullopt});
        maybe(items.back().alias, [&] { return any_name(); });
      }
      select.what = std::move(items);
    }
    return select;
  }

  Expression include() {
    return prng_.chance(3) ? expression(String{text()}) : prng_.chance(2) ? bare_field() : call(1);
  }

  Prng& prng_;
  std::uint64_t depth_;
  std::string declared_;
};

}  // namespace rookery::query
