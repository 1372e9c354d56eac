// SPDX-License-Identifier: Apache-2.0
#include "serve_settings.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rookery::cli {
namespace {

using testing::HasSubstr;

Result<ServeSettings> read(std::vector<std::string> arguments) {
  auto configuration = Configuration::load({.arguments = std::move(arguments), .environment = {}});
  RK_CHECK(configuration.has_value());
  return ServeSettings::read(*configuration);
}

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

TEST(ServeSettings, KnowsHowFarAnAddressReaches) {
  EXPECT_EQ(reach_of("localhost"), Reach::kLocal);
  EXPECT_EQ(reach_of("127.8.9.10"), Reach::kLocal);
  EXPECT_EQ(reach_of("::1"), Reach::kLocal);
  for (const std::string_view host : {"10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
                                      "169.254.1.1", "fd00::1", "fe80::1"}) {
    EXPECT_EQ(reach_of(host), Reach::kPrivateNetwork) << host;
  }
  for (const std::string_view host :
       {"0.0.0.0", "::", "8.8.8.8", "172.32.0.1", "192.169.0.1", "example.org", "2001:db8::1"}) {
    EXPECT_EQ(reach_of(host), Reach::kPublicNetwork) << host;
  }
}

TEST(ServeSettings, DoesNotOpenUnsecuredDoorsByItself) {
  EXPECT_TRUE(read({"--ServerUrl=http://127.0.0.1:0"}).has_value());
  const auto everywhere = read({"--ServerUrl=http://0.0.0.0:8080"});
  ASSERT_FALSE(everywhere.has_value());
  EXPECT_THAT(std::string(everywhere.error().message()), HasSubstr("PublicNetwork"));
  EXPECT_FALSE(
      read({"--ServerUrl=http://0.0.0.0:8080", "--Security.UnsecuredAccessAllowed=PrivateNetwork"})
          .has_value());
  EXPECT_TRUE(
      read({"--ServerUrl=http://0.0.0.0:8080", "--Security.UnsecuredAccessAllowed=PublicNetwork"})
          .has_value());
  EXPECT_FALSE(read({"--ServerUrl=http://192.168.1.1:8080"}).has_value());
  EXPECT_TRUE(read({"--ServerUrl=http://192.168.1.1:8080",
                    "--Security.UnsecuredAccessAllowed=PrivateNetwork"})
                  .has_value());
  EXPECT_FALSE(read({"--Security.UnsecuredAccessAllowed=Everyone"}).has_value());
}

TEST(ServeSettings, RefusesTlsInsteadOfLeavingItOut) {
  EXPECT_EQ(read({"--ServerUrl=https://127.0.0.1:0"}).error().code(), ErrorCode::not_supported);
  EXPECT_EQ(read({"--Security.Certificate.Path=/x.pfx"}).error().code(), ErrorCode::not_supported);
}

TEST(ServeSettings, TakesWhatTheTestDriversPass) {
  const auto settings =
      read({"--RunInMemory=true", "--License.Eula.Accepted=true", "--Setup.Mode=None",
            "--Logs.Mode=None", "--Testing.ParentProcessId=42", "--ServerUrl=http://127.0.0.1:0",
            "--ServerUrl.Tcp=tcp://127.0.0.1:38884", "--Features.Availability=Experimental"});
  ASSERT_TRUE(settings.has_value()) << settings.error().to_string();
  EXPECT_TRUE(settings->run_in_memory);
  EXPECT_EQ(settings->log.mode, api::LogMode::kNone);
  EXPECT_EQ(settings->parent_process_id, 42);
  EXPECT_EQ(settings->http.port, 0);
  EXPECT_EQ(settings->tcp_url, "tcp://127.0.0.1:38884");
}

TEST(ServeSettings, ConvertsUnits) {
  const auto settings = read(
      {"--Http.MaxRequestBodySizeInMb=3", "--Http.MaxRequestHeadersSizeInKb=8",
       "--Http.KeepAliveTimeoutInSec=5", "--Logs.MaxArchiveDays=2", "--Testing.VerifyOnDelete=true",
       "--Server.MaxTimeForTaskToWaitForDatabaseToLoadInSec=7", "--Databases.MaxIdleTimeInSec=60",
       "--Tombstones.CleanupIntervalInMin=3"});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->http.limits.body_bytes_max, 3U << 20U);
  EXPECT_EQ(settings->http.limits.header_bytes_max, 8192U);
  EXPECT_EQ(settings->http.limits.idle_time_max, std::chrono::seconds(5));
  EXPECT_EQ(settings->log.retention, std::chrono::hours(48));
  EXPECT_TRUE(settings->server.verify_on_delete);
  EXPECT_EQ(settings->server.load_wait_max, std::chrono::seconds(7));
  EXPECT_EQ(settings->server.idle_time_max, std::chrono::minutes(1));
  EXPECT_EQ(settings->server.tombstone_purge_interval, std::chrono::minutes(3));
  EXPECT_GE(settings->server.scratch_memory_bytes_max, 16U << 20U);
  EXPECT_FALSE(read({"--Http.MaxConnections=0"}).has_value());
}

}  // namespace
}  // namespace rookery::cli
