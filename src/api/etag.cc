// SPDX-License-Identifier: Apache-2.0
#include "etag.h"

#include <span>

#include <fmt/format.h>

#include "rookery/base/checksum.h"

namespace rookery::api {

std::string quoted(std::string_view value) {
  std::string out = "\"";
  out += value;
  out += '"';
  return out;
}

std::string_view unquoted(std::string_view value) noexcept {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    return value.substr(1, value.size() - 2);
  }
  return value;
}

bool client_has(const Request& request, std::string_view etag) noexcept {
  const auto known = request.headers.find("If-None-Match");
  return known.has_value() && unquoted(*known) == etag;
}

std::optional<std::string> expected_change_vector(const Request& request) {
  const auto header = request.headers.find("If-Match");
  if (!header.has_value()) {
    return std::nullopt;
  }
  const std::string_view expected = unquoted(*header);
  if (expected == "null") {
    return std::nullopt;
  }
  return std::string(expected);
}

void EtagBuilder::add(std::string_view id, std::string_view change_vector) {
  parts_ += id;
  parts_ += '\0';
  parts_ += change_vector;
  parts_ += '\0';
}

void EtagBuilder::add_missing() {
  parts_ += '\1';
}

std::string EtagBuilder::finish() const {
  const Hash128 hash = checksum128(std::as_bytes(std::span(parts_)));
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

}  // namespace rookery::api
