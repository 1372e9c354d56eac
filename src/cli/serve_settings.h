// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rookery/api/log.h"
#include "rookery/base/result.h"
#include "rookery/db/server.h"
#include "rookery/edge/http_server.h"

#include "configuration.h"

// Purpose. The configuration, read and checked: everything a server needs to start.

namespace rookery::cli {

struct ServerUrl {
  std::string scheme;
  std::string host;
  std::uint16_t port = 0;
};

// "http://127.0.0.1:8080". Errors: invalid_argument; not_supported (https).
[[nodiscard]] Result<ServerUrl> parse_server_url(std::string_view text);

enum class Reach : std::uint8_t { kNone, kLocal, kPrivateNetwork, kPublicNetwork };

// How far away the clients of a listening address can be. A name other than localhost counts as
// public: what it stands for may change.
[[nodiscard]] Reach reach_of(std::string_view host);
// Errors: invalid_argument.
[[nodiscard]] Result<Reach> parse_reach(std::string_view text);

struct ServeSettings {
  ServerUrl url;
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
  [[nodiscard]] static Result<ServeSettings> read(const Configuration& configuration);
};

}  // namespace rookery::cli
