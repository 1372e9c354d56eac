// SPDX-License-Identifier: Apache-2.0
#include "caret.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "rookery/value/text.h"

#include "width.h"

namespace rookery::shell {

namespace {

std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number == 0) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<std::string_view> line_of(std::string_view query, std::uint32_t number) {
  for (std::uint32_t i = 1; i < number; ++i) {
    const std::size_t end = query.find('\n');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    query.remove_prefix(end + 1);
  }
  return query.substr(0, query.find('\n'));
}

// The first `count` code points; nullopt if there are fewer.
std::optional<std::string_view> beginning(std::string_view text, std::uint32_t count) {
  std::size_t size = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (size >= text.size()) {
      return std::nullopt;
    }
    size += value::decode_code_point(text.substr(size)).size;
  }
  return text.substr(0, size);
}

std::string_view without_first(std::string_view text) {
  return text.substr(value::decode_code_point(text).size);
}

}  // namespace

std::optional<Place> place_in(std::string_view message) {
  constexpr std::string_view kAt = "at ";
  for (std::size_t at = message.rfind(kAt); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : message.rfind(kAt, at - 1)) {
    std::string_view rest = message.substr(at + kAt.size());
    const auto line = take_number(rest);
    if (!line.has_value() || !rest.starts_with(':')) {
      continue;
    }
    rest.remove_prefix(1);
    const auto column = take_number(rest);
    if (column.has_value()) {
      return Place{*line, *column};
    }
  }
  return std::nullopt;
}

std::string caret_lines(std::string_view query, const Place& place, std::size_t width) {
  const std::optional<std::string_view> line = line_of(query, place.line);
  if (!line.has_value()) {
    return {};
  }
  const std::optional<std::string_view> before = beginning(*line, place.column - 1);
  if (!before.has_value()) {
    return {};
  }
  // Made printable by halves, so that the caret stands right below what it means.
  std::string left = printable(*before);
  const std::string right = printable(line->substr(before->size()));
  if (width > 0 && display_width(left) + 1 > width * 3 / 4) {
    std::string_view rest = left;
    while (!rest.empty() && display_width(rest) + 4 > width * 3 / 4) {
      rest = without_first(rest);
    }
    left = "..." + std::string(rest);
  }
  const std::size_t column = display_width(left);
  const std::string shown =
      left + (width > 0 ? fitted(right, width - std::min(width, column)) : right);
  return shown + "\n" + std::string(column, ' ') + "^\n";
}

}  // namespace rookery::shell
