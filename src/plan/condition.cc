// SPDX-License-Identifier: Apache-2.0
#include "rookery/plan/condition.h"

#include <cmath>
#include <utility>

#include <re2/re2.h>

#include "rookery/query/print.h"

#include "errors.h"
#include "operand.h"
#include "when.h"

namespace rookery::plan {

namespace {

using query::Call;
using query::CompareOperator;
using query::Expression;
using query::Method;
using query::Position;

// A condition that stands behind a when() whose question was answered no is as if it had never been
// written: nullopt.
using Compiled = std::optional<Condition>;

// The memory that a compiled expression may take.
constexpr std::int64_t kRegexBytesMax = 8 << 20;

[[nodiscard]] std::unique_ptr<Condition> boxed(Condition condition) {
  return std::make_unique<Condition>(std::move(condition));
}

template <typename T>
[[nodiscard]] Compiled made(T what) {
  return Condition{std::move(what)};
}

// The official clients write '*' as parameter for a lower bound that was not given, and 'NULL' for
// an upper one.
[[nodiscard]] bool is_open(const Expression& expression, const Scalar& value,
                           std::string_view word) {
  const auto* const text = std::get_if<std::string>(&value);
  return text != nullptr && *text == word &&
         std::holds_alternative<query::Parameter>(expression.node);
}

// Depth of recursion is that of the tree, which the parser bounds.
class Compiler {
 public:
  Compiler(const Scope& scope, bool exact) : scope_(scope), exact_(exact) {}

  [[nodiscard]] Result<Compiled> condition(const Expression& expression) const {
    const auto& node = expression.node;
    if (const auto* const boolean = std::get_if<query::Boolean>(&node)) {
      return made(Constant{boolean->value});
    }
    if (const auto* const comparison = std::get_if<query::Comparison>(&node)) {
      return compare(*comparison);
    }
    if (const auto* const between = std::get_if<query::Between>(&node)) {
      return this->between(*between);
    }
    if (const auto* const in = std::get_if<query::In>(&node)) {
      return this->in(*in);
    }
    if (const auto* const negation = std::get_if<query::Not>(&node)) {
      RK_TRY_ASSIGN(Compiled term, condition(*negation->term));
      return term ? made(Negation{boxed(std::move(*term))}) : Compiled();
    }
    if (const auto* const logical = std::get_if<query::Logical>(&node)) {
      return combine(*logical);
    }
    if (const auto* const call = std::get_if<Call>(&node)) {
      return this->call(*call, expression.at);
    }
    return invalid_at("expected a condition, found " + query::print(expression), expression.at);
  }

 private:
  [[nodiscard]] Result<Compiled> combine(const query::Logical& logical) const {
    Combine combined{.op = logical.op, .terms = {}};
    for (const Expression& term : logical.terms) {
      RK_TRY_ASSIGN(Compiled compiled, condition(term));
      if (compiled) {
        combined.terms.push_back(std::move(*compiled));
      }
    }
    if (combined.terms.size() > 1) {
      return made(std::move(combined));
    }
    return combined.terms.empty() ? Compiled() : Compiled(std::move(combined.terms.front()));
  }

  [[nodiscard]] Result<Compiled> compare(const query::Comparison& comparison) const {
    RK_TRY_ASSIGN(Field field, compile_field(*comparison.left, scope_));
    RK_TRY_ASSIGN(Scalar value, compile_scalar(*comparison.right, scope_));
    const CompareOperator op = comparison.op;
    const bool above = op == CompareOperator::kGreater || op == CompareOperator::kGreaterOrEqual;
    const bool below = op == CompareOperator::kLess || op == CompareOperator::kLessOrEqual;
    if ((above && is_open(*comparison.right, value, "*")) ||
        (below && is_open(*comparison.right, value, "NULL"))) {
      return made(Exists{std::move(field)});
    }
    return made(Compare{std::move(field), op, std::move(value), exact_});
  }

  [[nodiscard]] Result<Compiled> between(const query::Between& between) const {
    RK_TRY_ASSIGN(Field field, compile_field(*between.subject, scope_));
    RK_TRY_ASSIGN(Scalar low, compile_scalar(*between.low, scope_));
    RK_TRY_ASSIGN(Scalar high, compile_scalar(*between.high, scope_));
    const bool open_low = is_open(*between.low, low, "*");
    const bool open_high = is_open(*between.high, high, "NULL");
    if (open_low && open_high) {
      return made(Exists{std::move(field)});
    }
    if (open_low) {
      return made(
          Compare{std::move(field), CompareOperator::kLessOrEqual, std::move(high), exact_});
    }
    if (open_high) {
      return made(
          Compare{std::move(field), CompareOperator::kGreaterOrEqual, std::move(low), exact_});
    }
    if (scalar_kind(low) != scalar_kind(high)) {
      return invalid_at("expected two bounds of one kind, found " +
                            std::string(scalar_kind_name(scalar_kind(low))) + " and " +
                            std::string(scalar_kind_name(scalar_kind(high))),
                        between.low->at);
    }
    return made(Between{std::move(field), std::move(low), std::move(high), exact_});
  }

