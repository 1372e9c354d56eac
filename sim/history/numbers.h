// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "findings.h"
#include "operation.h"

// Purpose. Whether a number of an identity or of a HiLo range was handed out twice. Ranges that
// clients give back would be; histories have none.

namespace rookery::history {

void check_numbers(const History& history, Findings& findings);

}  // namespace rookery::history
