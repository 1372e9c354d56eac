// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "rookery/base/result.h"
#include "rookery/doc/document.h"
#include "rookery/value/json.h"

// Purpose. Documents as clients get them: the user's JSON with the server's metadata added.

namespace rookery::doc {

struct RenderOptions {
  // Only {"@metadata": {...}}.
  bool metadata_only = false;
  // Of a query's result: how well it matched, "@index-score".
  std::optional<double> index_score = std::nullopt;
};

// Writes one object. "@metadata" has the user's keys in their order, then what the server adds:
// @collection (if it has one that the user did not give), @change-vector, @flags (if any), @id,
// @last-modified, @index-score (if given). Errors: corrupt; then nothing was written.
// Requires: !document.is_tombstone.
[[nodiscard]] Result<void> write_document(value::JsonWriter& writer, const DocumentView& document,
                                          const RenderOptions& options = {});

}  // namespace rookery::doc
