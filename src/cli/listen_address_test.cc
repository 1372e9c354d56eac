// SPDX-License-Identifier: Apache-2.0
#include "listen_address.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rookery::cli {
namespace {

using testing::HasSubstr;

TEST(ServerUrl, IsTakenApart) {
  const auto url = parse_server_url("http://127.0.0.1:0");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->scheme, "http");
  EXPECT_EQ(url->host, "127.0.0.1");
  EXPECT_EQ(url->port, 0);
  EXPECT_EQ(parse_server_url("http://[::1]:81/")->host, "::1");
  EXPECT_EQ(parse_server_url("http://[::1]:81/")->port, 81);
  EXPECT_EQ(parse_server_url("http://[::1]")->port, 8080);
  EXPECT_EQ(parse_server_url("http://a")->host, "a");
  for (const std::string_view bad :
       {"", "127.0.0.1:80", "http://", "http://a:b", "http://a:99999", "http://a/b", "http://a:"}) {
    EXPECT_FALSE(parse_server_url(bad).has_value()) << bad;
  }
}

TEST(ListenAddress, KnowsHowFarAnAddressReaches) {
  for (const std::string_view host : {"127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_EQ(reach_of(host), Reach::kLocal) << host;
  }
  for (const std::string_view host :
       {"10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.1.1", "fd00::1",
        "fe80::1", "fe80::1%eth0", "::ffff:10.1.2.3"}) {
    EXPECT_EQ(reach_of(host), Reach::kPrivateNetwork) << host;
  }
  for (const std::string_view host :
       {"0.0.0.0", "::", "8.8.8.8", "172.32.0.1", "192.169.0.1", "2001:db8::1", "::ffff:0.0.0.0",
        "::ffff:8.8.8.8", "100.64.0.1", "", "no address"}) {
    EXPECT_EQ(reach_of(host), Reach::kPublicNetwork) << host;
  }
}

// A resolver that knows one answer.
Resolver answering(std::vector<std::string> addresses) {
  return [addresses = std::move(addresses)](const std::string&) {
    return Result<std::vector<std::string>>(addresses);
  };
}

TEST(ListenAddress, ANameReachesAsFarAsTheFarthestOfItsAddresses) {
  const Resolver mixed = answering({"127.0.0.1", "2001:db8::1", "10.0.0.1"});
  for (const Reach allowed : {Reach::kNone, Reach::kLocal, Reach::kPrivateNetwork}) {
    const auto refused = choose_listen_address("db.example", allowed, mixed);
    ASSERT_FALSE(refused.has_value());
    EXPECT_THAT(std::string(refused.error().message()), HasSubstr("2001:db8::1"));
    EXPECT_THAT(std::string(refused.error().message()), HasSubstr("=PublicNetwork"));
  }
  const auto taken = choose_listen_address("db.example", Reach::kPublicNetwork, mixed);
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->numeric, "127.0.0.1");
  EXPECT_EQ(taken->reach, Reach::kPublicNetwork);
}

TEST(ListenAddress, APrivateNameNeedsNoMoreThanPrivateNetwork) {
  const Resolver both = answering({"fd00::1", "192.168.0.4"});
  const auto refused = choose_listen_address("nas", Reach::kLocal, both);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(std::string(refused.error().message()), HasSubstr("=PrivateNetwork"));
  const auto taken = choose_listen_address("nas", Reach::kPrivateNetwork, both);
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->numeric, "192.168.0.4");
}

TEST(ListenAddress, LoopbackIsAlwaysLetIn) {
  EXPECT_TRUE(choose_listen_address("me", Reach::kNone, answering({"127.0.1.1"})).has_value());
  EXPECT_TRUE(choose_listen_address("me", Reach::kNone, answering({"::1"})).has_value());
  // Whatever somebody's resolver says of it.
  EXPECT_EQ(choose_listen_address("LocalHost", Reach::kNone, answering({"8.8.8.8"}))->numeric,
            "127.0.0.1");
}

TEST(ListenAddress, TheSystemResolvesEveryWayToWriteAnAddress) {
  const std::string everywhere = "0.0.0.0";
  EXPECT_EQ(resolve_host("0").value(), std::vector<std::string>{everywhere});
  EXPECT_EQ(resolve_host("0x7f.1").value(), std::vector<std::string>{"127.0.0.1"});
  EXPECT_EQ(resolve_host("::").value(), std::vector<std::string>{"::"});
  for (const std::string host : {"0", "0.0.0.0", "::", "::ffff:0.0.0.0", "0::0", "134744072"}) {
    EXPECT_FALSE(choose_listen_address(host, Reach::kPrivateNetwork, resolve_host).has_value())
        << host;
    EXPECT_TRUE(choose_listen_address(host, Reach::kPublicNetwork, resolve_host).has_value())
        << host;
  }
  EXPECT_FALSE(resolve_host("no such host").has_value());
}

}  // namespace
}  // namespace rookery::cli
