// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rookery/base/result.h"
#include "rookery/transfer/transfer.h"

// Purpose. What a command came to that ended with an error.

namespace rookery::transfer {

[[nodiscard]] inline Outcome outcome_of(const Error& error) {
  return error.code() == ErrorCode::cancelled ? Outcome::kInterrupted : Outcome::kFailed;
}

}  // namespace rookery::transfer
