// SPDX-License-Identifier: Apache-2.0
// Databases that come and go on a disk that refuses to forget them, or has no room.
#include <string>
#include <vector>

#include "sim_server_test_support.h"

namespace rookery::db {
namespace {

using testing::CallKind;

std::vector<std::string> folders(testing::SimPlatform& machine) {
  Result<std::vector<std::string>> names = machine.files().list("data/Databases");
  EXPECT_TRUE(names.has_value());
  return names.has_value() ? *names : std::vector<std::string>();
}

TEST(Deletions, AFolderThatCannotGoIsGoneAfterTheNextStart) {
  on_a_machine([](testing::SimPlatform& machine) {
    machine.files().add_fault({.kind = CallKind::kRemove,
                               .path_contains = ".deleting",
                               .times = testing::FaultRule::kForever});
    {
      const auto server = open_server(machine.platform(), sim_server_options());
      ASSERT_TRUE(server->put_database("shop", no_record(), std::nullopt).has_value());
      ASSERT_TRUE(acquire(*server, "shop")->execute(commands(put("old"))).has_value());
      ASSERT_TRUE(server->drop_database("shop", true).has_value());
      server->wait_for_deletions();
      EXPECT_EQ(server->stats().folders_deleted, 0U);
      // The name is free although the files are still there.
      ASSERT_TRUE(server->put_database("shop", no_record(), std::nullopt).has_value());
      ASSERT_TRUE(acquire(*server, "shop")->execute(commands(put("new"))).has_value());
      EXPECT_EQ(folders(machine).size(), 2U);
      EXPECT_TRUE(server->close().has_value());
    }
    machine.files().clear_faults();
    const auto server = open_server(machine.platform(), sim_server_options());
    server->wait_for_deletions();
    EXPECT_EQ(folders(machine), std::vector<std::string>{"shop"});
    // The note was of the old folder, never of the name.
    EXPECT_EQ(stored(*acquire(*server, "shop"), "new"), R"({"n":1})");
    EXPECT_EQ(stored(*acquire(*server, "shop"), "old"), "");
    EXPECT_TRUE(server->close().has_value());
  });
}

TEST(Deletions, ANoteThatOutlivesItsDropHarmsNobody) {
  on_a_machine([](testing::SimPlatform& machine) {
    {
      const auto server = open_server(machine.platform(), sim_server_options());
      ASSERT_TRUE(server->put_database("shop", no_record(), std::nullopt).has_value());
      // The drop is one write of the system's journal; the next, which erases the note of the
      // folder that is gone by then, fails, and so do all after it.
      const std::uint64_t note = machine.files().add_fault({.kind = CallKind::kWrite,
                                                            .path_contains = "System/",
                                                            .skip = 1,
                                                            .times = testing::FaultRule::kForever});
      ASSERT_TRUE(server->drop_database("shop", true).has_value());
      server->wait_for_deletions();
      EXPECT_GE(machine.files().fault_hits(note), 1U);
      static_cast<void>(server->close());  // on this disk it cannot end well
    }
    machine.files().clear_faults();
    EXPECT_TRUE(folders(machine).empty());
    for (int start = 0; start < 2; ++start) {
      const auto server = open_server(machine.platform(), sim_server_options());
      server->wait_for_deletions();
      if (start == 0) {
        ASSERT_TRUE(server->put_database("shop", no_record(), std::nullopt).has_value());
        ASSERT_TRUE(acquire(*server, "shop")->execute(commands(put("a"))).has_value());
      }
      EXPECT_EQ(stored(*acquire(*server, "shop"), "a"), R"({"n":1})");
      EXPECT_TRUE(server->close().has_value());
    }
  });
}

// Puts until the disk is full; returns how many were stored.
int fill(Database& database) {
  const std::string json = R"({"text":")" + std::string(100'000, 'x') + "\"}";
  for (int i = 0;; ++i) {
    EXPECT_LT(i, 2000);
    const Result<BatchResult> stored =
        database.execute(commands(put("d/" + std::to_string(i), json)));
    if (!stored || i >= 2000) {
      EXPECT_EQ(stored.error().code(), ErrorCode::no_space) << stored.error().to_string();
      return i;
    }
  }
}

TEST(FullDisk, DatabasesAreReadErasedAndDroppedAndWritingComesBack) {
  ServerOptions options = sim_server_options();
  options.reserve_bytes = 1024 * 1024;
  options.environment.journal_size_max_bytes = 1024 * 1024;
  options.environment.scratch_total_bytes_max = 8 * 1024 * 1024;
  options.environment.scratch_memory_bytes_max = 4 * 1024 * 1024;
  with_server(options, [](testing::SimPlatform& machine, Server& server) {
    ASSERT_TRUE(server.put_database("shop", no_record(), std::nullopt).has_value());
    ASSERT_TRUE(server.put_database("other", no_record(), std::nullopt).has_value());
    machine.files().set_capacity(machine.files().used_bytes() + 16 * 1024 * 1024);
    {
      const DatabaseRef shop = acquire(server, "shop");
      const int count = fill(*shop);
      ASSERT_GT(count, 10);
      machine.files().set_capacity(machine.files().used_bytes());
      // A creation leaves nothing of it.
      const Result<DatabaseRecord> refused = server.put_database("x", no_record(), std::nullopt);
      ASSERT_FALSE(refused.has_value());
      EXPECT_EQ(refused.error().code(), ErrorCode::no_space) << refused.error().to_string();
      EXPECT_EQ(server.list().size(), 2U);
      EXPECT_EQ(folders(machine), (std::vector<std::string>{"other", "shop"}));
      // Reads and deletes go on, in every database.
      EXPECT_NE(stored(*shop, "d/0"), "");
      EXPECT_TRUE(shop->execute(commands(erase("d/0"))).has_value());
      EXPECT_EQ(stored(*shop, "d/0"), "");
    }
    EXPECT_TRUE(server.drop_database("shop", true).has_value());
    server.wait_for_deletions();
    machine.files().set_capacity(machine.files().used_bytes() + 64 * 1024 * 1024);
    machine.clock().sleep_for(std::chrono::seconds(30));  // of maintenance
    ASSERT_TRUE(server.put_database("x", no_record(), std::nullopt).has_value());
    EXPECT_TRUE(acquire(server, "x")->execute(commands(put("a"))).has_value());
    EXPECT_TRUE(acquire(server, "other")->execute(commands(put("a"))).has_value());
  });
}

}  // namespace
}  // namespace rookery::db
