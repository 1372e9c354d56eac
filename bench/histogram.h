// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace rookery::bench {

// Purpose. Latencies in log-linear buckets: 32 a power of two, so a value is off by at most 3 %.
// Threads: one at a time; merge() joins what several gathered.
// Units: nanoseconds.
class Histogram {
 public:
  void add(std::uint64_t nanoseconds) {
    ++buckets_[index_of(nanoseconds)];
    ++count_;
    max_ = nanoseconds > max_ ? nanoseconds : max_;
  }

  void merge(const Histogram& other) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      buckets_[i] += other.buckets_[i];
    }
    count_ += other.count_;
    max_ = other.max_ > max_ ? other.max_ : max_;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }

  [[nodiscard]] std::uint64_t max() const { return max_; }

  // The smallest value that at least this share (0 to 1) of all is not above; 0 when empty.
  [[nodiscard]] std::uint64_t quantile(double share) const {
    const double exact = share * static_cast<double>(count_);
    std::uint64_t rank = static_cast<std::uint64_t>(exact);
    if (static_cast<double>(rank) < exact || rank == 0) {
      ++rank;
    }
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (seen >= rank) {
        const std::uint64_t top = upper_bound_of(i);
        return top < max_ ? top : max_;
      }
    }
    return max_;
  }

  // f(upper bound in ns, count) for each bucket that isn't empty, in order.
  template <typename F>
  void for_each(F f) const {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      if (buckets_[i] != 0) {
        f(upper_bound_of(i), buckets_[i]);
      }
    }
  }

 private:
  static constexpr unsigned kSubBits = 5;
  static constexpr std::uint64_t kSub = 1U << kSubBits;

  // Below 2 * kSub each value has its own bucket; above, the top kSubBits + 1 bits decide.
  static constexpr std::size_t index_of(std::uint64_t value) {
    if (value < 2 * kSub) {
      return static_cast<std::size_t>(value);
    }
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - kSubBits - 1;
    return static_cast<std::size_t>(shift * kSub + (value >> shift));
  }

  static constexpr std::uint64_t upper_bound_of(std::size_t index) {
    if (index < 2 * kSub) {
      return index;
    }
    const std::uint64_t shift = index / kSub - 1;
    const std::uint64_t top = index - shift * kSub;
    return ((top + 1) << shift) - 1;
  }

  std::array<std::uint64_t, (64 - kSubBits + 1) * kSub> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace rookery::bench
