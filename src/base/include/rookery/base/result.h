// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "rookery/base/check.h"

// Purpose. The one error style: a function that can fail returns Result<T>. No exceptions in our
// code; absence is a value (std::optional), not an error.
// Threads: Error and Result are values; copies of an Error may be used from several threads.
// Source: STYLE.md "Errors".

namespace rookery {

enum class ErrorClass : std::uint8_t { kRetry, kCaller, kConflict, kCorrupt, kFatal };

enum class ErrorCode : std::uint16_t {
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define RK_ERROR(number, name, error_class, sentence) name = number,
#include "rookery/base/error_codes.def"
#undef RK_ERROR
};

ErrorClass error_class(ErrorCode code) noexcept;
std::string_view error_name(ErrorCode code) noexcept;
std::string_view error_sentence(ErrorCode code) noexcept;

// Purpose. One word: a bare code (no allocation), or a counted reference to code, text and the
// operating system's errno. Small, so that a hot path that fails in the ordinary way stays cheap.
class [[nodiscard]] Error {
 public:
  // A bare code; message() is then the code's own sentence.
  Error(ErrorCode code) noexcept  // NOLINT(google-explicit-constructor): `return ErrorCode::busy`
      : rep_((static_cast<std::uintptr_t>(code) << 1U) | 1U) {}

  // `os_errno` is 0 where no system call was involved.
  Error(ErrorCode code, std::string message, int os_errno = 0);

  Error(const Error& other) noexcept : rep_(other.rep_) { retain(); }

  Error(Error&& other) noexcept : rep_(std::exchange(other.rep_, kMoved)) {}

  Error& operator=(const Error& other) noexcept {
    Error copy(other);
    std::swap(rep_, copy.rep_);
    return *this;
  }

  Error& operator=(Error&& other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }

  ~Error() { release(); }

  [[nodiscard]] ErrorCode code() const noexcept;

  [[nodiscard]] ErrorClass error_class() const noexcept { return rookery::error_class(code()); }

  [[nodiscard]] std::string_view message() const noexcept;
  [[nodiscard]] int os_errno() const noexcept;
  // "name: message", for logs.
  [[nodiscard]] std::string to_string() const;
  // The same code with "`context`: " before the message.
  [[nodiscard]] Error with_context(std::string_view context) const;

 private:
  struct Detail {
    std::atomic<std::uint32_t> references{1};
    ErrorCode code;
    int os_errno;
    std::string message;
  };

  static constexpr std::uintptr_t kMoved = 1;

  [[nodiscard]] Detail* detail() const noexcept {
    return (rep_ & 1U) == 0 ? reinterpret_cast<Detail*>(rep_) : nullptr;
  }

  void retain() const noexcept;
  void release() noexcept;

  std::uintptr_t rep_;
};

static_assert(sizeof(Error) == sizeof(void*));

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value)  // NOLINT(google-explicit-constructor)
      : rep_(std::in_place_index<0>, std::move(value)) {}

  Result(Error error)  // NOLINT(google-explicit-constructor)
      : rep_(std::in_place_index<1>, std::move(error)) {}

  Result(ErrorCode code)  // NOLINT(google-explicit-constructor)
      : rep_(std::in_place_index<1>, code) {}

  template <typename U>

  requires(std::is_constructible_v<T, U&&> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
           !std::is_same_v<std::remove_cvref_t<U>, Error> &&
           !std::is_same_v<std::remove_cvref_t<U>, ErrorCode> &&
           !std::is_same_v<std::remove_cvref_t<U>, Result>)
      Result(U&& value)  // NOLINT(google-explicit-constructor)
      : rep_(std::in_place_index<0>, std::forward<U>(value)) {}

  [[nodiscard]] bool has_value() const noexcept { return rep_.index() == 0; }

  explicit operator bool() const noexcept { return has_value(); }

  [[nodiscard]] T& value() & {
    RK_CHECK(has_value());
    return *std::get_if<0>(&rep_);
  }

  [[nodiscard]] const T& value() const& {
    RK_CHECK(has_value());
    return *std::get_if<0>(&rep_);
  }

  [[nodiscard]] T&& value() && {
    RK_CHECK(has_value());
    return std::move(*std::get_if<0>(&rep_));
  }

  [[nodiscard]] const Error& error() const& {
    RK_CHECK(!has_value());
    return *std::get_if<1>(&rep_);
  }

  [[nodiscard]] Error&& error() && {
    RK_CHECK(!has_value());
    return std::move(*std::get_if<1>(&rep_));
  }

  T& operator*() & { return value(); }

  const T& operator*() const& { return value(); }

  T&& operator*() && { return std::move(*this).value(); }

  T* operator->() { return &value(); }

  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> rep_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() noexcept = default;

  Result(Error error) noexcept  // NOLINT(google-explicit-constructor)
      : error_(std::move(error)) {}

  Result(ErrorCode code) noexcept : error_(code) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const noexcept { return !error_.has_value(); }

  explicit operator bool() const noexcept { return has_value(); }

  void value() const { RK_CHECK(has_value()); }

  [[nodiscard]] const Error& error() const& {
    RK_CHECK(!has_value());
    return *error_;
  }

  [[nodiscard]] Error&& error() && {
    RK_CHECK(!has_value());
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

}  // namespace rookery

// NOLINTBEGIN(cppcoreguidelines-macro-usage): early return cannot be a function.
#define RK_CONCAT_INNER(a, b) a##b
#define RK_CONCAT(a, b) RK_CONCAT_INNER(a, b)

// Returns the error of `expression` from the calling function, if it has one.
#define RK_TRY(expression)                     \
  do {                                         \
    auto rk_try_result = (expression);         \
    if (!rk_try_result.has_value()) {          \
      return std::move(rk_try_result).error(); \
    }                                          \
  } while (false)

// Assigns the value of `expression` to `target` (which may be a declaration), or returns its error.
#define RK_TRY_ASSIGN(target, expression) \
  RK_TRY_ASSIGN_INNER(RK_CONCAT(rk_try_, __COUNTER__), target, expression)
#define RK_TRY_ASSIGN_INNER(name, target, expression) \
  auto name = (expression);                           \
  if (!name.has_value()) {                            \
    return std::move(name).error();                   \
  }                                                   \
  target = std::move(name).value()
// NOLINTEND(cppcoreguidelines-macro-usage)
