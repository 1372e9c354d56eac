// SPDX-License-Identifier: Apache-2.0
#include "rookery/plan/field.h"

#include <algorithm>
#include <array>
#include <span>

#include "rookery/base/check.h"
#include "rookery/query/print.h"
#include "rookery/value/builder.h"

namespace rookery::plan {

namespace {

using query::PathSegment;
using query::Subscript;

constexpr std::string_view kMetadataKey = "@metadata";
constexpr std::string_view kCollectionKey = "@collection";

[[nodiscard]] bool is_plain(std::string_view name) {
  return !name.empty() && name.find_first_of(".[]'\"()") == std::string_view::npos;
}

// Recursion everywhere below is bounded by the depth of documents, kDepthMax.
class Walk {
 public:
  Walk(const std::function<void(value::View)>& visit, bool whole) : visit_(visit), whole_(whole) {}

  void segments(value::View view, std::span<const PathSegment> path) {
    if (path.empty()) {
      end(view);
      return;
    }
    if (view.is_array()) {
      through_array_ = true;
      for (std::size_t i = 0; i < view.size(); ++i) {
        segments(view.at(i), path);
      }
      return;
    }
    if (const auto member = view.find(path.front().name)) {
      subscripts(*member, path.front().subscripts, path.subspan(1));
    }
  }

  [[nodiscard]] bool through_array() const { return through_array_; }

 private:
  void subscripts(value::View view, std::span<const Subscript> list,
                  std::span<const PathSegment> rest) {
    if (list.empty()) {
      segments(view, rest);
      return;
    }
    const auto others = list.subspan(1);
    if (const auto index = list.front().index) {
      if (view.is_array() && *index < view.size()) {
        subscripts(view.at(*index), others, rest);
      }
      return;
    }
    // `[]` of what is no array stands for the value itself. At the very end an empty array is the
    // same with `[]` as without.
    const bool at_end = others.empty() && rest.empty();
    if (!view.is_array() || (at_end && !whole_)) {
      subscripts(view, others, rest);
      return;
    }
    through_array_ = true;
    for (std::size_t i = 0; i < view.size(); ++i) {
      subscripts(view.at(i), others, rest);
    }
  }

  void end(value::View view) {
    if (whole_ || !view.is_array() || view.size() == 0) {
      visit_(view);
      return;
    }
    for (std::size_t i = 0; i < view.size(); ++i) {
      end(view.at(i));
    }
  }

  const std::function<void(value::View)>& visit_;
  const bool whole_;
  bool through_array_ = false;
};

// The metadata as clients get it.
[[nodiscard]] value::Document full_metadata(const DocumentFacts& document) {
  constexpr std::array<std::string_view, 3> kOwn = {"@id", "@last-modified", "@change-vector"};
  const auto stored = document.body.find(kMetadataKey);
  const bool has_stored = stored && stored->is_object();
  value::Builder builder({.depth = value::kDepthMax});
  builder.begin_object();
  if (!document.collection.empty() && !(has_stored && stored->find(kCollectionKey))) {
    builder.string(kCollectionKey, document.collection);
  }
  if (has_stored) {
    builder.members(*stored, kOwn);
  }
  builder.string(kOwn[0], document.id);
  builder.string(kOwn[1], document.last_modified);
  builder.string(kOwn[2], document.change_vector);
  builder.end_object();
  auto made = builder.finish();
  // Its parts come from a document, so only memory can fail.
  RK_CHECK(made.has_value());
  return std::move(made).value();
}

[[nodiscard]] value::Document text_document(std::string_view text) {
  value::Builder builder;
  builder.string(text);
  auto made = builder.finish();
  RK_CHECK(made.has_value());
  return std::move(made).value();
}

// The one of the server's own metadata that `path` asks for, if it is as simple as that: spares
// building an object for the most usual questions.
[[nodiscard]] std::optional<std::string_view> own_metadata(const DocumentFacts& document,
                                                           const query::Path& path) {
  if (path.segments.size() != 2 || !path.segments[1].subscripts.empty()) {
    return std::nullopt;
  }
  const std::string_view name = path.segments[1].name;
  if (name == "@id") {
    return document.id;
  }
  if (name == "@last-modified") {
    return document.last_modified;
  }
  if (name == "@change-vector") {
    return document.change_vector;
  }
  return std::nullopt;
}

bool walk(const DocumentFacts& document, const Field& field, bool whole,
          const std::function<void(value::View)>& visit) {
  RK_CHECK(field.kind == Field::Kind::kId || field.kind == Field::Kind::kPath);
  if (field.kind == Field::Kind::kId) {
    const value::Document id = text_document(document.id);
    visit(id.root());
    return false;
  }
  RK_CHECK(!field.path.segments.empty());
  Walk walk(visit, whole);
  const std::span<const PathSegment> path(field.path.segments);
  if (path.front().name != kMetadataKey || !path.front().subscripts.empty()) {
    walk.segments(document.body, path);
  } else if (const auto own = own_metadata(document, field.path)) {
    const value::Document text = text_document(*own);
    visit(text.root());
  } else {
    const value::Document metadata = full_metadata(document);
    walk.segments(metadata.root(), path.subspan(1));
  }
  return walk.through_array();
}

}  // namespace

std::string Field::name() const {
  switch (kind) {
    case Kind::kId:
      return "id()";
    case Kind::kScore:
      return "score()";
    case Kind::kRandom:
      return "random()";
    case Kind::kPath:
      break;
  }
  std::string name;
  for (const PathSegment& segment : path.segments) {
    if (!name.empty()) {
      name += '.';
    }
    name += is_plain(segment.name) ? segment.name : query::quote(segment.name);
    for (const Subscript& subscript : segment.subscripts) {
      name += subscript.index ? '[' + std::to_string(*subscript.index) + ']' : "[]";
    }
  }
  return name;
}

void visit_values(const DocumentFacts& document, const Field& field,
                  const std::function<void(value::View)>& visit) {
  walk(document, field, false, visit);
}

bool visit_whole_values(const DocumentFacts& document, const Field& field,
                        const std::function<void(value::View)>& visit) {
  return walk(document, field, true, visit);
}

}  // namespace rookery::plan
