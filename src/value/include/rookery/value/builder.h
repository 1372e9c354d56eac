// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/value/document.h"

// Purpose. Makes binary documents value by value.
// Threads: one owner.

namespace rookery::value {

struct BuildLimits {
  std::size_t depth = kDepthDefault;  // at most kDepthMax counts
};

// Purpose. Calls come in the order of JSON text; inside an object each value follows its key():
//   builder.begin_object(); builder.key("Name"); builder.string("x"); builder.end_object();
// Owns: copies of all it is given; a View passed in may be of any document.
// Errors: the first one sticks and finish() returns it; calls after it do nothing. Caller errors:
//   invalid_argument (a key twice in one object), malformed (text that is not UTF-8, a number that
//   is not JSON), too_large (depth, or 4 GB), out_of_memory.
// Requires: calls that nest properly; a misplaced one is a bug and fails a check.
class Builder {
 public:
  explicit Builder(BuildLimits limits = {});
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  Builder(Builder&&) noexcept;
  Builder& operator=(Builder&&) noexcept;
  ~Builder();

  void begin_object();
  void end_object();
  void begin_array();
  void end_array();
  void key(std::string_view key);

  void null();
  void boolean(bool value);
  void int64(std::int64_t value);
  // Shortest text that reads back as the same double; NaN and infinities become null, as in
  // JavaScript.
  void number(double value);
  // Kept as written.
  void number_text(std::string_view json_number);
  void string(std::string_view utf8);
  // A deep copy.
  void value(View value);

  // key() and a value at once.
  void null(std::string_view name);
  void boolean(std::string_view name, bool value);
  void int64(std::string_view name, std::int64_t value);
  void number(std::string_view name, double value);
  void string(std::string_view name, std::string_view utf8);
  void value(std::string_view name, View value);

  // Copies the members of `object` into the object that is open, in order, but for those whose key
  // is in `without`. Requires: `object` is an object.
  void members(View object, std::span<const std::string_view> without = {});
  void members(View object, std::initializer_list<std::string_view> without);

  // What has gone wrong so far.
  [[nodiscard]] const std::optional<Error>& error() const noexcept;

  // Requires: exactly one value was added and every container is closed, unless there is an error.
  // The builder is empty afterwards and may be used again.
  Result<Document> finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace rookery::value
