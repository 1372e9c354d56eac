// SPDX-License-Identifier: Apache-2.0
#include "prepared_query.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "rookery/base/checksum.h"
#include "rookery/query/parse.h"

#include "field_names.h"

namespace rookery::index {

namespace {

using plan::Field;
using search::SortBy;

Error not_built(std::string_view what, const query::Position& at) {
  return {ErrorCode::not_supported,
          "not supported yet: " + std::string(what) + " at " + query::to_string(at)};
}

SortBy sort_by(const std::optional<query::OrderType>& type) {
  if (!type.has_value()) {
    return SortBy::kValue;
  }
  switch (*type) {
    case query::OrderType::kString:
      return SortBy::kText;
    case query::OrderType::kLong:
      return SortBy::kLong;
    case query::OrderType::kDouble:
      return SortBy::kDouble;
    case query::OrderType::kAlphaNumeric:
      return SortBy::kAlphaNumeric;
  }
  return SortBy::kValue;
}

search::SortKey::Missing missing(const std::optional<query::NullsPlacement>& nulls) {
  using Missing = search::SortKey::Missing;
  if (!nulls.has_value()) {
    return Missing::kDefault;
  }
  return *nulls == query::NullsPlacement::kFirst ? Missing::kFirst : Missing::kLast;
}

void add_order(PreparedQuery& query, const plan::OrderKey& key, std::uint64_t random_seed) {
  search::SortKey sort;
  sort.descending = key.descending;
  sort.missing = missing(key.nulls);
  switch (key.field.kind) {
    case Field::Kind::kScore:
      // The best first, unless it says otherwise.
      sort.by = SortBy::kScore;
      sort.descending = !key.descending;
      break;
    case Field::Kind::kRandom:
      sort.by = SortBy::kRandom;
      sort.seed = key.seed.has_value() ? checksum64(as_bytes(*key.seed)) : random_seed;
      query.is_volatile = query.is_volatile || !key.seed.has_value();
      break;
    case Field::Kind::kId:
      if (!key.type.has_value() || *key.type == query::OrderType::kString) {
        sort.by = SortBy::kKey;
        break;
      }
      [[fallthrough]];
    case Field::Kind::kPath:
      sort.by = sort_by(key.type);
      sort.field = scalar_field(key.field);
      merge_fields(query.translation.fields, {{.field = key.field}});
      break;
  }
  query.order.push_back(std::move(sort));
}

Result<void> add_include(PreparedQuery& query, const query::Expression& item,
                         const plan::Scope& scope) {
  if (const auto* text = std::get_if<query::String>(&item.node); text != nullptr) {
    query.include_paths.push_back(text->text);
    return {};
  }
  if (const auto* call = std::get_if<query::Call>(&item.node); call != nullptr) {
    if (call->method != query::Method::kTimings) {
      return not_built("include of " + call->name + "()", item.at);
    }
    query.wants_timings = true;
    return {};
  }
  RK_TRY_ASSIGN(const Field field, plan::compile_field(item, scope));
  query.include_paths.push_back(field.name());
  return {};
}

Result<void> add_select(PreparedQuery& query, const query::Select& select,
                        const plan::Scope& scope) {
  if (std::holds_alternative<query::Script>(select.what)) {
    return not_built("select { }", select.at);
  }
  if (std::holds_alternative<std::vector<query::SelectItem>>(select.what)) {
    RK_TRY_ASSIGN(query.projection, plan::compile_projection(select, scope));
  }
  return {};
}

// Of limit and offset. nullopt: not given, or a parameter that is null, as clients say it.
Result<std::optional<std::uint64_t>> count_of(const std::optional<query::Expression>& expression,
                                              const plan::Scope& scope) {
  if (!expression.has_value()) {
    return std::optional<std::uint64_t>();
  }
  if (const auto* parameter = std::get_if<query::Parameter>(&expression->node);
      parameter != nullptr) {
    const auto given = scope.parameters.find(parameter->name);
    if (given.has_value() && given->is_null()) {
      return std::optional<std::uint64_t>();
    }
  }
  RK_TRY_ASSIGN(const std::uint64_t count, plan::compile_count(*expression, scope));
  return std::optional(count);
}

Result<void> set_page(PreparedQuery& query, const plan::Scope& scope) {
  RK_TRY_ASSIGN(const std::optional<std::uint64_t> offset, count_of(query.tree.offset, scope));
  query.offset = offset.value_or(0);
  RK_TRY_ASSIGN(query.limit, count_of(query.tree.limit, scope));
  // Clients say the same page twice, in the text and beside it: the text's start wins, and the
  // smaller size.
  query.skip = offset.value_or(query.request.start);
  query.take = std::min(query.request.page_size, query.limit.value_or(query.request.page_size));
  return {};
}

void choose_source(PreparedQuery& query) {
  using Source = PreparedQuery::Source;
  const query::From& from = query.tree.from;
  if (from.source == query::From::Source::kIndex) {
    query.source = Source::kIndex;
  } else if (!query.order.empty()) {
    query.source = Source::kIndex;
  } else if (!query.condition.has_value()) {
    query.source = from.source == query::From::Source::kAllDocuments ? Source::kEverything
                                                                     : Source::kCollection;
  } else {
    query.source = is_by_id(*query.condition) ? Source::kIds : Source::kIndex;
  }
  query.source_name =
      from.source == query::From::Source::kAllDocuments ? "AllDocs" : "collection/" + from.name;
}

// Whether the text calls a function of the clock; a word in a string literal counts, too, which
// costs a cached answer and nothing else.
bool names_clock(std::string_view text) {
  const auto has = [text](std::string_view word) {
    const auto found = std::search(text.begin(), text.end(), word.begin(), word.end(),
                                   [](char a, char b) { return (a | 0x20) == b; });
    return found != text.end();
  };
  return has("now") || has("today");
}

// What does not parse is the caller's query, not a broken body.
Result<query::Query> parse_query(std::string_view text) {
  auto parsed = query::parse(text);
  if (!parsed.has_value() && parsed.error().code() == ErrorCode::malformed) {
    return Error(ErrorCode::invalid_query, std::string(parsed.error().message()));
  }
  return parsed;
}

}  // namespace

void PreparedQueryDeleter::operator()(PreparedQuery* query) const noexcept {
  delete query;
}

Result<PreparedQueryPtr> compile(QueryRequest request, value::Date now, std::uint64_t random_seed) {
  PreparedQueryPtr query(new PreparedQuery);
  query->request = std::move(request);
  query->now = now;
  RK_TRY_ASSIGN(query->tree, parse_query(query->request.text));
  RK_TRY(plan::check_supported(query->tree));
  const query::Query& tree = query->tree;
  const plan::Scope scope{tree, query->request.parameters, now};
  query->is_volatile = names_clock(query->request.text);
  if (tree.where.has_value()) {
    RK_TRY_ASSIGN(query->condition, plan::compile_condition(*tree.where, scope));
    RK_TRY_ASSIGN(query->translation, translate(*query->condition));
  }
  for (const query::OrderTerm& term : tree.order_by) {
    RK_TRY_ASSIGN(const plan::OrderKey key, plan::compile_order(term, scope));
    add_order(*query, key, random_seed);
    RK_TRY(check_field_count(query->translation.fields));
  }
  if (tree.order_by.empty() && query->translation.is_scored) {
    query->order.push_back({.by = SortBy::kScore, .field = {}, .descending = true});
  }
  if (tree.select.has_value()) {
    RK_TRY(add_select(*query, *tree.select, scope));
  }
  for (const query::Expression& item : tree.include) {
    RK_TRY(add_include(*query, item, scope));
  }
  RK_TRY(set_page(*query, scope));
  choose_source(*query);
  return query;
}

}  // namespace rookery::index
