// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "rookery/api/http.h"
#include "rookery/base/result.h"

// Purpose. One HTTP request to a server, blocking: for the command line and for tests.

namespace rookery::edge {

struct ClientRequest {
  std::string method = "GET";
  std::string url;  // http://host:port/path?query
  api::HeaderList headers{};
  std::string body{};
  std::chrono::milliseconds timeout{60'000};                                 // of each step
  std::uint64_t body_bytes_max = std::numeric_limits<std::uint64_t>::max();  // of the answer
  // A descriptor, borrowed: when it becomes readable the call is given up and its connection
  // closed. Nothing is read from it, but it is made non-blocking. -1: nothing cancels the call.
  int cancel_descriptor = -1;
};

// Errors: invalid_argument (the URL); io, timed_out (the connection); cancelled; too_large (the
// answer's body). An HTTP status is no error.
[[nodiscard]] Result<api::Response> http_call(const ClientRequest& request);
// Takes the next part of an answer's body; an error ends the call with it.
using BodySink = std::function<Result<void>(std::string_view)>;
// The same for an answer that is too large to hold: where its status is 200, its body goes into
// `sink` as it comes. Errors: also io, if the answer ends before its body does.
[[nodiscard]] Result<api::Response> http_download(const ClientRequest& request,
                                                  const BodySink& sink);
// For a path segment or a query value.
[[nodiscard]] std::string percent_encode(std::string_view text);

}  // namespace rookery::edge
