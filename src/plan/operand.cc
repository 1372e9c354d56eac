// SPDX-License-Identifier: Apache-2.0
// Fields, values, counts and orders: what conditions are made of.
#include "operand.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "rookery/plan/condition.h"
#include "rookery/query/print.h"
#include "rookery/value/date.h"

#include "errors.h"

namespace rookery::plan {

namespace {

using query::Expression;
using query::Method;

[[nodiscard]] bool is_alias(const query::Path& path, const Scope& scope) {
  return scope.query.from.alias && path.segments.front().name == *scope.query.from.alias &&
         path.segments.front().subscripts.empty();
}

[[nodiscard]] Result<Field> field_of_path(query::Path path, const query::Position& at,
                                          const Scope& scope) {
  for (const query::LoadTerm& load : scope.query.load) {
    if (path.segments.front().name == load.alias) {
      return not_yet_at("load", at);
    }
  }
  if (is_alias(path, scope)) {
    if (path.segments.size() == 1) {
      return invalid_at("expected a field, found the document `" + *scope.query.from.alias + "`",
                        at);
    }
    path.segments.erase(path.segments.begin());
  }
  return Field{.kind = Field::Kind::kPath, .path = std::move(path)};
}

// id() and id(u), where u is the alias of `from`.
[[nodiscard]] Result<Field> field_of_id(const query::Call& call, const query::Position& at,
                                        const Scope& scope) {
  if (!call.rest.segments.empty() || call.arguments.size() > 1) {
    return invalid_at("expected id() without arguments", at);
  }
  if (call.arguments.size() == 1) {
    const auto* const of = std::get_if<query::Field>(&call.arguments[0].value->node);
    if (of == nullptr || of->path.segments.size() != 1 || !is_alias(of->path, scope)) {
      return invalid_at("expected id() of the document that `from` names", at);
    }
  }
  return Field{.kind = Field::Kind::kId, .path = {}};
}

[[nodiscard]] Result<Scalar> scalar_of_number(const query::Number& number,
                                              const query::Position& at) {
  const char* const first = number.text.data();
  const char* const last = first + number.text.size();
  if (number.is_integer) {
    std::int64_t value = 0;
    if (const auto read = std::from_chars(first, last, value);
        read.ec == std::errc() && read.ptr == last) {
      return Scalar(value);
    }
  }
  double value = 0.0;
  const auto read = std::from_chars(first, last, value);
  // A number too small for a double is out of range, too, as far as from_chars says.
  if (read.ptr != last || (read.ec != std::errc() && read.ec != std::errc::result_out_of_range)) {
    return invalid_at("cannot read the number " + number.text, at);
  }
  if (read.ec == std::errc::result_out_of_range) {
    value = std::strtod(number.text.c_str(), nullptr);
  }
  if (!std::isfinite(value)) {
    return invalid_at("the number " + number.text + " is too large", at);
  }
  return Scalar(value);
}

[[nodiscard]] Result<Scalar> scalar_of_time(const query::Call& call, const query::Position& at,
                                            const Scope& scope) {
  if (!call.arguments.empty() || !call.rest.segments.empty()) {
    return not_yet_at("arguments of " + call.name + "()", at);
  }
  if (call.method == Method::kNow) {
    return Scalar(value::format_date(scope.now));
  }
  return Scalar(value::format_date(std::chrono::time_point_cast<value::Date::duration>(
      std::chrono::floor<std::chrono::days>(scope.now))));
}

}  // namespace

Error refused_call(const query::Call& call, const query::Position& at, const Scope& scope,
                   std::string_view expected) {
  const std::string found = "expected " + std::string(expected) + ", found " + call.name + "()";
  switch (call.method) {
    case Method::kId:
    case Method::kSearch:
    case Method::kExact:
    case Method::kBoost:
    case Method::kStartsWith:
    case Method::kEndsWith:
    case Method::kRegex:
    case Method::kExists:
    case Method::kFuzzy:
    case Method::kProximity:
    case Method::kWhen:
    case Method::kToday:
    case Method::kNow:
    case Method::kScore:
    case Method::kRandom:
      return invalid_at(found, at);
    case Method::kFunction:
      break;
    default:
      // Known to the language. Whether it may stand here, whoever evaluates it will say.
      return not_yet_at(call.name + "()", at);
  }
  const auto& declares = scope.query.declares;
  const bool is_declared = std::any_of(declares.begin(), declares.end(), [&](const auto& declare) {
    return declare.name == call.name;
  });
  return is_declared ? not_yet_at("declared functions", at)
                     : invalid_at(found + ", which is no method", at);
}

Result<value::View> parameter_value(const query::Parameter& parameter, const query::Position& at,
                                    const Scope& scope) {
  if (const auto value = scope.parameters.find(parameter.name)) {
    return *value;
  }
  return invalid_at("the query has no parameter `" + parameter.name + "`", at);
}

Result<Scalar> scalar_of_parameter(const query::Parameter& parameter, value::View view,
                                   const query::Position& at) {
  if (auto scalar = to_scalar(view)) {
    return std::move(*scalar);
  }
  const std::string name = "the parameter `" + parameter.name + "`";
  if (view.is_number()) {
    return invalid_at(name + " is a number that is too large", at);
  }
  return invalid_at("expected one value, found " + name + ", which holds an " +
                        std::string(view.is_array() ? "array (use `in`)" : "object"),
                    at);
}

Result<Field> compile_field(const Expression& expression, const Scope& scope) {
  if (const auto* const field = std::get_if<query::Field>(&expression.node)) {
    return field_of_path(field->path, expression.at, scope);
  }
  if (const auto* const call = std::get_if<query::Call>(&expression.node)) {
    if (call->method == Method::kId) {
      return field_of_id(*call, expression.at, scope);
    }
    return refused_call(*call, expression.at, scope, "a field");
  }
  return invalid_at("expected a field, found " + query::print(expression), expression.at);
}

Result<Scalar> compile_scalar(const Expression& expression, const Scope& scope) {
  const auto& node = expression.node;
  if (const auto* const text = std::get_if<query::String>(&node)) {
    return Scalar(text->text);
  }
  if (const auto* const number = std::get_if<query::Number>(&node)) {
    return scalar_of_number(*number, expression.at);
  }
  if (const auto* const boolean = std::get_if<query::Boolean>(&node)) {
    return Scalar(boolean->value);
  }
  if (std::holds_alternative<query::Null>(node)) {
    return Scalar(nullptr);
  }
  if (const auto* const parameter = std::get_if<query::Parameter>(&node)) {
    RK_TRY_ASSIGN(const value::View view, parameter_value(*parameter, expression.at, scope));
    return scalar_of_parameter(*parameter, view, expression.at);
  }
  if (const auto* const call = std::get_if<query::Call>(&node)) {
    if (call->method == Method::kNow || call->method == Method::kToday) {
      return scalar_of_time(*call, expression.at, scope);
    }
    return refused_call(*call, expression.at, scope, "a value");
  }
  if (std::holds_alternative<query::Field>(node)) {
    return invalid_at("expected a value, found the field `" + query::print(expression) +
                          "` (texts stand in quotes)",
                      expression.at);
  }
  return invalid_at("expected a value, found " + query::print(expression), expression.at);
}

Result<std::uint64_t> compile_count(const Expression& expression, const Scope& scope) {
  RK_TRY_ASSIGN(const Scalar value, compile_scalar(expression, scope));
  const auto* const count = std::get_if<std::int64_t>(&value);
  if (count == nullptr || *count < 0) {
    return invalid_at("expected an integer that is not negative", expression.at);
  }
  return static_cast<std::uint64_t>(*count);
}

Result<OrderKey> compile_order(const query::OrderTerm& term, const Scope& scope) {
  OrderKey key{.field = {},
               .type = term.type,
               .descending = term.descending,
               .nulls = term.nulls,
               .seed = std::nullopt};
  const auto* const call = std::get_if<query::Call>(&term.value.node);
  const bool is_score = call != nullptr && call->method == Method::kScore;
  const bool is_random = call != nullptr && call->method == Method::kRandom;
  if (!is_score && !is_random) {
    RK_TRY_ASSIGN(key.field, compile_field(term.value, scope));
    return key;
  }
  const std::size_t arguments_max = is_random ? 1 : 0;
  if (call->arguments.size() > arguments_max || !call->rest.segments.empty()) {
    return invalid_at("too many arguments of " + call->name + "()", term.value.at);
  }
  if (term.type || term.nulls) {
    return invalid_at(call->name + "() has one order only, without `as` and `nulls`",
                      term.value.at);
  }
  key.field.kind = is_score ? Field::Kind::kScore : Field::Kind::kRandom;
  if (call->arguments.size() == 1) {
    const Expression& seed = *call->arguments[0].value;
    RK_TRY_ASSIGN(const Scalar value, compile_scalar(seed, scope));
    const auto* const text = std::get_if<std::string>(&value);
    const auto* const number = std::get_if<std::int64_t>(&value);
    if (text == nullptr && number == nullptr) {
      return invalid_at("expected a text or an integer as seed", seed.at);
    }
    key.seed = text != nullptr ? *text : std::to_string(*number);
  }
  return key;
}

}  // namespace rookery::plan
