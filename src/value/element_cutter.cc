// SPDX-License-Identifier: Apache-2.0
#include "rookery/value/element_cutter.h"

#include <algorithm>
#include <utility>

#include "rookery/base/check.h"

namespace rookery::value {

namespace {

bool is_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool ends_scalar(char c) noexcept {
  return c == ',' || c == ']' || c == '}' || c == '[' || c == '{' || c == '"' || c == ':' ||
         is_space(c);
}

}  // namespace

void ElementCutter::feed(std::string_view part) {
  RK_CHECK(position_ == part_.size());
  part_offset_ += part_.size();
  part_ = part;
  position_ = 0;
  start_ = 0;
  counted_ = 0;
}

Result<std::optional<std::string_view>> ElementCutter::next() {
  if (error_.has_value()) {
    return *error_;
  }
  if (held_was_given_) {
    held_.clear();
    held_was_given_ = false;
  }
  while (position_ < part_.size()) {
    const bool inside =
        state_ == State::kInContainer || state_ == State::kInString || state_ == State::kInScalar;
    if (!inside) {
      if (std::optional<Error> error = step(); error.has_value()) {
        return std::move(*error);
      }
      continue;
    }
    const bool whole = scan_element();
    const std::size_t here = position_ - start_;
    if (held_.size() + here > element_bytes_max_) {
      return fail(ErrorCode::too_large, "element " + std::to_string(element_count_ + 1) +
                                            " has more than " + std::to_string(element_bytes_max_) +
                                            " bytes");
    }
    if (whole) {
      return std::optional(take_element());
    }
    held_.append(part_.substr(start_));
  }
  // Here the part is still there.
  count_lines(part_.size());
  return std::optional<std::string_view>();
}

// One character between elements.
std::optional<Error> ElementCutter::step() {
  const char c = part_[position_];
  if (is_space(c)) {
    ++position_;
    return std::nullopt;
  }
  switch (state_) {
    case State::kBeforeArray:
      if (c != '[') {
        return fail(ErrorCode::malformed, "an array was expected");
      }
      ++position_;
      state_ = State::kFirstOrEnd;
      return std::nullopt;
    case State::kFirstOrEnd:
    case State::kElement:
      if (c == ']' && state_ == State::kFirstOrEnd) {
        ++position_;
        state_ = State::kBehindArray;
        return std::nullopt;
      }
      if (ends_scalar(c) && c != '{' && c != '[' && c != '"') {
        return fail(ErrorCode::malformed, "an element of the array was expected");
      }
      begin_element(c);
      return std::nullopt;
    case State::kCommaOrEnd:
      if (c != ',' && c != ']') {
        return fail(ErrorCode::malformed, "a comma or the end of the array was expected");
      }
      ++position_;
      state_ = c == ',' ? State::kElement : State::kBehindArray;
      return std::nullopt;
    case State::kInContainer:
    case State::kInString:
    case State::kInScalar:
      break;
    case State::kBehindArray:
      return fail(ErrorCode::malformed, "text follows the array");
  }
  check_failed(__FILE__, __LINE__, "a state between elements");
}

void ElementCutter::begin_element(char first) {
  count_lines(position_);
  begin_offset_ = part_offset_ + position_;
  begin_line_ = lines_;
  start_ = position_;
  depth_ = 0;
  in_string_ = false;
  escaped_ = false;
  if (first == '{' || first == '[') {
    state_ = State::kInContainer;
  } else if (first == '"') {
    state_ = State::kInString;
  } else {
    state_ = State::kInScalar;
  }
}

// True if the element ends in this part, at position_.
bool ElementCutter::scan_element() {
  switch (state_) {
    case State::kInContainer:
      return scan_container();
    case State::kInString:
      // Its first quote only opens it.
      position_ += in_string_ ? 0U : 1U;
      in_string_ = true;
      return scan_string();
    default:
      return scan_scalar();
  }
}

bool ElementCutter::scan_container() {
  while (position_ < part_.size()) {
    if (in_string_) {
      in_string_ = !scan_string();
      continue;
    }
    const char c = part_[position_++];
    if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      return true;
    }
  }
  return false;
}

// Goes behind the closing quote, if it is in this part.
bool ElementCutter::scan_string() {
  while (position_ < part_.size()) {
    const char c = part_[position_++];
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      return true;
    }
  }
  return false;
}

bool ElementCutter::scan_scalar() {
  while (position_ < part_.size()) {
    if (ends_scalar(part_[position_])) {
      return true;
    }
    ++position_;
  }
  return false;
}

std::string_view ElementCutter::take_element() {
  state_ = State::kCommaOrEnd;
  ++element_count_;
  element_offset_ = begin_offset_;
  element_line_ = begin_line_;
  const std::string_view here = part_.substr(start_, position_ - start_);
  if (held_.empty()) {
    return here;
  }
  held_.append(here);
  held_was_given_ = true;
  return held_;
}

void ElementCutter::count_lines(std::size_t up_to) {
  const std::string_view text = part_.substr(counted_, up_to - counted_);
  lines_ += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  counted_ = up_to;
}

Result<void> ElementCutter::finish() const {
  if (error_.has_value()) {
    return *error_;
  }
  if (state_ != State::kBehindArray) {
    return Error(ErrorCode::malformed, "the input ends before its array does, at byte " +
                                           std::to_string(part_offset_ + part_.size()));
  }
  return {};
}

Error ElementCutter::fail(ErrorCode code, std::string_view what) {
  error_ = Error(code, std::string(what) + " at byte " + std::to_string(part_offset_ + position_));
  // The rest of the part is of no use to anyone.
  position_ = part_.size();
  return *error_;
}

}  // namespace rookery::value
