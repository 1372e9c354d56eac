// SPDX-License-Identifier: Apache-2.0
#include "many_databases_test_support.h"

namespace rookery::db {
namespace {

TEST(ManyDatabases, AThousandInMemoryHaveNoThreadEach) {
  ASSERT_NO_FATAL_FAILURE(raise_descriptor_limit());
  MemoryPlatform memory;
  ServerOptions options;
  options.reserve_bytes = 0;
  const std::unique_ptr<Server> server = open_server(memory.platform(), options);
  ASSERT_NO_FATAL_FAILURE(make_databases(*server, 0, 1));
  const ProcessFigures before = process_figures();
  constexpr int kCount = 1000;
  ASSERT_NO_FATAL_FAILURE(make_databases(*server, 1, kCount));
  const ProcessFigures after = process_figures();
  EXPECT_EQ(server->stats().open_database_count, 1U + kCount);
  EXPECT_EQ(after.threads, before.threads);
  RecordProperty("resident_kib_each",
                 static_cast<int>((after.resident_kib - before.resident_kib) / kCount));
  RecordProperty("maps_each_x100", static_cast<int>((after.maps - before.maps) * 100 / kCount));
  EXPECT_EQ(stored(**server->acquire_and_wait(many_name(777)), "a"), R"({"n":1})");
  EXPECT_TRUE(server->close().has_value());
}

}  // namespace
}  // namespace rookery::db
