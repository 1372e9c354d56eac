// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rookery/search/term.h"

// Purpose. The bytes of terms, for those who seek among them.
// Source: docs/format/search.md "Terms".

namespace rookery::search {

inline constexpr char kNullByte = 1;
inline constexpr char kFalseByte = 2;
inline constexpr char kTrueByte = 3;
inline constexpr char kNumberByte = 4;
inline constexpr char kStringByte = 5;

inline constexpr std::size_t kTermHashSize = 16;
// What is kept of a text that is cut. One that is not makes a term below kTermSizeMax, so a cut
// one is known by its size.
inline constexpr std::size_t kKeptTextSize = kTermSizeMax - 1 - kTermHashSize;
inline constexpr std::size_t kWholeTextSizeMax = kTermSizeMax - 2;

}  // namespace rookery::search
