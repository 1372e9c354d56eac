// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
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
  std::chrono::milliseconds timeout{60'000};  // of each step
};

// Errors: invalid_argument (the URL); io, timed_out (the connection). An HTTP status is no error.
[[nodiscard]] Result<api::Response> http_call(const ClientRequest& request);
// For a path segment or a query value.
[[nodiscard]] std::string percent_encode(std::string_view text);

}  // namespace rookery::edge
