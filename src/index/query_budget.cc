// SPDX-License-Identifier: Apache-2.0
#include "query_budget.h"

#include <chrono>
#include <string>

namespace rookery::index {

Error QueryBudget::error() const {
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time_max_).count();
  return {ErrorCode::timed_out, "the query took longer than the " + std::to_string(millis) +
                                    " ms that a query may take: narrow it, ask for a page, or "
                                    "raise Databases.QueryTimeoutInSec"};
}

}  // namespace rookery::index
