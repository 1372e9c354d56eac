// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

// Purpose. A set of entry numbers, compressed: runs, bitmaps and sorted arrays, whichever is least.
// Threads: one at a time.
// Source: "Roaring Bitmaps: Implementation of an Optimized Software Library", Lemire et al., 2018.

namespace rookery::search {

class MatchSet {
 public:
  MatchSet();
  ~MatchSet();
  MatchSet(const MatchSet& other);
  MatchSet(MatchSet&& other) noexcept;
  MatchSet& operator=(MatchSet other) noexcept;

  void add(std::uint64_t number);
  // In any order; cheaper sorted.
  void add_many(std::span<const std::uint64_t> numbers);
  // Both ends included. Requires: first <= last.
  void add_range(std::uint64_t first, std::uint64_t last);
  void remove(std::uint64_t number);

  [[nodiscard]] bool contains(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] bool empty() const;
  // How many of the set are below the number.
  [[nodiscard]] std::uint64_t rank(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t memory_bytes() const;

  void unite(const MatchSet& other);
  void intersect(const MatchSet& other);
  void subtract(const MatchSet& other);

  // Purpose. Gives the numbers in ascending order. Owns: nothing; a change of the set ends it.
  class Cursor {
   public:
    explicit Cursor(const MatchSet& set);
    ~Cursor();
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    // The next number; nullopt at the end.
    [[nodiscard]] std::optional<std::uint64_t> next();
    // Moves on so that next() gives the first number that is not below `number`.
    void skip_to(std::uint64_t number);

   private:
    class Position;
    std::unique_ptr<Position> position_;
  };

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rookery::search
