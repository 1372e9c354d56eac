// SPDX-License-Identifier: Apache-2.0
#include "rookery/base/result.h"

namespace rookery {
namespace {

struct CodeFacts {
  ErrorClass error_class;
  std::string_view name;
  std::string_view sentence;
};

constexpr ErrorClass class_named(std::string_view name) {
  if (name == "retry") {
    return ErrorClass::kRetry;
  }
  if (name == "caller") {
    return ErrorClass::kCaller;
  }
  if (name == "conflict") {
    return ErrorClass::kConflict;
  }
  return name == "corrupt" ? ErrorClass::kCorrupt : ErrorClass::kFatal;
}

CodeFacts facts(ErrorCode code) noexcept {
  switch (code) {
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define RK_ERROR(number, name, error_class, sentence) \
  case ErrorCode::name:                               \
    return {class_named(#error_class), #name, sentence};
#include "rookery/base/error_codes.def"
#undef RK_ERROR
  }
  return {ErrorClass::kFatal, "moved", "this error was moved from"};
}

}  // namespace

ErrorClass error_class(ErrorCode code) noexcept {
  return facts(code).error_class;
}

std::string_view error_name(ErrorCode code) noexcept {
  return facts(code).name;
}

std::string_view error_sentence(ErrorCode code) noexcept {
  return facts(code).sentence;
}

Error::Error(ErrorCode code, std::string message, int os_errno)
    : rep_(reinterpret_cast<std::uintptr_t>(new Detail{
          .references = 1, .code = code, .os_errno = os_errno, .message = std::move(message)})) {
  static_assert(alignof(Detail) >= 2, "the low bit of the pointer tags a bare code");
}

ErrorCode Error::code() const noexcept {
  const Detail* d = detail();
  return d != nullptr ? d->code : static_cast<ErrorCode>(rep_ >> 1U);
}

std::string_view Error::message() const noexcept {
  const Detail* d = detail();
  return d != nullptr ? std::string_view(d->message) : error_sentence(code());
}

int Error::os_errno() const noexcept {
  const Detail* d = detail();
  return d != nullptr ? d->os_errno : 0;
}

std::string Error::to_string() const {
  std::string text(error_name(code()));
  text += ": ";
  text += message();
  return text;
}

Error Error::with_context(std::string_view context) const {
  std::string text(context);
  text += ": ";
  text += message();
  return {code(), std::move(text), os_errno()};
}

void Error::retain() const noexcept {
  if (Detail* d = detail(); d != nullptr) {
    // Relaxed: a new reference is made from one that is already held.
    d->references.fetch_add(1, std::memory_order_relaxed);
  }
}

void Error::release() noexcept {
  Detail* d = detail();
  // acq_rel pairs with itself: the last holder sees every other holder's use before it deletes.
  if (d != nullptr && d->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete d;
  }
}

}  // namespace rookery
