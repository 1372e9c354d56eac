// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

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
  EXPECT_TRUE((*server)->close().has_value());
}

}  // namespace
}  // namespace rookery::db
