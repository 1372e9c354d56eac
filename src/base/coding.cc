// SPDX-License-Identifier: Apache-2.0
#include "rookery/base/coding.h"

namespace rookery {

void append_varint(std::string& to, std::uint64_t value) {
  while (value >= 0x80U) {
    to.push_back(static_cast<char>(value | 0x80U));
    value >>= 7U;
  }
  to.push_back(static_cast<char>(value));
}

std::optional<std::uint64_t> take_varint(Bytes& from) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < from.size() && i < 10; ++i) {
    const auto byte = static_cast<std::uint64_t>(from[i]);
    if (i == 9 && byte > 1) {
      return std::nullopt;
    }
    value |= (byte & 0x7FU) << (7 * i);
    if ((byte & 0x80U) == 0) {
      from = from.subspan(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace rookery
