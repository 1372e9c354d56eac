// SPDX-License-Identifier: Apache-2.0
#include "rookery/doc/document.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "rookery/value/builder.h"

#include "metadata_keys.h"

namespace rookery::doc {

namespace {

constexpr std::array<std::pair<DocumentFlags, std::string_view>, 13> kFlagNames = {{
    {DocumentFlags::kHasAttachments, "HasAttachments"},
    {DocumentFlags::kHasCounters, "HasCounters"},
    {DocumentFlags::kHasTimeSeries, "HasTimeSeries"},
    {DocumentFlags::kHasRevisions, "HasRevisions"},
    {DocumentFlags::kRevision, "Revision"},
    {DocumentFlags::kDeleteRevision, "DeleteRevision"},
    {DocumentFlags::kConflicted, "Conflicted"},
    {DocumentFlags::kResolved, "Resolved"},
    {DocumentFlags::kReverted, "Reverted"},
    {DocumentFlags::kArtificial, "Artificial"},
    {DocumentFlags::kArchived, "Archived"},
    {DocumentFlags::kFromReplication, "FromReplication"},
    {DocumentFlags::kFromClusterTransaction, "FromClusterTransaction"},
}};

// What must not be stored of a user's metadata: the server adds it when the document is read.
struct MetadataScan {
  std::string collection;
  std::vector<std::string_view> dropped;
};

Result<MetadataScan> scan_metadata(value::View metadata) {
  MetadataScan scan;
  for (std::size_t i = 0; i < metadata.size(); ++i) {
    const std::string_view key = metadata.key_at(i);
    if (is_server_owned(key)) {
      scan.dropped.push_back(key);
    } else if (key == kCollectionKey) {
      const value::View name = metadata.value_at(i);
      if (!name.is_null() && !name.is_string()) {
        return Error(ErrorCode::invalid_argument, "@collection must be a string");
      }
      scan.collection = name.as_string().value_or("");
      if (scan.collection.empty()) {
        scan.dropped.push_back(key);
      }
    }
  }
  if (scan.collection.size() > kCollectionSizeMax) {
    return Error(ErrorCode::too_large, "the name of a collection may have " +
                                           std::to_string(kCollectionSizeMax) + " bytes");
  }
  return scan;
}

Result<value::Document> without_metadata_keys(value::View root, value::View metadata,
                                              const std::vector<std::string_view>& dropped) {
  value::Builder builder({.depth = value::kDepthMax});
  builder.begin_object();
  for (std::size_t i = 0; i < root.size(); ++i) {
    const std::string_view key = root.key_at(i);
    if (key != kMetadataKey) {
      builder.value(key, root.value_at(i));
    } else if (metadata.is_object() && dropped.size() < metadata.size()) {
      builder.key(key);
      builder.begin_object();
      builder.members(metadata, dropped);
      builder.end_object();
    }
  }
  builder.end_object();
  return builder.finish();
}

}  // namespace

std::string flags_text(DocumentFlags flags) {
  std::string text;
  for (const auto& [flag, name] : kFlagNames) {
    if ((flags & flag) != DocumentFlags::kNone) {
      text.append(text.empty() ? "" : ", ").append(name);
    }
  }
  return text;
}

Result<value::View> DocumentView::value() const {
  RK_CHECK(!is_tombstone);
  return value::View::over(data);
}

Result<PreparedDocument> PreparedDocument::make(value::Document document) {
  const value::View root = document.root();
  if (!root.is_object()) {
    return Error(ErrorCode::invalid_argument, "a document must be a JSON object");
  }
  PreparedDocument prepared;
  prepared.collection = kEmptyCollection;
  const std::optional<value::View> metadata = root.find(kMetadataKey);
  if (!metadata.has_value()) {
    prepared.document = std::move(document);
    return prepared;
  }
  if (!metadata->is_null() && !metadata->is_object()) {
    return Error(ErrorCode::invalid_argument, "@metadata must be a JSON object");
  }
  RK_TRY_ASSIGN(const MetadataScan scan, scan_metadata(*metadata));
  if (!scan.collection.empty()) {
    prepared.collection = scan.collection;
  }
  if (metadata->is_object() && metadata->size() > 0 && scan.dropped.empty()) {
    prepared.document = std::move(document);
    return prepared;
  }
  RK_TRY_ASSIGN(prepared.document, without_metadata_keys(root, *metadata, scan.dropped));
  return prepared;
}

}  // namespace rookery::doc
