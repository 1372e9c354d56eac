// SPDX-License-Identifier: Apache-2.0
#include "rookery/doc/render.h"

#include <optional>

#include "rookery/value/date.h"

#include "metadata_keys.h"

namespace rookery::doc {

namespace {

void write_metadata(value::JsonWriter& writer, const DocumentView& document,
                    const std::optional<value::View>& stored,
                    const std::optional<double>& index_score) {
  writer.key(kMetadataKey);
  writer.begin_object();
  const bool has_stored = stored.has_value() && stored->is_object();
  // A document without a collection goes out without one, as it came: the clients' tests say so.
  if (document.collection != kEmptyCollection &&
      (!has_stored || !stored->find(kCollectionKey).has_value())) {
    writer.string(kCollectionKey, document.collection);
  }
  if (has_stored) {
    writer.members(*stored);
  }
  writer.string(kChangeVectorKey, document.change_vector);
  if (document.flags != DocumentFlags::kNone) {
    writer.string(kFlagsKey, flags_text(document.flags));
  }
  writer.string(kIdKey, document.id);
  writer.string(kLastModifiedKey, value::format_date(document.last_modified));
  if (index_score.has_value()) {
    writer.number(kIndexScoreKey, *index_score);
  }
  writer.end_object();
}

}  // namespace

Result<void> write_document(value::JsonWriter& writer, const DocumentView& document,
                            const RenderOptions& options) {
  RK_TRY_ASSIGN(const value::View root, document.value());
  if (!root.is_object()) {
    return Error(ErrorCode::corrupt).with_context("the document " + std::string(document.id));
  }
  writer.begin_object();
  if (!options.metadata_only) {
    writer.members(root, {kMetadataKey});
  }
  write_metadata(writer, document, root.find(kMetadataKey), options.index_score);
  writer.end_object();
  return {};
}

}  // namespace rookery::doc
