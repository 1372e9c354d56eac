// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "rookery/base/result.h"

#include "findings.h"
#include "operation.h"

// Purpose. The versions of each document in the order of their etags, and what that order alone
// shows to be wrong: etags used twice, batches torn apart, updates lost.
//
// An etag orders the batches of a database, so a *moment* is the state behind one batch, named by
// the batch's last known etag. A write whose outcome is unknown happened if anybody saw a value of
// it; otherwise nothing is concluded from it.

namespace rookery::history {

using Moment = std::uint64_t;

inline constexpr Moment kNoMoment = 0;
inline constexpr Moment kLastMoment = std::numeric_limits<Moment>::max();

// Purpose. One command that is known to have happened.
struct Change {
  OpNo operation = 0;
  std::uint32_t command = 0;
  NameNo value = 0;
  NameNo match = 0;
  bool is_delete = false;
  Version version{};  // unknown for some deletes
  Moment moment = kNoMoment;
};

using Chain = std::vector<Change>;

// Purpose. See the file's head.
// Owns: nothing of the history, which outlives it.
// Cost: O(n log n) of the history's commands and rows.
class Chains {
 public:
  Chains(const History& history, Findings& findings) : history_(history), findings_(findings) {}

  // Errors: malformed, if two puts have one value: nothing could be told then.
  [[nodiscard]] Result<void> build();

  [[nodiscard]] const Chain& of(NameNo id) const {
    const std::uint32_t doc = docs_[id];
    return doc == kNone ? empty_ : chains_[doc];
  }

  // The last change up to a moment. Requires: there is one.
  [[nodiscard]] const Change& at(NameNo id, Moment moment) const;

  // When the operation certainly was over: an unknown one at the latest with the next crash.
  [[nodiscard]] Time settled(OpNo operation) const { return settled_[operation]; }

  // kNoMoment: it changed nothing, or nobody knows.
  [[nodiscard]] Moment moment(OpNo operation) const { return moments_[operation]; }

  // Requires: the operation has a moment.
  [[nodiscard]] Moment first_etag(OpNo operation) const { return first_etags_[operation]; }

  // Where the value is in the chain of its document; nothing if it should not have been readable.
  [[nodiscard]] std::optional<std::uint32_t> position(const Row& row) const;

  // Whether a change whose place nobody knows may have come behind change `index` of the chain (-1:
  // its beginning) and before the next, and begun by `until`. A deletion, or any.
  [[nodiscard]] bool may_hide_delete(NameNo id, std::int64_t index, Time until) const;
  [[nodiscard]] bool may_hide_change(NameNo id, std::int64_t index, Time until) const;

  // Ids that ever matched; ids that have a chain, sorted by text.
  [[nodiscard]] const std::vector<NameNo>& ids_matching(NameNo match) const;
  [[nodiscard]] std::vector<NameNo> ids_with_prefix(std::string_view prefix) const;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // A put, by its value.
  struct Put {
    OpNo operation = kNone;
    std::uint32_t command = 0;
    std::uint32_t position = kNone;  // in the chain, if a snapshot can show it
    Version version{};
  };

  // A change without a place, with the latest time at which it or any before it was over.
  struct Floating {
    Time from = 0;
    Time settled_max = 0;
  };

  Result<void> find_puts();
  void find_settled();
  void see_rows(OpNo number);
  void see_row(OpNo reader, const Row& row);
  void find_moments();
  void check_etags();
  void link();
  void link_operation(OpNo number);
  void sort_chains();
  void check_expectations(NameNo id);
  void check_absence(NameNo id, std::uint32_t index);
  void check_version(NameNo id, std::uint32_t index, std::uint32_t rival);
  [[nodiscard]] bool is_last_of_batch(const Operation& operation, std::size_t command) const;
  [[nodiscard]] bool may_hide(const std::vector<Floating>& floating, NameNo id, std::int64_t index,
                              Time until) const;
  [[nodiscard]] Version version_of(const Command& command) const;

  [[nodiscard]] std::string name(NameNo number) const {
    return "'" + std::string(history_.names.text(number)) + "'";
  }

  std::uint32_t doc(NameNo id);

  const History& history_;
  Findings& findings_;
  std::vector<Put> puts_;  // by value
  std::vector<Time> settled_;
  std::vector<Moment> moments_;
  std::vector<Moment> first_etags_;
  std::vector<std::uint32_t> docs_;  // by id
  std::vector<NameNo> ids_;          // by doc
  std::vector<Chain> chains_;
  std::vector<std::vector<Floating>> floating_deletes_;
  std::vector<std::vector<Floating>> floating_changes_;
  std::unordered_map<NameNo, std::vector<NameNo>> matching_;
  std::vector<NameNo> sorted_ids_;
  const Chain empty_{};
  const std::vector<NameNo> no_ids_{};
};

}  // namespace rookery::history
