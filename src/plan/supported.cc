// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "rookery/plan/condition.h"

#include "errors.h"
#include "operand.h"

namespace rookery::plan {

namespace {

[[nodiscard]] Result<void> check_select(const query::Query& query) {
  if (query.select && std::holds_alternative<query::Script>(query.select->what)) {
    return not_yet_at("select { ... }", query.select->at);
  }
  return {};
}

[[nodiscard]] Result<void> check_includes(const query::Query& query) {
  for (const query::Expression& include : query.include) {
    const auto* const call = std::get_if<query::Call>(&include.node);
    if (call == nullptr || call->method == query::Method::kTimings) {
      continue;
    }
    return refused_call(*call, include.at, Scope{query, {}, {}}, "something to include");
  }
  return {};
}

}  // namespace

Result<void> check_supported(const query::Query& query) {
  if (!query.declares.empty()) {
    const query::Declare& declare = query.declares.front();
    return not_yet_at(
        declare.kind == query::Declare::Kind::kFunction ? "declare function" : "declare timeseries",
        declare.at);
  }
  if (query.from.revisions) {
    return not_yet_at("queries over revisions", query.from.at);
  }
  if (!query.group_by.empty()) {
    return not_yet_at("group by", query.group_by.front().at);
  }
  if (!query.load.empty()) {
    return not_yet_at("load", query.load.front().value.at);
  }
  if (query.filter) {
    return not_yet_at("filter", query.filter->at);
  }
  if (query.filter_limit) {
    return not_yet_at("filter_limit", query.filter_limit->at);
  }
  if (query.update) {
    return not_yet_at("update", query.update->at);
  }
  RK_TRY(check_select(query));
  return check_includes(query);
}

}  // namespace rookery::plan
