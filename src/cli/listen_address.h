// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/result.h"

// Purpose. Where to listen, and who could come in there: without access control nobody may by
// accident open a database to a network.
// Threads: any; plain functions.

namespace rookery::cli {

struct ServerUrl {
  std::string scheme;
  std::string host;
  std::uint16_t port = 0;
};

// "http://127.0.0.1:8080". Errors: invalid_argument.
[[nodiscard]] Result<ServerUrl> parse_server_url(std::string_view text);

// How far away the clients of a listening address can be.
enum class Reach : std::uint8_t { kNone, kLocal, kPrivateNetwork, kPublicNetwork };

// Of a numeric address, as inet_ntop() writes them, an IPv6 one perhaps with its zone. The wildcard
// addresses are public, an IPv4 address inside an IPv6 one is what it would be alone, and so is
// what is no address at all: public.
[[nodiscard]] Reach reach_of(std::string_view address);
// Errors: invalid_argument.
[[nodiscard]] Result<Reach> parse_reach(std::string_view text);

// The numeric addresses of a host, at least one. Errors: invalid_argument if it has none.
using Resolver = std::function<Result<std::vector<std::string>>(const std::string& host)>;

// As the system says (files, DNS). Blocks.
[[nodiscard]] Result<std::vector<std::string>> resolve_host(const std::string& host);

struct ListenAddress {
  std::string numeric;  // the one that was judged is the one to bind: a name may change meanwhile
  Reach reach = Reach::kNone;
};

// The address of `host` to listen on: its first IPv4 one, else its first. A name counts as far as
// the farthest of all its addresses. Loopback is allowed whatever `allowed` says: there is no other
// way to administer an unsecured server.
// Errors: invalid_argument, saying what to do.
[[nodiscard]] Result<ListenAddress> choose_listen_address(const std::string& host, Reach allowed,
                                                          const Resolver& resolver);

}  // namespace rookery::cli
