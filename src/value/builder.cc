// SPDX-License-Identifier: Apache-2.0
#include "rookery/value/builder.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "rookery/base/check.h"
#include "rookery/value/text.h"

#include "assembler.h"
#include "number.h"
#include "reader.h"

namespace rookery::value {

class Builder::State {
 public:
  explicit State(BuildLimits limits) : depth_max_(std::min(limits.depth, kDepthMax)) {}

  Assembler assembler;
  std::optional<Error> error;

  // Every value and container passes here first; false once something went wrong.
  [[nodiscard]] bool place_value() {
    if (stopped()) {
      return false;
    }
    if (open_.empty()) {
      RK_CHECK(!complete_);
      complete_ = true;
    } else if (open_.back() != Place::kArray) {
      RK_CHECK(open_.back() == Place::kValue);
      open_.back() = Place::kKey;
    }
    return true;
  }

  [[nodiscard]] bool place_key() {
    if (stopped()) {
      return false;
    }
    RK_CHECK(!open_.empty() && open_.back() == Place::kKey);
    open_.back() = Place::kValue;
    return true;
  }

  void open(bool object) {
    if (!place_value()) {
      return;
    }
    if (open_.size() >= depth_max_) {
      fail(ErrorCode::too_large, "nested deeper than " + std::to_string(depth_max_) + " levels");
      return;
    }
    open_.push_back(object ? Place::kKey : Place::kArray);
    assembler.begin_container();
  }

  void close(bool object) {
    if (stopped()) {
      return;
    }
    RK_CHECK(!open_.empty() && open_.back() == (object ? Place::kKey : Place::kArray));
    open_.pop_back();
    if (!object) {
      assembler.end_array();
    } else if (const std::optional<std::string_view> twin = assembler.end_object()) {
      fail(ErrorCode::invalid_argument, "the key \"" + std::string(*twin) + "\" appears twice");
    }
  }

  [[nodiscard]] bool check_text(std::string_view text) {
    if (is_utf8(text)) {
      return true;
    }
    fail(ErrorCode::malformed, "text is not UTF-8");
    return false;
  }

  void fail(ErrorCode code, std::string message) {
    if (!error) {
      error.emplace(code, std::move(message));
    }
  }

  [[nodiscard]] bool stopped() {
    if (!error && assembler.failed()) {
      error = assembler.failure();
    }
    return error.has_value();
  }

  // Strings and keys of a View are UTF-8 already. Recursion is bounded by kDepthMax.
  void copy(View view);

  void copy_key(std::string_view key) {
    if (place_key()) {
      assembler.key(key);
    }
  }

  Result<Document> finish() {
    if (stopped()) {
      Error first = *std::exchange(error, std::nullopt);
      assembler.clear();
      open_.clear();
      complete_ = false;
      return first;
    }
    RK_CHECK(open_.empty() && complete_);
    complete_ = false;
    return assembler.finish();
  }

 private:
  // What comes next in an open container.
  enum class Place : std::uint8_t { kArray, kKey, kValue };

  std::size_t depth_max_;
  std::vector<Place> open_;
  bool complete_ = false;  // the root was begun
};

void Builder::State::copy(View view) {
  switch (view.type()) {
    case Type::kArray:
      open(false);
      for (std::size_t i = 0; i < view.size() && !stopped(); ++i) {
        copy(view.at(i));
      }
      close(false);
      return;
    case Type::kObject:
      open(true);
      for (std::size_t i = 0; i < view.size() && !stopped(); ++i) {
        copy_key(view.key_at(i));
        copy(view.value_at(i));
      }
      close(true);
      return;
    default:
      break;
  }
  if (!place_value()) {
    return;
  }
  if (const std::optional<bool> boolean = view.as_bool()) {
    assembler.boolean(*boolean);
  } else if (const std::optional<std::int64_t> integer = view.as_int64()) {
    assembler.int64(*integer);
  } else if (view.type() == Type::kNumber) {
    assembler.number(Reader::text(view));
  } else if (view.type() == Type::kString) {
    assembler.string(Reader::text(view));
  } else {
    assembler.null();
  }
}

Builder::Builder(BuildLimits limits) : state_(std::make_unique<State>(limits)) {}

Builder::Builder(Builder&&) noexcept = default;
Builder& Builder::operator=(Builder&&) noexcept = default;
Builder::~Builder() = default;

void Builder::begin_object() {
  state_->open(true);
}

void Builder::end_object() {
  state_->close(true);
}

void Builder::begin_array() {
  state_->open(false);
}

void Builder::end_array() {
  state_->close(false);
}

void Builder::key(std::string_view key) {
  if (state_->place_key() && state_->check_text(key)) {
    state_->assembler.key(key);
  }
}

void Builder::null() {
  if (state_->place_value()) {
    state_->assembler.null();
  }
}

void Builder::boolean(bool value) {
  if (state_->place_value()) {
    state_->assembler.boolean(value);
  }
}

void Builder::int64(std::int64_t value) {
  if (state_->place_value()) {
    state_->assembler.int64(value);
  }
}

void Builder::number(double value) {
  if (!std::isfinite(value)) {
    null();
    return;
  }
  NumberText text;
  number_text(write_double(text, value));
}

void Builder::number_text(std::string_view json_number) {
  if (!state_->place_value()) {
    return;
  }
  if (!is_json_number(json_number)) {
    state_->fail(ErrorCode::malformed, "text is not a JSON number");
    return;
  }
  state_->assembler.number(json_number);
}

void Builder::string(std::string_view utf8) {
  if (state_->place_value() && state_->check_text(utf8)) {
    state_->assembler.string(utf8);
  }
}

void Builder::value(View value) {
  state_->copy(value);
}

void Builder::null(std::string_view name) {
  key(name);
  null();
}

void Builder::boolean(std::string_view name, bool value) {
  key(name);
  boolean(value);
}

void Builder::int64(std::string_view name, std::int64_t value) {
  key(name);
  int64(value);
}

void Builder::number(std::string_view name, double value) {
  key(name);
  number(value);
}

void Builder::string(std::string_view name, std::string_view utf8) {
  key(name);
  string(utf8);
}

void Builder::value(std::string_view name, View member) {
  key(name);
  value(member);
}

void Builder::members(View object, std::span<const std::string_view> without) {
  RK_CHECK(object.is_object());
  for (std::size_t i = 0; i < object.size() && !state_->stopped(); ++i) {
    const std::string_view name = object.key_at(i);
    if (std::ranges::find(without, name) == without.end()) {
      state_->copy_key(name);
      state_->copy(object.value_at(i));
    }
  }
}

void Builder::members(View object, std::initializer_list<std::string_view> without) {
  members(object, std::span(without.begin(), without.size()));
}

const std::optional<Error>& Builder::error() const noexcept {
  static_cast<void>(state_->stopped());
  return state_->error;
}

Result<Document> Builder::finish() {
  return state_->finish();
}

}  // namespace rookery::value
