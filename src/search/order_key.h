// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rookery/base/result.h"
#include "rookery/search/query.h"

#include "scorer.h"
#include "snapshot.h"

// Purpose. What entries are ordered by, as bytes: whole orders of several keys compare by memcmp.
// Source: query.h SortKey; docs/format/search.md is not concerned, nothing of this is stored.

namespace rookery::search {

// What a term is ordered by; nullopt: it counts as missing. Requires: an order by a field.
[[nodiscard]] std::optional<std::string> term_order(SortBy by, std::string_view term);

[[nodiscard]] bool is_by_field(SortBy by) noexcept;

// Whether entries without a value come first.
[[nodiscard]] bool is_missing_first(const SortKey& key) noexcept;

// Purpose. Makes the keys of entries for an order. Owns: nothing; borrows all it is given.
class OrderKeys {
 public:
  // `scores` may be null if the order does not ask for them.
  OrderKeys(Snapshot& snapshot, std::span<const SortKey> order, const Scores* scores)
      : snapshot_(snapshot), order_(order), scores_(scores) {}

  // Ends in the entry's number, so that no two are equal.
  [[nodiscard]] Result<std::string> key_of(std::uint64_t number) const;
  [[nodiscard]] static std::uint64_t number_in(std::string_view key) noexcept;

 private:
  // `record`: read when it is first needed.
  [[nodiscard]] Result<std::optional<std::string>> value_of(
      const SortKey& key, std::uint64_t number, std::optional<RecordView>& record) const;
  [[nodiscard]] Result<std::optional<std::string>> field_value(const SortKey& key,
                                                               const RecordView& record) const;

  Snapshot& snapshot_;
  std::span<const SortKey> order_;
  const Scores* scores_;
};

}  // namespace rookery::search
