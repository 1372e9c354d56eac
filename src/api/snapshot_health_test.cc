// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "rookery/testing/sim_file_system.h"

#include "test_service.h"

// A data file that cannot be read any more, at any moment of a request: what was read is given out
// as it was stored, or an error is, and never the zeros that a failed map reads as.

namespace rookery::api {
namespace {

constexpr std::string_view kDataFile = "/data/Databases/shop/data.rks";
constexpr std::string_view kFailure = "reading the data file failed";

struct Asked {
  std::string method;
  std::string target;
  std::string body = {};
};

class SnapshotHealth : public ::testing::TestWithParam<Asked> {
 protected:
  SnapshotHealth() {
    s_.create("shop");
    // Larger than a page: its text is read straight from the map while the answer is written.
    const std::string text(20'000, 'x');
    for (const std::string id : {"users/1", "users/2"}) {
      EXPECT_EQ(s_.call("PUT", "/databases/shop/docs?id=" + id,
                        R"({"Name":")" + text + R"(","@metadata":{"@collection":"Users"}})")
                    .status,
                201);
    }
    EXPECT_EQ(s_.call("POST", "/databases/shop/identity/next?name=orders").status, 200);
    const auto database = s_.server->acquire_and_wait("shop");
    EXPECT_TRUE(database.has_value());
    // From the data file, not from what is still waiting to get there.
    EXPECT_TRUE((*database)->sync_all().has_value());
  }

  static bool is_multi_get() { return GetParam().target.ends_with("/multi_get"); }

  Answer ask() { return s_.call(GetParam().method, GetParam().target, GetParam().body); }

  // The file can be read again; the database finds out by itself, because it is asked.
  void mend() {
    files_.mend_maps(kDataFile);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (s_.call("GET", "/databases/shop/healthcheck").status != 204) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      std::this_thread::yield();
    }
  }

  std::unique_ptr<testing::SimFileSystem> made_ = std::make_unique<testing::SimFileSystem>();
  testing::SimFileSystem& files_ = *made_;  // the service owns it
  TestService s_{std::move(made_)};
};

TEST_P(SnapshotHealth, AFaultIsAnErrorWheneverItHappens) {
  const Answer sound = ask();
  ASSERT_LT(sound.status, 300) << sound.body;
  int errors = 0;
  // Ends when the answer was there before the fault.
  for (std::uint64_t looks = 1;; ++looks) {
    ASSERT_LT(looks, 1000U);
    files_.fail_maps_after(kDataFile, looks);
    const Answer answer = ask();
    const bool failed = answer.body.find(kFailure) != std::string::npos;
    if (answer.status == sound.status && !failed) {
      ASSERT_EQ(answer.body, sound.body) << "fault after look " << looks;
      break;
    }
    ASSERT_TRUE(failed) << "fault after look " << looks << ": " << answer.body;
    // A multi_get in which every part says so is an answer, too.
    ASSERT_TRUE(answer.status == 500 || is_multi_get()) << answer.body;
    ASSERT_EQ(answer.body.find("xxxx"), std::string::npos);
    ++errors;
    mend();
  }
  EXPECT_GT(errors, 0);
  mend();
  EXPECT_EQ(ask().body, sound.body);
}

INSTANTIATE_TEST_SUITE_P(
    Reads, SnapshotHealth,
    ::testing::Values(Asked{"GET", "/databases/shop/docs?id=users/1"},
                      Asked{"GET", "/databases/shop/docs?id=users/1&id=users/2&id=nobody"},
                      Asked{"GET", "/databases/shop/docs?startsWith=users/"},
                      Asked{"GET", "/databases/shop/docs?start=0&pageSize=10"},
                      Asked{"POST", "/databases/shop/docs", R"({"Ids":["users/1","users/2"]})"},
                      Asked{"HEAD", "/databases/shop/docs?id=users/1"},
                      Asked{"POST", "/databases/shop/multi_get",
                            R"({"Requests":[{"Url":"/databases/shop/docs","Query":"?id=users/1"},)"
                            R"({"Url":"/databases/shop/docs","Query":"?id=users/2"}]})"},
                      Asked{"GET", "/databases/shop/stats"},
                      Asked{"GET", "/databases/shop/stats/detailed"},
                      Asked{"GET", "/databases/shop/collections/stats/detailed"},
                      Asked{"GET", "/databases/shop/debug/identities"},
                      Asked{"GET", "/databases/shop/healthcheck"}));

}  // namespace
}  // namespace rookery::api
