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
  // The address that was judged is the one that is bound.
  EXPECT_EQ(read({"--ServerUrl=http://localhost:0"})->http.address, "127.0.0.1");
  EXPECT_EQ(read({"--ServerUrl=http://localhost:0"})->url.host, "localhost");
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
