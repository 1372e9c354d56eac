// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "rookery/api/http.h"

// Purpose. The head of a response as one string: Beast's own serializer costs half of the
// throughput, so the body goes out behind this by one gathering write.

namespace rookery::edge {

struct HeadOptions {
  bool keep_alive = true;
  bool http_1_0 = false;
  std::string_view date{};  // of the Date header; empty: none
};

[[nodiscard]] std::string_view reason_phrase(int status) noexcept;
// True where the protocol forbids a body.
[[nodiscard]] bool status_has_no_body(int status) noexcept;
// A header value with a line break would let its author write headers of his own: control
// characters are dropped.
void append_head(std::string& out, const api::Response& response, const HeadOptions& options);
// What stands before the bytes of a chunk; the one of no bytes is the last.
void append_chunk_head(std::string& out, std::size_t size_bytes);

}  // namespace rookery::edge
