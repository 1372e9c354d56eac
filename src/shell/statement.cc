// SPDX-License-Identifier: Apache-2.0
#include "statement.h"

#include <algorithm>
#include <string>
#include <utility>

#include "rookery/query/parse.h"
#include "rookery/query/pieces.h"
#include "rookery/value/text.h"

namespace rookery::shell {

namespace {

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

}  // namespace

std::optional<std::string_view> explained_query(std::string_view text) {
  const query::Pieces pieces = query::pieces_of(text);
  if (pieces.list.empty() || !equal_ignoring_case(pieces.list.front().text, "explain")) {
    return std::nullopt;
  }
  const query::Piece& word = pieces.list.front();
  return trimmed(text.substr(word.offset + word.text.size()));
}

bool says_nothing(std::string_view text) {
  const query::Pieces pieces = query::pieces_of(text);
  return pieces.list.empty() && pieces.end == query::PiecesEnd::kEnd;
}

Result<std::vector<Statement>> StatementReader::add_line(std::string_view line) {
  std::vector<Statement> out;
  obstacle_.reset();
  // All that shows a statement, a mistake in it first of all, counts on that.
  if (const auto offset = value::utf8_error_offset(line); offset.has_value()) {
    clear();
    return Error(ErrorCode::invalid_argument,
                 "byte " + std::to_string(*offset + 1) + " of the line is not UTF-8");
  }
  const std::string_view shown = trimmed(line);
  if (shown.starts_with('\\') && query::pieces_of(text_).end != query::PiecesEnd::kUnfinished) {
    out.push_back({.text = std::string(shown), .is_command = true});
    return out;
  }
  if (text_.size() + line.size() > kSizeBytesMax) {
    clear();
    return Error(ErrorCode::too_large, "the statement is too large");
  }
  if (shown.empty() && is_open()) {
    end_at_blank_line(out);
    if (!out.empty()) {
      return out;
    }
  }
  text_ += line;
  text_ += '\n';
  for (;;) {
    const query::Pieces pieces = query::pieces_of(text_);
    if (pieces.end != query::PiecesEnd::kSemicolon) {
      break;
    }
    if (!pieces.list.empty()) {
      out.push_back(
          {.text = std::string(trimmed(std::string_view(text_).substr(0, pieces.offset)))});
    }
    text_.erase(0, pieces.offset + 1);
  }
  if (is_blank(text_)) {
    clear();
  }
  return out;
}

void StatementReader::end_at_blank_line(std::vector<Statement>& out) {
  const auto tree = query::parse(explained_query(text_).value_or(text_));
  // What parses and is not supported ends here too: the server says so.
  if (tree.has_value() || tree.error().code() == ErrorCode::not_supported) {
    out.push_back({.text = std::string(trimmed(text_))});
    clear();
  } else {
    obstacle_ = tree.error();
  }
}

std::optional<Statement> StatementReader::finish() {
  if (!is_open()) {
    return std::nullopt;
  }
  Statement last{.text = std::string(trimmed(text_))};
  clear();
  return last;
}

std::string as_history_line(std::string_view text) {
  std::string joined(text);
  std::replace(joined.begin(), joined.end(), '\n', ' ');
  if (joined == text) {
    return joined;
  }
  // A comment to the end of its line, or a line end inside a string or script, says otherwise.
  const auto before = query::parse(explained_query(text).value_or(text));
  const auto after = query::parse(explained_query(joined).value_or(joined));
  const bool same = before.has_value() && after.has_value() && *before == *after;
  return same ? joined : std::string(text);
}

}  // namespace rookery::shell
