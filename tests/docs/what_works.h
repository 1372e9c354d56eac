// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// Purpose. docs/what-works.md, made from the table of routes, from RQL's methods, and from what the
// real server in memory answers to a request for each of them.

namespace rookery::docs {

struct WhatWorks {
  std::string page;
  // Of the generator itself: a route without a sentence, a probe that makes no sense.
  std::vector<std::string> findings;
};

[[nodiscard]] WhatWorks what_works();

}  // namespace rookery::docs
