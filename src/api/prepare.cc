// SPDX-License-Identifier: Apache-2.0
#include "prepare.h"

#include <utility>

#include <fmt/format.h>

namespace rookery::api {

Result<doc::PreparedDocument> prepare_document(value::Document document,
                                               std::size_t size_bytes_max) {
  if (document.bytes().size() > size_bytes_max) {
    return Error(ErrorCode::too_large, fmt::format("The document takes {} bytes; {} are allowed.",
                                                   document.bytes().size(), size_bytes_max));
  }
  return doc::PreparedDocument::make(std::move(document));
}

}  // namespace rookery::api