  [[nodiscard]] Result<Compiled> in(const query::In& in) const {
    RK_TRY_ASSIGN(Field field, compile_field(*in.subject, scope_));
    In compiled{.field = std::move(field), .values = {}, .mode = in.mode, .exact = exact_};
    for (const Expression& expression : in.values) {
      const auto* const parameter = std::get_if<query::Parameter>(&expression.node);
      if (parameter == nullptr) {
        RK_TRY_ASSIGN(Scalar value, compile_scalar(expression, scope_));
        compiled.values.push_back(std::move(value));
        continue;
      }
      RK_TRY_ASSIGN(const value::View view, parameter_value(*parameter, expression.at, scope_));
      if (!view.is_array()) {
        RK_TRY_ASSIGN(Scalar value, scalar_of_parameter(*parameter, view, expression.at));
        compiled.values.push_back(std::move(value));
        continue;
      }
      for (std::size_t i = 0; i < view.size(); ++i) {
        RK_TRY_ASSIGN(Scalar value, scalar_of_parameter(*parameter, view.at(i), expression.at));
        compiled.values.push_back(std::move(value));
      }
    }
    return made(std::move(compiled));
  }

  [[nodiscard]] Result<Compiled> call(const Call& call, const Position& at) const {
    if (!call.rest.segments.empty()) {
      return invalid_at("expected a condition, found a field of " + call.name + "()", at);
    }
    switch (call.method) {
      case Method::kExact: {
        RK_TRY(expect_arguments(call, at, 1, 1));
        return Compiler(scope_, true).condition(argument(call, 0));
      }
      case Method::kBoost:
        return boost(call, at);
      case Method::kExists: {
        RK_TRY(expect_arguments(call, at, 1, 1));
        RK_TRY_ASSIGN(Field field, compile_field(argument(call, 0), scope_));
        return made(Exists{std::move(field)});
      }
      case Method::kStartsWith:
        return text_match(call, at, TextMatch::Kind::kStartsWith);
      case Method::kEndsWith:
        return text_match(call, at, TextMatch::Kind::kEndsWith);
      case Method::kRegex:
        return text_match(call, at, TextMatch::Kind::kRegex);
      case Method::kFuzzy:
        return fuzzy(call, at);
      case Method::kSearch: {
        RK_TRY_ASSIGN(Search found, search(call, at));
        return made(std::move(found));
      }
      case Method::kProximity:
        return proximity(call, at);
      case Method::kWhen: {
        RK_TRY(expect_arguments(call, at, 2, 2));
        RK_TRY_ASSIGN(const bool wanted, answer_when(argument(call, 0), scope_));
        return wanted ? condition(argument(call, 1)) : Result<Compiled>(Compiled());
      }
      default:
        return refused_call(call, at, scope_, "a condition");
    }
  }

  [[nodiscard]] static const Expression& argument(const Call& call, std::size_t index) {
    return *call.arguments[index].value;
  }

  [[nodiscard]] static Result<void> expect_arguments(const Call& call, const Position& at,
                                                     std::size_t least, std::size_t most) {
    const std::size_t count = call.arguments.size();
    if (count >= least && count <= most) {
      return {};
    }
    const std::string wanted = least == most
                                   ? std::to_string(least)
                                   : std::to_string(least) + " to " + std::to_string(most);
    return invalid_at(
        "expected " + wanted + " arguments of " + call.name + "(), found " + std::to_string(count),
        at);
  }

  [[nodiscard]] Result<std::string> text_argument(const Expression& expression) const {
    RK_TRY_ASSIGN(Scalar value, compile_scalar(expression, scope_));
    auto* const text = std::get_if<std::string>(&value);
    if (text == nullptr) {
      return invalid_at(
          "expected a string, found " + std::string(scalar_kind_name(scalar_kind(value))),
          expression.at);
    }
    return std::move(*text);
  }

  [[nodiscard]] Result<double> number_argument(const Expression& expression) const {
    RK_TRY_ASSIGN(const Scalar value, compile_scalar(expression, scope_));
    if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
      return static_cast<double>(*integer);
    }
    if (const auto* const number = std::get_if<double>(&value)) {
      return *number;
    }
    return invalid_at(
        "expected a number, found " + std::string(scalar_kind_name(scalar_kind(value))),
        expression.at);
  }

  [[nodiscard]] Result<Compiled> boost(const Call& call, const Position& at) const {
    RK_TRY(expect_arguments(call, at, 2, 2));
    RK_TRY_ASSIGN(const double factor, number_argument(argument(call, 1)));
    if (factor < 0.0) {
      return invalid_at("expected a factor that is not negative", argument(call, 1).at);
    }
    RK_TRY_ASSIGN(Compiled term, condition(argument(call, 0)));
    return term ? made(Boost{boxed(std::move(*term)), factor}) : Compiled();
  }

