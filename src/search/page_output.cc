// SPDX-License-Identifier: Apache-2.0
#include "page_output.h"

namespace rookery::search {

Result<void> PageOutput::offer(std::uint64_t number) {
  RK_TRY(snapshot_.tick());
  if (is_full() || pass_over(1) == 1) {
    return {};
  }
  RK_TRY_ASSIGN(const RecordView record, snapshot_.record(number));
  Hit hit;
  hit.key = record.key();
  hit.stored = record.stored();
  hit.score = scores_ == nullptr ? 0.0 : scores_->of(number);
  RK_TRY_ASSIGN(const bool go_on, visit_(hit));
  is_stopped_ = !go_on;
  --take_;
  return {};
}

}  // namespace rookery::search
