// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"

// Purpose. Rows of comma-separated text that comes in parts. A row ends with a line end of any kind
// outside of quotes; a field may be quoted, and then has its quotes doubled. Nothing is trimmed.
// Source: RFC 4180.

namespace rookery::transfer {

// Fields kept of a row; a row with more has a fault. A row of commas alone would otherwise take 32
// times its size.
inline constexpr std::size_t kCsvFieldsMax = 65'536;

// Threads: one owner.
class CsvParser {
 public:
  CsvParser(char delimiter, std::size_t row_bytes_max)
      : delimiter_(delimiter), row_bytes_max_(row_bytes_max) {}

  struct Row {
    const std::vector<std::string>& fields;
    std::string_view text;  // as it stands, without its line end
    std::uint64_t line = 0;
    std::string_view fault;  // what breaks the rules in it; empty: nothing
  };

  // Borrows `part` until next_row() has returned nullopt.
  void feed(std::string_view part);

  // No more parts: what is left is the last row.
  void finish() noexcept { finished_ = true; }

  // nullopt: the part is used up, or after finish(), that was all. Empty lines are no rows. The row
  // lives until the next call. Errors: too_large.
  [[nodiscard]] Result<std::optional<Row>> next_row();

 private:
  enum class State : std::uint8_t { kRowStart, kFieldStart, kPlain, kQuoted, kBehindQuote };

  // True if the row ends with it.
  [[nodiscard]] bool take(char c);
  void end_field();
  [[nodiscard]] Row end_row();
  void begin_row();
  void note_fault(std::string_view fault);

  const char delimiter_;
  const std::size_t row_bytes_max_;
  std::string_view part_;
  std::size_t position_ = 0;
  bool finished_ = false;
  State state_ = State::kRowStart;
  bool row_is_given_ = false;
  bool after_return_ = false;  // a line feed belongs to the return before it
  std::vector<std::string> fields_;
  std::string field_;
  std::string text_;
  std::string_view fault_;
  std::uint64_t line_ = 1;
  std::uint64_t row_line_ = 1;
};

}  // namespace rookery::transfer
