// SPDX-License-Identifier: Apache-2.0
#include "rookery/base/checksum.h"

#include <xxh_x86dispatch.h>

namespace rookery {

std::uint64_t checksum64(Bytes bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed_dispatch(bytes.data(), bytes.size(), seed);
}

Hash128 checksum128(Bytes bytes) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_dispatch(bytes.data(), bytes.size());
  return {.low = hash.low64, .high = hash.high64};
}

}  // namespace rookery
