// SPDX-License-Identifier: Apache-2.0
#include "when.h"

#include <algorithm>
#include <vector>

#include "rookery/query/print.h"

#include "errors.h"
#include "operand.h"

namespace rookery::plan {

namespace {

using query::CompareOperator;
using query::Expression;

[[nodiscard]] Result<std::vector<Scalar>> values_of(const Expression& expression,
                                                    const Scope& scope) {
  const auto* const parameter = std::get_if<query::Parameter>(&expression.node);
  if (parameter == nullptr) {
    RK_TRY_ASSIGN(Scalar value, compile_scalar(expression, scope));
    return std::vector<Scalar>{folded(std::move(value))};
  }
  const auto view = scope.parameters.find(parameter->name);
  if (!view) {
    return std::vector<Scalar>{Scalar(nullptr)};
  }
  std::vector<Scalar> values;
  if (!view->is_array()) {
    RK_TRY_ASSIGN(Scalar value, scalar_of_parameter(*parameter, *view, expression.at));
    values.push_back(folded(std::move(value)));
    return values;
  }
  for (std::size_t i = 0; i < view->size(); ++i) {
    RK_TRY_ASSIGN(Scalar value, scalar_of_parameter(*parameter, view->at(i), expression.at));
    values.push_back(folded(std::move(value)));
  }
  return values;
}

[[nodiscard]] Result<Scalar> value_of(const Expression& expression, const Scope& scope) {
  // A quoted text left of an operator is the name of a field, which when() does not know.
  if (std::holds_alternative<query::Field>(expression.node)) {
    return invalid_at("when() asks about parameters and values, found the field `" +
                          query::print(expression) + "`",
                      expression.at);
  }
  RK_TRY_ASSIGN(std::vector<Scalar> values, values_of(expression, scope));
  if (values.size() != 1) {
    return invalid_at("expected one value, found an array", expression.at);
  }
  return std::move(values.front());
}

[[nodiscard]] bool holds(CompareOperator op, const Scalar& a, const Scalar& b) {
  const auto order = compare(a, b);
  const bool same_kind = scalar_kind(a) == scalar_kind(b);
  switch (op) {
    case CompareOperator::kEqual:
      return order == 0;
    case CompareOperator::kNotEqual:
      return order != 0;
    case CompareOperator::kLess:
      return same_kind && order < 0;
    case CompareOperator::kLessOrEqual:
      return same_kind && order <= 0;
    case CompareOperator::kGreater:
      return same_kind && order > 0;
    case CompareOperator::kGreaterOrEqual:
      return same_kind && order >= 0;
  }
  return false;
}

[[nodiscard]] Result<bool> answer_in(const query::In& in, const Scope& scope) {
  std::vector<Scalar> listed;
  for (const Expression& expression : in.values) {
    RK_TRY_ASSIGN(std::vector<Scalar> values, values_of(expression, scope));
    std::move(values.begin(), values.end(), std::back_inserter(listed));
  }
  if (std::holds_alternative<query::Field>(in.subject->node)) {
    return invalid_at("when() asks about parameters and values, found the field `" +
                          query::print(*in.subject) + "`",
                      in.subject->at);
  }
  RK_TRY_ASSIGN(const std::vector<Scalar> subject, values_of(*in.subject, scope));
  const auto is_there = [&](const Scalar& value) {
    return std::find(subject.begin(), subject.end(), value) != subject.end();
  };
  return in.mode == query::InMode::kAny ? std::any_of(listed.begin(), listed.end(), is_there)
                                        : std::all_of(listed.begin(), listed.end(), is_there);
}

[[nodiscard]] Result<bool> answer_logical(const query::Logical& logical, const Scope& scope) {
  const bool is_and = logical.op == query::LogicalOperator::kAnd;
  bool answer = is_and;
  // Every term is looked at, so that a mistake shows whatever the parameters are.
  for (const Expression& term : logical.terms) {
    RK_TRY_ASSIGN(const bool one, answer_when(term, scope));
    answer = is_and ? answer && one : answer || one;
  }
  return answer;
}

}  // namespace

// Depth of recursion is that of the tree, which the parser bounds.
Result<bool> answer_when(const Expression& expression, const Scope& scope) {
  const auto& node = expression.node;
  if (const auto* const logical = std::get_if<query::Logical>(&node)) {
    return answer_logical(*logical, scope);
  }
  if (const auto* const negation = std::get_if<query::Not>(&node)) {
    RK_TRY_ASSIGN(const bool answer, answer_when(*negation->term, scope));
    return !answer;
  }
  if (const auto* const comparison = std::get_if<query::Comparison>(&node)) {
    RK_TRY_ASSIGN(const Scalar left, value_of(*comparison->left, scope));
    RK_TRY_ASSIGN(const Scalar right, value_of(*comparison->right, scope));
    return holds(comparison->op, left, right);
  }
  if (const auto* const between = std::get_if<query::Between>(&node)) {
    RK_TRY_ASSIGN(const Scalar subject, value_of(*between->subject, scope));
    RK_TRY_ASSIGN(const Scalar low, value_of(*between->low, scope));
    RK_TRY_ASSIGN(const Scalar high, value_of(*between->high, scope));
    return holds(CompareOperator::kGreaterOrEqual, subject, low) &&
           holds(CompareOperator::kLessOrEqual, subject, high);
  }
  if (const auto* const in = std::get_if<query::In>(&node)) {
    return answer_in(*in, scope);
  }
  RK_TRY_ASSIGN(const Scalar value, value_of(expression, scope));
  if (const auto* const answer = std::get_if<bool>(&value)) {
    return *answer;
  }
  if (std::holds_alternative<std::nullptr_t>(value)) {
    return false;
  }
  return invalid_at(
      "when() expects a condition, found " + std::string(scalar_kind_name(scalar_kind(value))),
      expression.at);
}

}  // namespace rookery::plan
