// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "many_databases_test_support.h"

namespace rookery::db {
namespace {

// A folder on a real disk, gone afterwards.
class Folder {
 public:
  Folder() {
    std::string path = "/var/tmp/rookery-many-XXXXXX";
    EXPECT_NE(mkdtemp(path.data()), nullptr);
    path_ = path;
  }

  ~Folder() { std::filesystem::remove_all(path_); }

  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point began) {
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Beside the thousand, and gone again: for people to read, since a disk may be busy.
void print_times(Server& server) {
  std::vector<double> creations;
  std::vector<double> drops;
  for (int i = 0; i < 100; ++i) {
    const auto began = Clock::now();
    ASSERT_TRUE(server.put_database("timed", no_record(), std::nullopt).has_value());
    creations.push_back(milliseconds_since(began));
    ASSERT_TRUE(server.acquire_and_wait("timed").has_value());
    const auto dropping = Clock::now();
    ASSERT_TRUE(server.drop_database("timed", true).has_value());
    drops.push_back(milliseconds_since(dropping));
    server.wait_for_deletions();
  }
  std::printf("create p50 %.2f ms, drop p50 %.2f ms\n", median(creations), median(drops));
}

// What one idle database may cost: its map; lock, data file and journal; a few pages of memory. The
// scratch of a commit is given back.
TEST(ManyDatabases, AThousandOnDiskCostLittle) {
  ASSERT_NO_FATAL_FAILURE(raise_descriptor_limit());
  const Folder folder;
  ServerOptions options;
  options.reserve_bytes = 0;
  options.data_dir = folder.path();
  Result<std::unique_ptr<Server>> server = Server::open(os::real_platform(), options);
  ASSERT_TRUE(server.has_value());
  ASSERT_NO_FATAL_FAILURE(make_databases(**server, 0, 10));
  const ProcessFigures before = process_figures();
  constexpr int kCount = 1000;
  ASSERT_NO_FATAL_FAILURE(make_databases(**server, 10, kCount));
  const ProcessFigures after = process_figures();
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_LE((after.descriptors - before.descriptors) / kCount, 3U);
  EXPECT_LE((after.maps - before.maps) / kCount, 2U);
  EXPECT_LE((after.resident_kib - before.resident_kib) / kCount, 200U);
  EXPECT_EQ((*server)->stats().open_database_count, 10U + kCount);
  EXPECT_EQ(stored(**(*server)->acquire_and_wait(many_name(777)), "a"), R"({"n":1})");
  const auto each = [&](std::uint64_t ProcessFigures::*figure) {
    return static_cast<double>(after.*figure - before.*figure) / kCount;
  };
  std::printf("each: %.0f KiB, %.2f maps, %.2f descriptors\n", each(&ProcessFigures::resident_kib),
              each(&ProcessFigures::maps), each(&ProcessFigures::descriptors));
  ASSERT_NO_FATAL_FAILURE(print_times(**server));
  EXPECT_TRUE((*server)->close().has_value());
}

}  // namespace
}  // namespace rookery::db
