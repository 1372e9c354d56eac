// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rookery/api/http.h"

// Purpose. ETags: what a client may keep, and how it asks whether that is still right.

namespace rookery::api {

// "\"value\"".
[[nodiscard]] std::string quoted(std::string_view value);
// Without the quotes, if there are any.
[[nodiscard]] std::string_view unquoted(std::string_view value) noexcept;
// True if the request's If-None-Match is `etag`, so that the answer is 304.
[[nodiscard]] bool client_has(const Request& request, std::string_view etag) noexcept;
// The change vector that If-Match expects; nullopt: no check. Also for "null", which is what a
// client without one may send.
[[nodiscard]] std::optional<std::string> expected_change_vector(const Request& request);

// Purpose. One ETag for an answer made of many documents: a hash over what each of them was.
class EtagBuilder {
 public:
  void add(std::string_view id, std::string_view change_vector);
  void add_missing();
  [[nodiscard]] std::string finish() const;

 private:
  std::string parts_;
};

}  // namespace rookery::api
