// SPDX-License-Identifier: Apache-2.0
#include "operation.h"

#include <charconv>

namespace rookery::history {

NameNo Names::number(std::string_view text) {
  if (const auto found = numbers_.find(text); found != numbers_.end()) {
    return found->second;
  }
  const auto number = static_cast<NameNo>(texts_.size());
  texts_.emplace_back(text);
  numbers_.emplace(texts_.back(), number);
  return number;
}

std::optional<Version> parse_version(std::string_view text, Names& names) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.find(',') != std::string_view::npos) {
    return std::nullopt;
  }
  Version version;
  const char* const begin = text.data() + colon + 1;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, version.etag);
  if (error != std::errc{} || version.etag == 0) {
    return std::nullopt;
  }
  std::string source(text.substr(0, colon + 1));
  source.append(rest, end);
  version.source = names.number(source);
  return version;
}

std::string version_text(const Version& version, const Names& names) {
  if (!version.known()) {
    return "";
  }
  std::string text(names.text(version.source));
  text.insert(text.find(':') + 1, std::to_string(version.etag));
  return text;
}

}  // namespace rookery::history
