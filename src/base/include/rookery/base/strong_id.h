// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

// Purpose. Ids that cannot be confused with each other or with plain integers.

namespace rookery {

template <typename Tag, typename Rep = std::uint64_t>
class StrongId {
 public:
  using rep_type = Rep;

  constexpr StrongId() noexcept = default;

  constexpr explicit StrongId(Rep value) noexcept : value_(value) {}

  [[nodiscard]] constexpr Rep value() const noexcept { return value_; }

  // The id that follows this one.
  [[nodiscard]] constexpr StrongId next() const noexcept {
    return StrongId(static_cast<Rep>(value_ + 1));
  }

  friend constexpr auto operator<=>(StrongId, StrongId) noexcept = default;

 private:
  Rep value_ = 0;
};

}  // namespace rookery

template <typename Tag, typename Rep>
struct std::hash<rookery::StrongId<Tag, Rep>> {
  std::size_t operator()(rookery::StrongId<Tag, Rep> id) const noexcept {
    return std::hash<Rep>{}(id.value());
  }
};