  [[nodiscard]] Result<Compiled> text_match(const Call& call, const Position& at,
                                            TextMatch::Kind kind) const {
    RK_TRY(expect_arguments(call, at, 2, 2));
    RK_TRY_ASSIGN(Field field, compile_field(argument(call, 0), scope_));
    RK_TRY_ASSIGN(std::string text, text_argument(argument(call, 1)));
    if (kind == TextMatch::Kind::kRegex) {
      RE2::Options options(RE2::Quiet);
      options.set_max_mem(kRegexBytesMax);
      if (const RE2 pattern(text, options); !pattern.ok()) {
        return invalid_at("the regular expression is not valid: " + pattern.error(),
                          argument(call, 1).at);
      }
    }
    return made(TextMatch{
        .kind = kind, .field = std::move(field), .text = std::move(text), .exact = exact_});
  }

  [[nodiscard]] Result<Compiled> fuzzy(const Call& call, const Position& at) const {
    RK_TRY(expect_arguments(call, at, 2, 2));
    const auto* const equal = std::get_if<query::Comparison>(&argument(call, 0).node);
    if (equal == nullptr || equal->op != CompareOperator::kEqual) {
      return invalid_at("expected `field = value` as first argument of fuzzy()",
                        argument(call, 0).at);
    }
    RK_TRY_ASSIGN(Field field, compile_field(*equal->left, scope_));
    RK_TRY_ASSIGN(std::string text, text_argument(*equal->right));
    RK_TRY_ASSIGN(const double similarity, number_argument(argument(call, 1)));
    if (similarity < 0.0 || similarity > 1.0) {
      return invalid_at("expected a similarity from 0 to 1", argument(call, 1).at);
    }
    return made(TextMatch{.kind = TextMatch::Kind::kFuzzy,
                          .field = std::move(field),
                          .text = std::move(text),
                          .similarity = similarity,
                          .exact = exact_});
  }

  [[nodiscard]] Result<Search> search(const Call& call, const Position& at) const {
    RK_TRY(expect_arguments(call, at, 2, 3));
    if (exact_) {
      return invalid_at("search() looks for words, which exact() has none of", at);
    }
    Search found;
    found.at = at;
    RK_TRY_ASSIGN(found.field, compile_field(argument(call, 0), scope_));
    if (found.field.kind == Field::Kind::kId) {
      return invalid_at("search() needs a field of the document, found id()", argument(call, 0).at);
    }
    RK_TRY_ASSIGN(found.terms, text_argument(argument(call, 1)));
    if (call.arguments.size() == 3) {
      const auto* const word = std::get_if<query::OperatorWord>(&argument(call, 2).node);
      if (word == nullptr) {
        return invalid_at("expected `and` or `or`", argument(call, 2).at);
      }
      found.op = word->op;
    }
    return found;
  }

  [[nodiscard]] Result<Compiled> proximity(const Call& call, const Position& at) const {
    RK_TRY(expect_arguments(call, at, 2, 2));
    const Expression& of = argument(call, 0);
    const auto* const inner = std::get_if<Call>(&of.node);
    if (inner == nullptr || inner->method != Method::kSearch) {
      return invalid_at("expected search() as first argument of proximity()", of.at);
    }
    RK_TRY_ASSIGN(Search found, search(*inner, of.at));
    RK_TRY_ASSIGN(const std::uint64_t distance, compile_count(argument(call, 1), scope_));
    if (distance > 1'000'000) {
      return invalid_at("expected a distance of a million words at most", argument(call, 1).at);
    }
    // Both texts are what the official clients' tests look for.
    if (found.terms.find_first_of("*?") != std::string::npos) {
      return invalid_at("Proximity search works only on simple string terms, not wildcard", of.at);
    }
    const std::size_t first = found.terms.find_first_not_of(" \t\r\n");
    const std::size_t blank =
        found.terms.find_first_of(" \t\r\n", std::min(first, found.terms.size()));
    if (blank == std::string::npos ||
        found.terms.find_first_not_of(" \t\r\n", blank) == std::string::npos) {
      return invalid_at("Proximity search works only on multiple search terms", of.at);
    }
    found.proximity = static_cast<std::uint32_t>(distance);
    return made(std::move(found));
  }

  const Scope& scope_;
  const bool exact_;
};

}  // namespace

Result<Condition> compile_condition(const Expression& expression, const Scope& scope) {
  RK_TRY_ASSIGN(Compiled compiled, Compiler(scope, false).condition(expression));
  return compiled ? std::move(*compiled) : Condition{Constant{true}};
}

}  // namespace rookery::plan
