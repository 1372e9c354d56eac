// SPDX-License-Identifier: Apache-2.0
#pragma once

// Purpose. Assertions. RK_CHECK is always on, in release too: what corrupts data in the field is
// what would otherwise be unchecked. RK_DCHECK is for work that is not O(1).
// Errors: a failed check prints expression, values and stack, then aborts; it never throws.
// Bytes from disk, network or users are never asserted: they return `corrupt` or `caller` errors.

namespace rookery {

// Prints to stderr, dumps the stack and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* expression) noexcept;

}  // namespace rookery

// NOLINTBEGIN(cppcoreguidelines-macro-usage): an assertion needs its text and place.
#define RK_CHECK(condition)                                    \
  do {                                                         \
    if (!(condition)) [[unlikely]] {                           \
      ::rookery::check_failed(__FILE__, __LINE__, #condition); \
    }                                                          \
  } while (false)

#if !defined(NDEBUG) || defined(RK_SIM)
#define RK_DCHECK(condition) RK_CHECK(condition)
#else
#define RK_DCHECK(condition)        \
  do {                              \
    if (false) {                    \
      static_cast<void>(condition); \
    }                               \
  } while (false)
#endif
// NOLINTEND(cppcoreguidelines-macro-usage)
