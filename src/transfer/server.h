// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/api/http.h"
#include "rookery/base/result.h"
#include "rookery/edge/http_client.h"
#include "rookery/transfer/transfer.h"
#include "rookery/value/document.h"

#include "interrupt.h"

// Purpose. What import, export and compare ask of a server.

namespace rookery::transfer {

// A document of a bulk insert that the server does not take.
struct Refusal {
  std::size_t index = 0;  // in the body, from 0
  std::string why;
};

// What an error of a bulk insert says of one element: "element 3 of the bulk insert, at byte 7: X".
// nullopt: it is no such error.
[[nodiscard]] std::optional<Refusal> refusal_of(int status, std::string_view message);

struct DatabaseFacts {
  std::string id;
  std::uint64_t document_count = 0;
};

// Threads: any; calls block. Errors of all calls: io, timed_out, cancelled (by the interrupt);
// no_space (status 507); not_found (404); invalid_argument for what else the server refuses.
class Server {
 public:
  // Borrows `interrupt`.
  Server(ServerAddress address, const Interrupt& interrupt);

  // Makes the database, unless it exists.
  [[nodiscard]] Result<void> create_database() const;
  // The body of a bulk insert: nullopt if it is durable. Tries again a few times where the server
  // cannot be reached: what was stored already is then left alone. After a refusal what came before
  // it may be stored or not, and what comes behind it is not.
  [[nodiscard]] Result<std::optional<Refusal>> insert(std::string body) const;
  // {"Results":[document or null, ...]}, in the order of `ids`.
  [[nodiscard]] Result<value::Document> load(const std::vector<std::string>& ids) const;
  // All documents as of one moment, one a line.
  [[nodiscard]] Result<void> stream(const edge::BodySink& sink) const;
  [[nodiscard]] Result<DatabaseFacts> facts() const;

 private:
  [[nodiscard]] edge::ClientRequest request(std::string_view rest) const;

  const ServerAddress address_;
  const Interrupt& interrupt_;
};

}  // namespace rookery::transfer
