// SPDX-License-Identifier: Apache-2.0
#include "document_maker.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "rookery/value/text.h"

namespace rookery::transfer {

using value::View;

namespace {

constexpr std::size_t kIdSizeMax = 512;
constexpr std::string_view kMetadata = "@metadata";

std::string text_of(View value) {
  if (const auto text = value.as_string(); text.has_value()) {
    return std::string(*text);
  }
  return value.number_text().value_or("");
}

// The record with its metadata, in the collection.
std::string with_collection(View root, View metadata, std::string_view collection) {
  std::string json;
  value::JsonWriter w(json);
  w.begin_object();
  w.members(root, {kMetadata});
  w.key(kMetadata);
  w.begin_object();
  w.string("@collection", collection);
  if (metadata.is_object()) {
    w.members(metadata, {"@collection"});
  }
  w.end_object();
  w.end_object();
  return json;
}

}  // namespace

Result<MadeDocument> DocumentMaker::make(std::string_view json, std::uint64_t number) {
  value::ParseOptions options;
  options.size_bytes_max = json.size();
  Result<value::Document> document = parser_.parse(json, options);
  if (!document.has_value()) {
    // Its lines are those of the record.
    return document.error().with_context("in the record");
  }
  const value::Document parsed = std::move(document).value();
  const View root = parsed.root();
  if (!root.is_object()) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("an object was expected, not {}", value::type_name(root.type())));
  }
  const View metadata = root.find(kMetadata).value_or(View());
  if (!metadata.is_null() && !metadata.is_object()) {
    return Error(ErrorCode::invalid_argument, "'@metadata' must be an object");
  }
  MadeDocument made;
  RK_TRY_ASSIGN(made.id, id_of(root, metadata, number));
  if (made.id.empty() || made.id.size() > kIdSizeMax || made.id.ends_with('/') ||
      made.id.ends_with('|')) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("'{}' cannot be a document's id: it has 1 to {} bytes and does not "
                             "end in '/' or '|'",
                             made.id, kIdSizeMax));
  }
  const bool keeps_collection =
      rules_.collection.empty() || metadata.find_string("@collection") == rules_.collection;
  made.json =
      keeps_collection ? std::string(json) : with_collection(root, metadata, rules_.collection);
  return made;
}

Result<std::string> DocumentMaker::id_of(View root, View metadata, std::uint64_t number) const {
  const std::string collection = rules_.collection.empty()
                                     ? std::string(metadata.find_string("@collection").value_or(""))
                                     : rules_.collection;
  if (!rules_.id_field.empty()) {
    const View field = root.find(rules_.id_field).value_or(View());
    const std::string text = text_of(field);
    if (text.empty()) {
      return Error(ErrorCode::invalid_argument,
                   fmt::format("'{}' has no text or number to make an id of", rules_.id_field));
    }
    return rules_.id_prefix + text;
  }
  if (const auto own = metadata.find_string("@id"); own.has_value() && rules_.id_prefix.empty()) {
    return std::string(*own);
  }
  if (rules_.id_prefix.empty() && collection.empty()) {
    return Error(ErrorCode::invalid_argument,
                 "there is nothing to make an id of: give --collection, --id-field or --id-prefix");
  }
  return (rules_.id_prefix.empty() ? collection + "/" : rules_.id_prefix) + std::to_string(number);
}

void append_element(std::string& body, const MadeDocument& document) {
  value::JsonWriter w(body);
  w.begin_object();
  w.string("Id", document.id);
  w.string("Type", "PUT");
  w.raw("Document", document.json);
  w.end_object();
}

}  // namespace rookery::transfer
