// SPDX-License-Identifier: Apache-2.0
#include "rookery/plan/projection.h"

#include <optional>
#include <set>
#include <string>

#include "rookery/base/check.h"
#include "rookery/query/print.h"

#include "errors.h"
#include "operand.h"

namespace rookery::plan {

namespace {

// The path as written, but for quotes: {"address.city": ...}.
[[nodiscard]] std::string key_of(const Field& field) {
  if (field.kind != Field::Kind::kPath) {
    return field.name();
  }
  std::string key;
  for (const query::PathSegment& segment : field.path.segments) {
    if (&segment != &field.path.segments.front()) {
      key += '.';
    }
    key += segment.name;
    for (const query::Subscript& subscript : segment.subscripts) {
      key += subscript.index ? '[' + std::to_string(*subscript.index) + ']' : "[]";
    }
  }
  return key;
}

[[nodiscard]] Result<ProjectedField> compile_item(const query::SelectItem& item,
                                                  const Scope& scope) {
  const query::Expression& value = item.value;
  ProjectedField projected;
  const auto* const call = std::get_if<query::Call>(&value.node);
  const bool is_value =
      call != nullptr ? call->method == query::Method::kNow || call->method == query::Method::kToday
                      : !std::holds_alternative<query::Field>(value.node);
  if (is_value) {
    RK_TRY_ASSIGN(projected.what, compile_scalar(value, scope));
    const auto* const parameter = std::get_if<query::Parameter>(&value.node);
    projected.name = parameter != nullptr ? parameter->name : query::print(value);
  } else {
    RK_TRY_ASSIGN(Field field, compile_field(value, scope));
    projected.name = key_of(field);
    projected.what = std::move(field);
  }
  if (item.alias) {
    projected.name = *item.alias;
  }
  return projected;
}

void write_scalar(value::JsonWriter& writer, const Scalar& scalar) {
  struct Write {
    value::JsonWriter& writer;

    void operator()(std::nullptr_t) const { writer.null(); }

    void operator()(bool value) const { writer.boolean(value); }

    void operator()(std::int64_t value) const { writer.int64(value); }

    void operator()(double value) const { writer.number(value); }

    void operator()(const std::string& value) const { writer.string(value); }
  };

  std::visit(Write{writer}, scalar);
}

// Two walks: whether the path leads through an array shows only after the first value.
void write_field(value::JsonWriter& writer, const Field& field, const DocumentFacts& document) {
  bool any = false;
  const bool many = visit_whole_values(document, field, [&](value::View) { any = true; });
  if (many) {
    writer.begin_array();
  }
  if (any) {
    visit_whole_values(document, field, [&](value::View value) { writer.value(value); });
  }
  if (many) {
    writer.end_array();
  } else if (!any) {
    writer.null();
  }
}

}  // namespace

Result<Projection> compile_projection(const query::Select& select, const Scope& scope) {
  const auto* const items = std::get_if<std::vector<query::SelectItem>>(&select.what);
  RK_CHECK(items != nullptr);
  Projection projection{.distinct = select.distinct, .fields = {}};
  std::set<std::string> names;
  for (const query::SelectItem& item : *items) {
    RK_TRY_ASSIGN(ProjectedField field, compile_item(item, scope));
    if (field.name == "@metadata") {
      return invalid_at("`@metadata` is taken in an answer; name it otherwise with `as`",
                        item.value.at);
    }
    if (!names.insert(field.name).second) {
      return invalid_at("two selected fields are called `" + field.name + "`", item.value.at);
    }
    projection.fields.push_back(std::move(field));
  }
  return projection;
}

void write_projection(value::JsonWriter& writer, const Projection& projection,
                      const DocumentFacts& document) {
  for (const ProjectedField& projected : projection.fields) {
    writer.key(projected.name);
    if (const auto* const scalar = std::get_if<Scalar>(&projected.what)) {
      write_scalar(writer, *scalar);
    } else {
      write_field(writer, *std::get_if<Field>(&projected.what), document);
    }
  }
}

}  // namespace rookery::plan
