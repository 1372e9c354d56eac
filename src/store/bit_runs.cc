// SPDX-License-Identifier: Apache-2.0
#include "bit_runs.h"

#include <algorithm>
#include <bit>

#include "rookery/base/check.h"

namespace rookery::store {
namespace {

constexpr std::size_t kWordBits = 64;

// Calls `visit(word index, mask)` for each word that the range touches, while it returns true.
template <typename Visit>
void for_each_word(std::size_t first, std::size_t count, Visit visit) noexcept {
  const std::size_t end = first + count;
  while (first < end) {
    const std::size_t bit = first % kWordBits;
    const std::size_t length = std::min(kWordBits - bit, end - first);
    const std::uint64_t ones =
        length == kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1;
    if (!visit(first / kWordBits, ones << bit)) {
      return;
    }
    first += length;
  }
}

// The first bit at or after `from` that is set (or clear); the number of bits if there is none.
std::size_t find_bit(std::span<const std::uint64_t> words, std::size_t from, bool set) noexcept {
  const std::size_t bits = words.size() * kWordBits;
  if (from >= bits) {
    return bits;
  }
  std::size_t index = from / kWordBits;
  const std::uint64_t flip = set ? 0 : ~std::uint64_t{0};
  std::uint64_t word = (words[index] ^ flip) & (~std::uint64_t{0} << (from % kWordBits));
  while (word == 0) {
    if (++index == words.size()) {
      return bits;
    }
    word = words[index] ^ flip;
  }
  return index * kWordBits + static_cast<std::size_t>(std::countr_zero(word));
}

}  // namespace

std::optional<std::size_t> find_set_run(std::span<const std::uint64_t> words, std::size_t count,
                                        std::size_t from) noexcept {
  RK_CHECK(count > 0);
  const std::size_t bits = words.size() * kWordBits;
  std::size_t start = find_bit(words, from, true);
  while (start + count <= bits) {
    const std::size_t end = find_bit(words, start, false);
    if (end - start >= count) {
      return start;
    }
    start = find_bit(words, end, true);
  }
  return std::nullopt;
}

void set_bits(std::span<std::uint64_t> words, std::size_t first, std::size_t count) noexcept {
  RK_CHECK(first + count <= words.size() * kWordBits);
  for_each_word(first, count, [&](std::size_t index, std::uint64_t mask) {
    words[index] |= mask;
    return true;
  });
}

void clear_bits(std::span<std::uint64_t> words, std::size_t first, std::size_t count) noexcept {
  RK_CHECK(first + count <= words.size() * kWordBits);
  for_each_word(first, count, [&](std::size_t index, std::uint64_t mask) {
    words[index] &= ~mask;
    return true;
  });
}

bool any_set(std::span<const std::uint64_t> words, std::size_t first, std::size_t count) noexcept {
  RK_CHECK(first + count <= words.size() * kWordBits);
  bool found = false;
  for_each_word(first, count, [&](std::size_t index, std::uint64_t mask) {
    found = (words[index] & mask) != 0;
    return !found;
  });
  return found;
}

bool all_set(std::span<const std::uint64_t> words, std::size_t first, std::size_t count) noexcept {
  RK_CHECK(first + count <= words.size() * kWordBits);
  bool all = true;
  for_each_word(first, count, [&](std::size_t index, std::uint64_t mask) {
    all = (words[index] & mask) == mask;
    return all;
  });
  return all;
}

}  // namespace rookery::store
