// SPDX-License-Identifier: Apache-2.0
#pragma once

// Purpose. Clang's thread-safety attributes; an error there, nothing under GCC.

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#if defined(__clang__)
#define RK_ATTRIBUTE(x) __attribute__((x))
#else
#define RK_ATTRIBUTE(x)
#endif

#define RK_CAPABILITY(x) RK_ATTRIBUTE(capability(x))
#define RK_SCOPED_CAPABILITY RK_ATTRIBUTE(scoped_lockable)
#define RK_GUARDED_BY(x) RK_ATTRIBUTE(guarded_by(x))
#define RK_PT_GUARDED_BY(x) RK_ATTRIBUTE(pt_guarded_by(x))
#define RK_REQUIRES(...) RK_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define RK_ACQUIRE(...) RK_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RK_RELEASE(...) RK_ATTRIBUTE(release_capability(__VA_ARGS__))
#define RK_TRY_ACQUIRE(...) RK_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define RK_EXCLUDES(...) RK_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define RK_NO_THREAD_SAFETY_ANALYSIS RK_ATTRIBUTE(no_thread_safety_analysis)
// NOLINTEND(cppcoreguidelines-macro-usage)
