// SPDX-License-Identifier: Apache-2.0
#include "listen_address.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <system_error>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "rookery/api/http.h"

namespace rookery::cli {

namespace {

Reach reach_of_v4(std::uint32_t bits) {
  if ((bits >> 24U) == 127) {
    return Reach::kLocal;
  }
  const bool is_private = (bits >> 24U) == 10 || (bits >> 20U) == (172U << 4U | 1U) ||
                          (bits >> 16U) == (192U << 8U | 168U) ||
                          (bits >> 16U) == (169U << 8U | 254U);
  return is_private ? Reach::kPrivateNetwork : Reach::kPublicNetwork;
}

Reach reach_of_v6(const in6_addr& address) {
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &address.s6_addr[12], sizeof bits);
    return reach_of_v4(ntohl(bits));
  }
  if (IN6_IS_ADDR_LOOPBACK(&address)) {
    return Reach::kLocal;
  }
  // Unique local fc00::/7 and link local fe80::/10.
  if ((address.s6_addr[0] & 0xFEU) == 0xFCU || IN6_IS_ADDR_LINKLOCAL(&address)) {
    return Reach::kPrivateNetwork;
  }
  return Reach::kPublicNetwork;
}

bool is_v4(std::string_view address) {
  return address.find(':') == std::string_view::npos;
}

Error refusal(const std::string& host, const std::string& farthest, Reach reach) {
  const bool is_public = reach == Reach::kPublicNetwork;
  const std::string also = farthest == host ? "" : fmt::format(" (address {})", farthest);
  return {ErrorCode::invalid_argument,
          fmt::format("ServerUrl '{}'{} can be reached from {}, and this server has no access "
                      "control yet: whoever reaches it may read and delete everything. Listen on "
                      "127.0.0.1, or set Security.UnsecuredAccessAllowed={} if that is what you "
                      "want.",
                      host, also, is_public ? "anywhere" : "the private network",
                      is_public ? "PublicNetwork" : "PrivateNetwork")};
}

}  // namespace

Result<ServerUrl> parse_server_url(std::string_view text) {
  const Error bad(ErrorCode::invalid_argument,
                  fmt::format("'{}' is not a URL like http://127.0.0.1:8080", text));
  const std::size_t scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos) {
    return bad;
  }
  ServerUrl url;
  url.scheme = text.substr(0, scheme_end);
  std::string_view rest = text.substr(scheme_end + 3);
  if (rest.ends_with('/')) {
    rest.remove_suffix(1);
  }
  const std::size_t colon = rest.rfind(':');
  const std::size_t bracket = rest.rfind(']');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  url.host = has_port ? rest.substr(0, colon) : rest;
  if (url.host.size() > 2 && url.host.front() == '[' && url.host.back() == ']') {
    url.host = url.host.substr(1, url.host.size() - 2);
  }
  url.port = url.scheme == "https" ? 443 : 8080;
  if (has_port) {
    const std::string_view port = rest.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
    if (error != std::errc() || end != port.data() + port.size()) {
      return bad;
    }
  }
  if (url.host.empty() || url.host.find('/') != std::string::npos) {
    return bad;
  }
  return url;
}

Reach reach_of(std::string_view address) {
  const std::string text(address.substr(0, address.find('%')));
  in_addr v4{};
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) {
    return reach_of_v4(ntohl(v4.s_addr));
  }
  in6_addr v6{};
  if (::inet_pton(AF_INET6, text.c_str(), &v6) == 1) {
    return reach_of_v6(v6);
  }
  return Reach::kPublicNetwork;
}

Result<Reach> parse_reach(std::string_view text) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"None", "Local", "PrivateNetwork", "PublicNetwork"});
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (api::equal_ignoring_case(text, kNames[i])) {
      return static_cast<Reach>(i);
    }
  }
  return Error(ErrorCode::invalid_argument,
               fmt::format("Security.UnsecuredAccessAllowed is '{}', which is none of None, Local, "
                           "PrivateNetwork, PublicNetwork",
                           text));
}

Result<std::vector<std::string>> resolve_host(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  if (const int failed = ::getaddrinfo(host.c_str(), nullptr, &wanted, &first); failed != 0) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the host of ServerUrl, '{}', has no address: {}", host,
                             ::gai_strerror(failed)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(first, &::freeaddrinfo);
  std::vector<std::string> out;
  for (const addrinfo* one = first; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0,
                      NI_NUMERICHOST) == 0) {
      out.emplace_back(text.data());
    }
  }
  if (out.empty()) {
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the host of ServerUrl, '{}', has no address", host));
  }
  return out;
}

Result<ListenAddress> choose_listen_address(const std::string& host, Reach allowed,
                                            const Resolver& resolver) {
  if (api::equal_ignoring_case(host, "localhost")) {
    // By its definition (RFC 6761), whatever a resolver says.
    return ListenAddress{"127.0.0.1", Reach::kLocal};
  }
  RK_TRY_ASSIGN(const std::vector<std::string> addresses, resolver(host));
  const auto farthest = std::max_element(
      addresses.begin(), addresses.end(),
      [](const std::string& a, const std::string& b) { return reach_of(a) < reach_of(b); });
  const Reach reach = reach_of(*farthest);
  if (reach > Reach::kLocal && reach > allowed) {
    return refusal(host, *farthest, reach);
  }
  const auto v4 = std::find_if(addresses.begin(), addresses.end(), is_v4);
  return ListenAddress{v4 != addresses.end() ? *v4 : addresses.front(), reach};
}

}  // namespace rookery::cli
