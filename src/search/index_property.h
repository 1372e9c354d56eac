// SPDX-License-Identifier: Apache-2.0
#pragma once

// Purpose. For tests: the index against a model that looks at every entry. Any history of
// transactions, some rolled back, with restarts between, and any question, give the same hits,
// totals, orders and scores.

namespace rookery::search {

// One history and some questions, drawn from RapidCheck's choices, as a property of it.
void index_agrees_with_its_model();

}  // namespace rookery::search
