// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "endpoint.h"
#include "transport.h"

// Purpose. One kept-alive connection over a socket, as plain as can be: a client of the product's
// own would share its faults.

namespace rookery::history {

class HttpTransport final : public Transport {
 public:
  explicit HttpTransport(Endpoint& endpoint) : endpoint_(endpoint) {}

  ~HttpTransport() override { disconnect(); }

  void make_ready() override;
  Reply call(const Ask& ask) override;

 private:
  bool connect(std::uint16_t port);
  void disconnect();
  bool send_all(std::string_view bytes) const;
  // False: the connection ended, or what came is no answer.
  bool receive(Reply& reply);
  bool receive_more();

  Endpoint& endpoint_;
  int socket_ = -1;
  std::uint64_t failed_generation_ = 0;  // no longer worth a try
  std::uint64_t generation_ = 0;
  std::string received_;  // beyond what was taken
};

}  // namespace rookery::history
