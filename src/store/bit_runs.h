// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

// Purpose. Runs of set bits in an array of words: free pages in a region, free slots in a chunk of
// scratch.

namespace rookery::store {

// The first `count` consecutive set bits at or after `from`. Requires: count > 0.
[[nodiscard]] std::optional<std::size_t> find_set_run(std::span<const std::uint64_t> words,
                                                      std::size_t count, std::size_t from) noexcept;
void set_bits(std::span<std::uint64_t> words, std::size_t first, std::size_t count) noexcept;
void clear_bits(std::span<std::uint64_t> words, std::size_t first, std::size_t count) noexcept;
// Whether any bit of the range is set.
[[nodiscard]] bool any_set(std::span<const std::uint64_t> words, std::size_t first,
                           std::size_t count) noexcept;
[[nodiscard]] bool all_set(std::span<const std::uint64_t> words, std::size_t first,
                           std::size_t count) noexcept;

}  // namespace rookery::store
