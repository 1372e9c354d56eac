// SPDX-License-Identifier: Apache-2.0
#include "csv_parser.h"

#include "rookery/base/check.h"

namespace rookery::transfer {

void CsvParser::feed(std::string_view part) {
  RK_CHECK(position_ == part_.size());
  part_ = part;
  position_ = 0;
}

Result<std::optional<CsvParser::Row>> CsvParser::next_row() {
  if (row_is_given_) {
    begin_row();
  }
  while (position_ < part_.size()) {
    if (take(part_[position_++])) {
      return std::optional(end_row());
    }
    if (text_.size() > row_bytes_max_) {
      return Error(ErrorCode::too_large, "the row that begins in line " +
                                             std::to_string(row_line_) +
                                             " is too long; perhaps a quote is not closed");
    }
  }
  if (finished_ && state_ != State::kRowStart) {
    if (state_ == State::kQuoted) {
      note_fault("a quoted field is not closed");
    }
    end_field();
    return std::optional(end_row());
  }
  return std::optional<Row>();
}

bool CsvParser::take(char c) {
  const bool line_end = c == '\n' || c == '\r';
  const bool second_half = c == '\n' && after_return_;
  after_return_ = c == '\r';
  if (c == '\n' ? !second_half : c == '\r') {
    ++line_;
  }
  if (state_ == State::kRowStart) {
    if (line_end) {
      return false;  // an empty line, or the second half of a line end
    }
    row_line_ = line_;
    state_ = State::kFieldStart;
  }
  if (state_ != State::kQuoted && line_end) {
    end_field();
    return true;
  }
  text_ += c;
  switch (state_) {
    case State::kRowStart:
      break;
    case State::kFieldStart:
      if (c == '"') {
        state_ = State::kQuoted;
      } else if (c == delimiter_) {
        end_field();
      } else {
        field_ += c;
        state_ = State::kPlain;
      }
      return false;
    case State::kPlain:
      if (c == delimiter_) {
        end_field();
      } else {
        if (c == '"') {
          note_fault("a quote stands in a field that does not begin with one");
        }
        field_ += c;
      }
      return false;
    case State::kQuoted:
      if (c == '"') {
        state_ = State::kBehindQuote;
      } else {
        field_ += c;
      }
      return false;
    case State::kBehindQuote:
      if (c == '"') {
        field_ += c;
        state_ = State::kQuoted;
      } else if (c == delimiter_) {
        end_field();
      } else {
        note_fault("text follows a quoted field");
        field_ += c;
        state_ = State::kPlain;
      }
      return false;
  }
  check_failed(__FILE__, __LINE__, "a state of a row");
}

void CsvParser::end_field() {
  if (fields_.size() < kCsvFieldsMax) {
    fields_.push_back(std::move(field_));
  } else {
    static_assert(kCsvFieldsMax == 65'536);
    note_fault("it has more than 65536 fields");
  }
  field_.clear();
  state_ = State::kFieldStart;
}

CsvParser::Row CsvParser::end_row() {
  row_is_given_ = true;
  state_ = State::kRowStart;
  return {.fields = fields_, .text = text_, .line = row_line_, .fault = fault_};
}

void CsvParser::begin_row() {
  row_is_given_ = false;
  fields_.clear();
  field_.clear();
  text_.clear();
  fault_ = {};
}

void CsvParser::note_fault(std::string_view fault) {
  if (fault_.empty()) {
    fault_ = fault;
  }
}

}  // namespace rookery::transfer
