// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rookery/base/coding.h"

// Purpose. XXH3, dispatched at run time, so that one binary uses AVX2 where there is AVX2. The one
// checksum of pages, journals and headers; it detects accidents, not malice.

namespace rookery {

[[nodiscard]] std::uint64_t checksum64(Bytes bytes, std::uint64_t seed = 0) noexcept;

// 128 bits of the same family, for content addresses.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Hash128&, const Hash128&) noexcept = default;
};

[[nodiscard]] Hash128 checksum128(Bytes bytes) noexcept;

}  // namespace rookery
