// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "rookery/base/result.h"
#include "rookery/search/index_reader.h"

#include "scorer.h"
#include "snapshot.h"

// Purpose. Takes matches in their final order, and shows those of the page to the caller.
// Owns: nothing; borrows all it is given.

namespace rookery::search {

class PageOutput {
 public:
  PageOutput(Snapshot& snapshot, const Request& request, const IndexReader::Visitor& visit)
      : snapshot_(snapshot), visit_(visit), skip_(request.skip), take_(request.take) {}

  // Unset: hits have no score. Outlives the output.
  void set_scores(const Scores* scores) noexcept { scores_ = scores; }

  // No more than so many will be offered: with the last of them the page is full.
  void bound_to(std::uint64_t total) noexcept {
    take_ = total <= skip_ ? 0 : std::min(take_, total - skip_);
  }

  [[nodiscard]] bool is_full() const noexcept { return is_stopped_ || take_ == 0; }

  // How many more matches can be of use: those to skip, and those to show.
  [[nodiscard]] std::uint64_t wanted() const noexcept {
    return is_full() ? 0 : take_ > ~std::uint64_t{0} - skip_ ? ~std::uint64_t{0} : skip_ + take_;
  }

  // How many are still to be passed over.
  [[nodiscard]] std::uint64_t skippable() const noexcept { return skip_; }

  // Passes over up to so many without looking at them; how many.
  std::uint64_t pass_over(std::uint64_t count) noexcept {
    const std::uint64_t passed = count < skip_ ? count : skip_;
    skip_ -= passed;
    return passed;
  }

  // The next match in order.
  [[nodiscard]] Result<void> offer(std::uint64_t number);

 private:
  Snapshot& snapshot_;
  const IndexReader::Visitor& visit_;
  const Scores* scores_ = nullptr;
  std::uint64_t skip_;
  std::uint64_t take_;
  bool is_stopped_ = false;
};

}  // namespace rookery::search
