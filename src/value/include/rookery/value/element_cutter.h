// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/base/result.h"

// Purpose. Cuts the elements out of one JSON array that arrives in parts of any size, so that an
// array without end is read in the memory of its largest element.

namespace rookery::value {

// Purpose. Finds where elements begin and end, and nothing else: whether an element is JSON is for
// JsonParser to say. Brackets of both kinds count alike, so an element that is not JSON is still
// cut out whole if its brackets and quotes are in pairs.
//   cutter.feed(part); while (next() gives an element) ...; at the end of the input: finish()
// Owns: what has arrived of an element that is not complete yet.
// Threads: one owner.
class ElementCutter {
 public:
  explicit ElementCutter(std::size_t element_bytes_max) : element_bytes_max_(element_bytes_max) {}

  // Borrows `part` until next() has returned nullopt. Requires: it did so for the part before.
  void feed(std::string_view part);

  // The next element without the whitespace around it; lives until the next call. nullopt: the part
  // is used up. Errors stick: malformed (text that is not of an array, or behind it), too_large (an
  // element); the message names the byte offset.
  [[nodiscard]] Result<std::optional<std::string_view>> next();

  // The input is over. Errors: malformed, if the array is not; or what next() failed with.
  [[nodiscard]] Result<void> finish() const;

  // How many elements next() has given.
  [[nodiscard]] std::uint64_t element_count() const noexcept { return element_count_; }

  // Where the last one began, in bytes from the start of the input.
  [[nodiscard]] std::uint64_t element_offset() const noexcept { return element_offset_; }

  // The same in lines, from 1.
  [[nodiscard]] std::uint64_t element_line() const noexcept { return element_line_; }

  // Of an element that is not complete yet.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return held_.size(); }

 private:
  enum class State : std::uint8_t {
    kBeforeArray,
    kFirstOrEnd,   // behind '['
    kElement,      // behind ','
    kCommaOrEnd,   // behind an element
    kInContainer,  // in an element that is an array or object
    kInString,     // in one that is a string
    kInScalar,     // in one that is a number or a word
    kBehindArray,
  };

  [[nodiscard]] std::optional<Error> step();
  void begin_element(char first);
  [[nodiscard]] bool scan_element();
  [[nodiscard]] bool scan_container();
  [[nodiscard]] bool scan_string();
  [[nodiscard]] bool scan_scalar();
  [[nodiscard]] std::string_view take_element();
  void count_lines(std::size_t up_to);
  [[nodiscard]] Error fail(ErrorCode code, std::string_view what);

  const std::size_t element_bytes_max_;
  State state_ = State::kBeforeArray;
  std::string_view part_;
  std::size_t position_ = 0;  // in part_
  std::size_t start_ = 0;     // in part_, of what of the current element lies there
  std::string held_;          // what earlier parts had of it
  bool held_was_given_ = false;
  std::uint64_t depth_ = 0;  // of open brackets in the current element
  bool in_string_ = false;
  bool escaped_ = false;  // the character before was a backslash of a string
  std::uint64_t part_offset_ = 0;
  std::uint64_t lines_ = 1;         // at counted_
  std::size_t counted_ = 0;         // in part_
  std::uint64_t begin_offset_ = 0;  // of the current element
  std::uint64_t begin_line_ = 0;
  std::uint64_t element_count_ = 0;
  std::uint64_t element_offset_ = 0;
  std::uint64_t element_line_ = 0;
  std::optional<Error> error_;
};

}  // namespace rookery::value
