// SPDX-License-Identifier: Apache-2.0
#include "matches.h"

#include <utility>

namespace rookery::search {
namespace {

// To look at an entry's record costs about what it takes to put so many postings into a set.
constexpr std::uint64_t kRecordCost = 100;

}  // namespace

void Matches::be_everything(std::uint64_t count) noexcept {
  is_everything_ = true;
  count_ = count;
}

void Matches::be(MatchSet set) {
  count_ = set.count();
  set_ = std::move(set);
  evaluator_.reserve(set_.memory_bytes());
}

void Matches::be_listed(QueryPlan& plan, std::uint64_t count) noexcept {
  count_ = count;
  listed_ = &plan;
}

Result<const MatchSet*> Matches::set() {
  if (listed_ != nullptr) {
    RK_TRY_ASSIGN(set_, evaluator_.evaluate(*std::exchange(listed_, nullptr)));
    evaluator_.reserve(set_.memory_bytes());
  }
  return &set_;
}

Result<bool> Matches::has(std::uint64_t number) {
  if (is_everything_) {
    return true;
  }
  if (listed_ != nullptr && looked_up_ * kRecordCost < count_) {
    ++looked_up_;
    RK_TRY_ASSIGN(const RecordView record, snapshot_.record(number));
    return evaluator_.holds(*listed_, record);
  }
  RK_TRY_ASSIGN(const MatchSet* const all, set());
  return all->contains(number);
}

}  // namespace rookery::search
