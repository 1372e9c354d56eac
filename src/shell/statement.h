// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"

// Purpose. From lines to statements: where one ends, and what kind it is.

namespace rookery::shell {

struct Statement {
  std::string text;         // without the semicolon
  bool is_command = false;  // begins with a backslash
};

// The query of `explain from Users ...`; nullopt if the text does not begin with that word.
[[nodiscard]] std::optional<std::string_view> explained_query(std::string_view text);
// Nothing but blanks and comments.
[[nodiscard]] bool says_nothing(std::string_view text);

// Purpose. Collects lines. A query ends with a semicolon, or with a blank line if it parses by
// then; a line that begins with a backslash is a command, unless a string, comment or script is
// open.
// Threads: one owner.
class StatementReader {
 public:
  // What is collected may be this large, which is more than a query may be.
  static constexpr std::size_t kSizeBytesMax = std::size_t{8} << 20U;

  // What this line completes, in order.
  // Errors: too_large; invalid_argument (no UTF-8). What was collected is then forgotten.
  Result<std::vector<Statement>> add_line(std::string_view line);
  // What is left when no line follows.
  std::optional<Statement> finish();

  void clear() { text_.clear(); }

  // Something is begun and not ended.
  [[nodiscard]] bool is_open() const { return !says_nothing(text_); }

  // Why the blank line that came last did not end the query; nullopt if it did.
  [[nodiscard]] const std::optional<Error>& obstacle() const noexcept { return obstacle_; }

  // What is begun, each line with its end.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void end_at_blank_line(std::vector<Statement>& out);

  std::string text_;
  std::optional<Error> obstacle_;
};

// A statement as one line of history: with blanks for line ends where that changes nothing, else
// unchanged.
[[nodiscard]] std::string as_history_line(std::string_view text);

}  // namespace rookery::shell
