// SPDX-License-Identifier: Apache-2.0
// The one place that sees the roaring library, whose names are global.
#include "match_set.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <roaring/roaring.h>

#include "rookery/base/check.h"

namespace rookery::search {
namespace {

std::uint32_t high(std::uint64_t number) noexcept {
  return static_cast<std::uint32_t>(number >> 32U);
}

std::uint32_t low(std::uint64_t number) noexcept {
  return static_cast<std::uint32_t>(number);
}

struct Free {
  void operator()(roaring_bitmap_t* bitmap) const noexcept { roaring_bitmap_free(bitmap); }
};

using Bitmap = std::unique_ptr<roaring_bitmap_t, Free>;

Bitmap make_bitmap() {
  Bitmap bitmap(roaring_bitmap_create());
  RK_CHECK(bitmap != nullptr);
  return bitmap;
}

}  // namespace

// The library's sets are of 32 bits: one for each value of the upper half that occurs. None of them
// is ever left empty.
class MatchSet::Parts {
 public:
  std::map<std::uint32_t, Bitmap> by_high;

  roaring_bitmap_t* at(std::uint32_t key) {
    Bitmap& bitmap = by_high[key];
    if (bitmap == nullptr) {
      bitmap = make_bitmap();
    }
    return bitmap.get();
  }

  void drop_empty() {
    std::erase_if(by_high,
                  [](const auto& part) { return roaring_bitmap_is_empty(part.second.get()); });
  }
};

MatchSet::MatchSet() : parts_(std::make_unique<Parts>()) {}

MatchSet::~MatchSet() = default;

MatchSet::MatchSet(const MatchSet& other) : MatchSet() {
  for (const auto& [key, bitmap] : other.parts_->by_high) {
    Bitmap copy(roaring_bitmap_copy(bitmap.get()));
    RK_CHECK(copy != nullptr);
    parts_->by_high.emplace(key, std::move(copy));
  }
}

MatchSet::MatchSet(MatchSet&& other) noexcept
    : parts_(std::exchange(other.parts_, std::make_unique<Parts>())) {}

MatchSet& MatchSet::operator=(MatchSet other) noexcept {
  std::swap(parts_, other.parts_);
  return *this;
}

void MatchSet::add(std::uint64_t number) {
  roaring_bitmap_add(parts_->at(high(number)), low(number));
}

void MatchSet::add_many(std::span<const std::uint64_t> numbers) {
  std::array<std::uint32_t, 1024> lows;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled
  std::size_t begin = 0;
  while (begin < numbers.size()) {
    const std::uint32_t key = high(numbers[begin]);
    std::size_t count = 0;
    while (begin + count < numbers.size() && count < lows.size() &&
           high(numbers[begin + count]) == key) {
      lows[count] = low(numbers[begin + count]);
      ++count;
    }
    roaring_bitmap_add_many(parts_->at(key), count, lows.data());
    begin += count;
  }
}

void MatchSet::add_range(std::uint64_t first, std::uint64_t last) {
  RK_CHECK(first <= last);
  for (std::uint32_t key = high(first); key <= high(last); ++key) {
    const std::uint32_t from = key == high(first) ? low(first) : 0;
    const std::uint32_t to = key == high(last) ? low(last) : ~std::uint32_t{0};
    roaring_bitmap_add_range_closed(parts_->at(key), from, to);
  }
}

void MatchSet::remove(std::uint64_t number) {
  const auto found = parts_->by_high.find(high(number));
  if (found == parts_->by_high.end()) {
    return;
  }
  roaring_bitmap_remove(found->second.get(), low(number));
  if (roaring_bitmap_is_empty(found->second.get())) {
    parts_->by_high.erase(found);
  }
}

bool MatchSet::contains(std::uint64_t number) const {
  const auto found = parts_->by_high.find(high(number));
  return found != parts_->by_high.end() &&
         roaring_bitmap_contains(found->second.get(), low(number));
}

std::uint64_t MatchSet::count() const {
  std::uint64_t count = 0;
  for (const auto& [key, bitmap] : parts_->by_high) {
    count += roaring_bitmap_get_cardinality(bitmap.get());
  }
  return count;
}

bool MatchSet::empty() const {
  return parts_->by_high.empty();
}

std::uint64_t MatchSet::rank(std::uint64_t number) const {
  std::uint64_t below = 0;
  for (const auto& [key, bitmap] : parts_->by_high) {
    if (key == high(number)) {
      // The library counts the number itself, too.
      return below + roaring_bitmap_rank(bitmap.get(), low(number)) -
             (roaring_bitmap_contains(bitmap.get(), low(number)) ? 1 : 0);
    }
    if (key > high(number)) {
      break;
    }
    below += roaring_bitmap_get_cardinality(bitmap.get());
  }
  return below;
}

std::uint64_t MatchSet::memory_bytes() const {
  std::uint64_t bytes = sizeof(Parts);
  for (const auto& [key, bitmap] : parts_->by_high) {
    bytes += 64 + roaring_bitmap_portable_size_in_bytes(bitmap.get());
  }
  return bytes;
}

void MatchSet::unite(const MatchSet& other) {
  for (const auto& [key, bitmap] : other.parts_->by_high) {
    roaring_bitmap_or_inplace(parts_->at(key), bitmap.get());
  }
}

void MatchSet::intersect(const MatchSet& other) {
  for (auto& [key, bitmap] : parts_->by_high) {
    const auto found = other.parts_->by_high.find(key);
    if (found == other.parts_->by_high.end()) {
      roaring_bitmap_clear(bitmap.get());
    } else {
      roaring_bitmap_and_inplace(bitmap.get(), found->second.get());
    }
  }
  parts_->drop_empty();
}

void MatchSet::subtract(const MatchSet& other) {
  for (auto& [key, bitmap] : parts_->by_high) {
    const auto found = other.parts_->by_high.find(key);
    if (found != other.parts_->by_high.end()) {
      roaring_bitmap_andnot_inplace(bitmap.get(), found->second.get());
    }
  }
  parts_->drop_empty();
}

class MatchSet::Cursor::Position {
 public:
  explicit Position(const Parts& parts) : parts_(&parts), part_(parts.by_high.begin()) { enter(); }

