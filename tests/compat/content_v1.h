// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/db/server.h"

// Purpose. What the files of the first format hold: written once by compat_write, looked for ever
// after. Never changed: a newer format gets content of its own beside it.

namespace rookery::compat {

struct StoredDocument {
  std::string id;
  std::string json;
  std::string collection;
};

// Of the database "Plain", which was closed: all of it is in its data file.
[[nodiscard]] std::vector<StoredDocument> plain_documents();
// Of the database "Journaled", whose newest part is in journals only.
[[nodiscard]] std::vector<StoredDocument> journaled_documents();

// Fills a new server. What it answered is durable, and little of it is flushed.
[[nodiscard]] Result<void> write_content_v1(db::Server& server);
// The first difference, in words; empty: all is there. Writes, too, to see that it can.
[[nodiscard]] Result<std::string> check_content_v1(db::Server& server);

}  // namespace rookery::compat
