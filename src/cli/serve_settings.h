// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "rookery/api/log.h"
#include "rookery/base/result.h"
#include "rookery/db/server.h"
#include "rookery/edge/http_server.h"

#include "configuration.h"
#include "listen_address.h"

// Purpose. The configuration, read and checked: everything a server needs to start.

namespace rookery::cli {

struct ServeSettings {
  ServerUrl url;
  Reach reach = Reach::kLocal;  // of the address that http listens on
  std::optional<std::string> public_url;
  std::optional<std::string> tcp_url;
  bool run_in_memory = false;
  std::optional<std::int64_t> parent_process_id;
  api::LogOptions log;
  edge::HttpServerOptions http;
  db::ServerOptions server;  // but for its log
  std::size_t document_bytes_max = 0;
  std::chrono::nanoseconds query_time_max{};

  // Errors: invalid_argument naming the key; not_supported.
  // Blocks where the name of the host must be asked for.
  [[nodiscard]] static Result<ServeSettings> read(const Configuration& configuration,
                                                  const Resolver& resolver = resolve_host);
};

}  // namespace rookery::cli
