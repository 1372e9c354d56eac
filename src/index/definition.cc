// SPDX-License-Identifier: Apache-2.0
#include "rookery/index/definition.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "rookery/value/json.h"

namespace rookery::index {

namespace {

// 1: every field has its plain scalars.
constexpr std::int64_t kDefinitionVersionPlain = 1;
constexpr std::int64_t kDefinitionVersion = 2;

const IndexedField* find_field(const std::vector<IndexedField>& fields, const plan::Field& field) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&field](const IndexedField& one) { return one.field == field; });
  return found == fields.end() ? nullptr : &*found;
}

void write_path(value::JsonWriter& w, const query::Path& path) {
  w.key("Path");
  w.begin_array();
  for (const query::PathSegment& segment : path.segments) {
    w.begin_object();
    w.string("Name", segment.name);
    w.key("Subscripts");
    w.begin_array();
    for (const query::Subscript& subscript : segment.subscripts) {
      if (subscript.index.has_value()) {
        w.uint64(*subscript.index);
      } else {
        w.null();
      }
    }
    w.end_array();
    w.end_object();
  }
  w.end_array();
}

Error bad_definition() {
  return Error(ErrorCode::corrupt).with_context("the stored definition of an index");
}

Result<query::PathSegment> read_segment(value::View view) {
  const auto name = view.find_string("Name");
  const auto subscripts = view.find("Subscripts");
  if (!name.has_value() || !subscripts.has_value() || !subscripts->is_array()) {
    return bad_definition();
  }
  query::PathSegment segment{std::string(*name), {}};
  for (std::size_t i = 0; i < subscripts->size(); ++i) {
    const value::View one = subscripts->at(i);
    query::Subscript subscript;
    if (const auto index = one.as_int64(); index.has_value()) {
      if (*index < 0 || *index > std::numeric_limits<std::uint32_t>::max()) {
        return bad_definition();
      }
      subscript.index = static_cast<std::uint32_t>(*index);
    } else if (!one.is_null()) {
      return bad_definition();
    }
    segment.subscripts.push_back(subscript);
  }
  return segment;
}

Result<IndexedField> read_field(value::View view) {
  const auto kind = view.find_int64("Kind");
  const auto path = view.find("Path");
  const auto search = view.find_bool("Search");
  const auto exact = view.find_bool("Exact");
  if (!kind.has_value() || *kind < 0 || *kind > static_cast<int>(plan::Field::Kind::kPath) ||
      !path.has_value() || !path->is_array() || !search.has_value() || !exact.has_value()) {
    return bad_definition();
  }
  IndexedField field;
  field.field.kind = static_cast<plan::Field::Kind>(*kind);
  field.search = *search;
  field.exact = *exact;
  field.plain = view.find_bool("Plain").value_or(true);
  if (!field.plain && !field.search && !field.exact) {
    return bad_definition();
  }
  for (std::size_t i = 0; i < path->size(); ++i) {
    RK_TRY_ASSIGN(query::PathSegment segment, read_segment(path->at(i)));
    field.field.path.segments.push_back(std::move(segment));
  }
  return field;
}

}  // namespace

void merge_fields(std::vector<IndexedField>& fields, const std::vector<IndexedField>& more) {
  for (const IndexedField& one : more) {
    if (const IndexedField* found = find_field(fields, one.field); found != nullptr) {
      IndexedField& mine = fields[static_cast<std::size_t>(found - fields.data())];
      mine.search = mine.search || one.search;
      mine.exact = mine.exact || one.exact;
      mine.plain = mine.plain || one.plain;
    } else {
      fields.push_back(one);
    }
  }
}

bool covers(const std::vector<IndexedField>& fields, const std::vector<IndexedField>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&fields](const IndexedField& one) {
    const IndexedField* found = find_field(fields, one.field);
    return found != nullptr && (found->search || !one.search) && (found->exact || !one.exact) &&
           (found->plain || !one.plain);
  });
}

std::string auto_index_name(std::string_view collection, const std::vector<IndexedField>& fields) {
  std::string name = "Auto/";
  name += collection == kAllDocuments ? "AllDocs" : collection;
  std::string_view joint = "/By";
  const auto add = [&](const std::string& part) {
    name += joint;
    name += part;
    joint = "And";
  };
  for (const IndexedField& one : fields) {
    const std::string field = one.field.name();
    if (one.plain && !one.exact) {
      add(field);
    }
    if (one.search) {
      add("Search(" + field + ")");
    }
    if (one.exact) {
      add("Exact(" + field + ")");
    }
  }
  return name;
}

std::string encode(const Definition& definition) {
  std::string text;
  value::JsonWriter w(text);
  w.begin_object();
  const bool is_plain = std::all_of(definition.fields.begin(), definition.fields.end(),
                                    [](const IndexedField& one) { return one.plain; });
  w.int64("Version", is_plain ? kDefinitionVersionPlain : kDefinitionVersion);
  w.string("Name", definition.name);
  w.string("Collection", definition.collection);
  w.key("Fields");
  w.begin_array();
  for (const IndexedField& one : definition.fields) {
    w.begin_object();
    w.int64("Kind", static_cast<std::int64_t>(one.field.kind));
    write_path(w, one.field.path);
    w.boolean("Search", one.search);
    w.boolean("Exact", one.exact);
    if (!one.plain) {
      w.boolean("Plain", false);
    }
    w.end_object();
  }
  w.end_array();
  w.end_object();
  return text;
}

Result<Definition> decode_definition(std::string_view text) {
  const Result<value::Document> parsed = value::parse_json(text);
  if (!parsed) {
    return bad_definition();
  }
  const value::View root = parsed->root();
  const auto version = root.find_int64("Version");
  const auto name = root.find_string("Name");
  const auto collection = root.find_string("Collection");
  const auto fields = root.find("Fields");
  if (!version.has_value() || !name.has_value() || !collection.has_value() || !fields.has_value() ||
      !fields->is_array()) {
    return bad_definition();
  }
  if (*version != kDefinitionVersion && *version != kDefinitionVersionPlain) {
    return Error(ErrorCode::incompatible).with_context("the stored definition of an index");
  }
  Definition definition{std::string(*name), std::string(*collection), {}};
  for (std::size_t i = 0; i < fields->size(); ++i) {
    RK_TRY_ASSIGN(IndexedField field, read_field(fields->at(i)));
    definition.fields.push_back(std::move(field));
  }
  return definition;
}

}  // namespace rookery::index
