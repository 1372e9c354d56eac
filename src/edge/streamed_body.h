// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rookery/api/http.h"

#include "io_thread.h"

// Purpose. The body of one request, read by its handler from the connection while it arrives.

namespace rookery::edge {

// Purpose. What a handler waits for. Dropped without a part, because connection or server are gone,
// it tells that.
// Threads: one at a time.
class PartWanted {
 public:
  explicit PartWanted(api::BodyStream::PartHandler done) : done_(std::move(done)) {}

  PartWanted(const PartWanted&) = delete;
  PartWanted& operator=(const PartWanted&) = delete;
  ~PartWanted();

  // Requires: called once.
  void give(Result<std::string> part);

 private:
  api::BodyStream::PartHandler done_;
};

// Threads: any.
class StreamedBody final : public api::BodyStream {
 public:
  StreamedBody(std::weak_ptr<Connection> connection, std::shared_ptr<Mailbox> mailbox,
               std::uint64_t request_number)
      : connection_(std::move(connection)),
        mailbox_(std::move(mailbox)),
        request_number_(request_number) {}

  void read(PartHandler done) noexcept override;

 private:
  const std::weak_ptr<Connection> connection_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::uint64_t request_number_;
};

}  // namespace rookery::edge
