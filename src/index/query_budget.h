// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rookery/base/result.h"
#include "rookery/os/time.h"

// Purpose. Whether a query that runs may go on: until its time is up. Every loop whose length
// depends on data asks.
// Threads: one at a time.
// Owns: nothing; borrows the clock.

namespace rookery::index {

class QueryBudget {
 public:
  // `time_max` counts from now.
  QueryBudget(os::Clock& clock, os::Duration time_max)
      : clock_(clock), time_max_(time_max), deadline_(clock.monotonic() + time_max) {}

  // A look at the clock: some 25 ns, so once a document is cheap.
  [[nodiscard]] bool is_over() const { return clock_.monotonic() > deadline_; }

  // Errors: as error().
  [[nodiscard]] Result<void> check() const { return is_over() ? error() : Result<void>(); }

  // What a query is told that is over: timed_out.
  [[nodiscard]] Error error() const;

 private:
  os::Clock& clock_;
  os::Duration time_max_;
  os::MonotonicTime deadline_;
};

}  // namespace rookery::index
