// SPDX-License-Identifier: Apache-2.0
#include "rookery/api/log.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/os/memory_file_system.h"

namespace rookery::api {
namespace {

using testing::MatchesRegex;
using testing::SizeIs;

// Purpose. A clock that moves only when told.
class HandClock final : public os::Clock {
 public:
  os::MonotonicTime monotonic() override { return os::MonotonicTime(now_.time_since_epoch()); }

  os::WallTime wall() override { return now_; }

  void sleep_for(os::Duration duration) override { now_ += duration; }

 private:
  os::WallTime now_{std::chrono::seconds(1'790'000'000)};
};

class LogTest : public testing::Test {
 protected:
  std::unique_ptr<Log> open(LogOptions options) {
    options.directory = "/logs";
    auto log = Log::open(platform_, options);
    RK_CHECK(log.has_value());
    return std::move(log).value();
  }

  std::string read(const std::string& name) {
    auto file = files_.open("/logs/" + name, {.access = os::Access::kReadOnly});
    RK_CHECK(file.has_value());
    std::string out(100'000, '\0');
    const auto count = file.value()->read_at(0, std::as_writable_bytes(std::span(out)));
    out.resize(count.value());
    return out;
  }

  std::vector<std::string> names() { return files_.list("/logs").value(); }

  os::MemoryFileSystem files_;
  HandClock clock_;
  os::Platform platform_{files_, clock_, os::real_platform().random, os::real_platform().threads};
};

TEST_F(LogTest, WritesOneLineAnEvent) {
  const auto log = open({});
  log->write(LogMode::kOperations, "server.ready", {{"url", "http://x"}, {"n", "1"}});
  EXPECT_EQ(read("rookery.log"),
            "2026-09-21T14:13:20.000000Z level=operations event=server.ready url=http://x n=1\n");
}

TEST_F(LogTest, KeepsALineALineWhateverItIsGiven) {
  const auto log = open({});
  log->write(LogMode::kOperations, "x",
             {{"a", "two words"},
              {"b", "line\nevent=forged"},
              {"c", "q\"\\"},
              {"d", ""},
              {"e", std::string("\x01")}});
  EXPECT_THAT(
      read("rookery.log"),
      testing::EndsWith(
          " a=\"two words\" b=\"line\\nevent=forged\" c=\"q\\\"\\\\\" d=\"\" e=\"\\x01\"\n"));
}

TEST_F(LogTest, WritesWhatItsModeAllows) {
  const auto log = open({.mode = LogMode::kNone});
  log->write(LogMode::kOperations, "a", {});
  EXPECT_EQ(read("rookery.log"), "");
  log->set_mode(LogMode::kOperations);
  log->write(LogMode::kOperations, "b", {});
  log->write(LogMode::kInformation, "c", {});
  log->set_mode(LogMode::kInformation);
  log->write(LogMode::kInformation, "d", {});
  EXPECT_THAT(read("rookery.log"), MatchesRegex(".* event=b\n.* event=d\n"));
  EXPECT_EQ(log->options().mode, LogMode::kNone);
}

TEST_F(LogTest, RotatesBySizeAndKeepsAsManyFilesAsItMay) {
  const auto log = open({.rotate_above_bytes = 200, .rotated_count_max = 2});
  for (int i = 0; i < 40; ++i) {
    clock_.sleep_for(std::chrono::seconds(1));
    log->write(LogMode::kOperations, "event", {{"n", std::to_string(i)}});
  }
  EXPECT_THAT(names(), SizeIs(3));
  EXPECT_EQ(log->lost_count(), 0U);
  EXPECT_NE(read("rookery.log").find("n=39\n"), std::string::npos);
}

TEST_F(LogTest, RemovesRotatedFilesThatAreTooOld) {
  const auto log = open({.rotate_above_bytes = 100, .retention = std::chrono::seconds(30)});
  const auto write_two = [&] {
    log->write(LogMode::kOperations, "event", {{"n", std::string(100, 'x')}});
    clock_.sleep_for(std::chrono::seconds(1));
    log->write(LogMode::kOperations, "event", {{"n", std::string(100, 'y')}});
  };
  write_two();
  EXPECT_THAT(names(), SizeIs(2));
  clock_.sleep_for(std::chrono::seconds(60));
  write_two();
  // The first rotated file is gone; those of this round are there.
  EXPECT_THAT(names(), SizeIs(3));
}

TEST_F(LogTest, AppendsToWhatAnEarlierRunWrote) {
  open({})->write(LogMode::kOperations, "first", {});
  open({})->write(LogMode::kOperations, "second", {});
  EXPECT_THAT(read("rookery.log"), MatchesRegex(".*first\n.*second\n"));
}

TEST(LogMode, IsReadByName) {
  EXPECT_EQ(parse_log_mode("information").value(), LogMode::kInformation);
  EXPECT_EQ(log_mode_name(LogMode::kNone), "None");
  EXPECT_FALSE(parse_log_mode("Verbose").has_value());
}

}  // namespace
}  // namespace rookery::api
