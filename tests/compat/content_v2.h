// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rookery/db/server.h"
#include "rookery/os/platform.h"

// Purpose. What the files with indexes hold: written once by compat_write, looked for ever after.
// Never changed: newer indexes get content of their own beside it.

namespace rookery::compat {

// Fills a new server with two databases, whose indexes are up to date: that of "Closed" is all in
// its data file, that of "Open" is in journals, too.
[[nodiscard]] Result<void> write_content_v2(os::Platform& platform, db::Server& server);
// The first difference, in words; empty: all is there, and was not made anew: the indexes answer
// before they may index anything. Then they are started, and follow.
// Requires: the server opens its databases with indexing paused.
[[nodiscard]] Result<std::string> check_content_v2(os::Platform& platform, db::Server& server);

}  // namespace rookery::compat
