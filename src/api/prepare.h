// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rookery/base/result.h"
#include "rookery/doc/document.h"

// Purpose. A document of a request, made ready for the merger on the request's own thread.

namespace rookery::api {

// Errors: too_large (over `size_bytes_max`), and those of PreparedDocument::make().
[[nodiscard]] Result<doc::PreparedDocument> prepare_document(value::Document document,
                                                             std::size_t size_bytes_max);

}  // namespace rookery::api