  std::optional<std::uint64_t> next() {
    while (part_ != parts_->by_high.end() && !iterator_.has_value) {
      ++part_;
      enter();
    }
    if (part_ == parts_->by_high.end()) {
      return std::nullopt;
    }
    const std::uint64_t number =
        std::uint64_t{part_->first} << 32U | std::uint64_t{iterator_.current_value};
    roaring_advance_uint32_iterator(&iterator_);
    return number;
  }

  void skip_to(std::uint64_t number) {
    while (part_ != parts_->by_high.end() && part_->first < high(number)) {
      ++part_;
      enter();
    }
    if (part_ != parts_->by_high.end() && part_->first == high(number) && iterator_.has_value &&
        iterator_.current_value < low(number)) {
      roaring_move_uint32_iterator_equalorlarger(&iterator_, low(number));
    }
  }

 private:
  void enter() {
    if (part_ != parts_->by_high.end()) {
      roaring_init_iterator(part_->second.get(), &iterator_);
    }
  }

  const Parts* parts_;
  std::map<std::uint32_t, Bitmap>::const_iterator part_;
  roaring_uint32_iterator_t iterator_{};
};

MatchSet::Cursor::Cursor(const MatchSet& set)
    : position_(std::make_unique<Position>(*set.parts_)) {}

MatchSet::Cursor::~Cursor() = default;

std::optional<std::uint64_t> MatchSet::Cursor::next() {
  return position_->next();
}

void MatchSet::Cursor::skip_to(std::uint64_t number) {
  position_->skip_to(number);
}

}  // namespace rookery::search
