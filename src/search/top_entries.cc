// SPDX-License-Identifier: Apache-2.0
#include "top_entries.h"

#include <algorithm>
#include <utility>

namespace rookery::search {
namespace {

// What a key takes beside its bytes.
constexpr std::uint64_t kKeyOverheadBytes = 48;

}  // namespace

Result<void> TopEntries::add(std::string key) {
  if (limit_ == 0) {
    return {};
  }
  const bool is_full = keys_.size() == limit_;
  if (is_full) {
    if (key >= keys_.front()) {
      return {};
    }
    std::pop_heap(keys_.begin(), keys_.end());
    memory_bytes_ -= keys_.back().size() + kKeyOverheadBytes;
    keys_.pop_back();
  }
  memory_bytes_ += key.size() + kKeyOverheadBytes;
  if (memory_bytes_ > memory_bytes_max_) {
    return Error(ErrorCode::too_large,
                 "sorting the matches takes more than the " + std::to_string(memory_bytes_max_) +
                     " bytes that are left to the query: ask for a page of them, narrow the "
                     "query, or order by one field without 'alphanumeric'");
  }
  keys_.push_back(std::move(key));
  if (is_full) {
    std::push_heap(keys_.begin(), keys_.end());
  } else if (keys_.size() == limit_) {
    std::make_heap(keys_.begin(), keys_.end());
  }
  return {};
}

std::vector<std::string> TopEntries::take() {
  std::sort(keys_.begin(), keys_.end());
  memory_bytes_ = 0;
  return std::exchange(keys_, {});
}

void TopScores::add(Scored scored) {
  const auto before = [this](const Scored& a, const Scored& b) { return is_before(a, b); };
  if (scored_.size() < limit_) {
    scored_.push_back(scored);
    if (scored_.size() == limit_) {
      std::ranges::make_heap(scored_, before);
    }
    return;
  }
  if (limit_ > 0 && is_before(scored, scored_.front())) {
    std::ranges::pop_heap(scored_, before);
    scored_.back() = scored;
    std::ranges::push_heap(scored_, before);
  }
}

std::vector<TopScores::Scored> TopScores::take() {
  std::ranges::sort(scored_, [this](const Scored& a, const Scored& b) { return is_before(a, b); });
  return std::exchange(scored_, {});
}

}  // namespace rookery::search
