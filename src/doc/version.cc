// SPDX-License-Identifier: Apache-2.0
#include "rookery/doc/version.h"

#include <utility>

#include "rookery/value/date.h"

#include "metadata_keys.h"

namespace rookery::doc {

Result<std::optional<DocumentVersion>> version_of(value::View document) {
  const std::optional<value::View> metadata = document.find(kMetadataKey);
  const auto vector = metadata.has_value() ? metadata->find_string(kChangeVectorKey) : std::nullopt;
  if (!vector.has_value() || vector->empty()) {
    return std::optional<DocumentVersion>();
  }
  DocumentVersion version;
  RK_TRY_ASSIGN(version.change_vector, ChangeVector::parse(*vector));
  if (const auto date = metadata->find_string(kLastModifiedKey); date.has_value()) {
    version.last_modified = value::parse_date(*date);
    if (!version.last_modified.has_value()) {
      return Error(ErrorCode::malformed, "@last-modified is not a date");
    }
  }
  return std::optional(std::move(version));
}

}  // namespace rookery::doc
