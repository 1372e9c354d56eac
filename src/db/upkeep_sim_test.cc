// SPDX-License-Identifier: Apache-2.0
// What a server does by itself as time passes, and what creating and dropping cost, on a virtual
// clock and a disk that counts.
#include <atomic>
#include <string>
#include <vector>

#include "sim_server_test_support.h"

namespace rookery::db {
namespace {

using testing::CallKind;

std::uint64_t tombstones(Database& database) {
  const Result<DatabaseStats> stats = database.stats();
  EXPECT_TRUE(stats.has_value());
  return stats.has_value() ? stats->documents.tombstone_count : 0;
}

void write_and_erase(Database& database, const std::string& id) {
  ASSERT_TRUE(database.execute(commands(put(id))).has_value());
  ASSERT_TRUE(database.execute(commands(erase(id))).has_value());
}

TEST(TombstonePurge, HappensByItselfOnceNobodyNeedsThem) {
  ServerOptions with_purge = sim_server_options();
  with_purge.tombstone_purge_interval = std::chrono::minutes(5);
  with_server(with_purge, [](testing::SimPlatform& machine, Server& server) {
    ASSERT_TRUE(server.put_database("shop", no_record(), std::nullopt).has_value());
    const DatabaseRef shop = acquire(server, "shop");
    for (int i = 0; i < 3; ++i) {
      write_and_erase(*shop, "d/" + std::to_string(i));
    }
    EXPECT_EQ(tombstones(*shop), 3U);
    machine.clock().sleep_for(std::chrono::minutes(4));
    EXPECT_EQ(tombstones(*shop), 3U);
    machine.clock().sleep_for(std::chrono::minutes(2));
    EXPECT_EQ(tombstones(*shop), 0U);
    // More than one batch takes.
    std::vector<Command> puts;
    std::vector<Command> erases;
    for (int i = 0; i < 2500; ++i) {
      puts.push_back(put("many/" + std::to_string(i)));
      erases.push_back(erase("many/" + std::to_string(i)));
    }
    ASSERT_TRUE(shop->execute(std::move(puts)).has_value());
    ASSERT_TRUE(shop->execute(std::move(erases)).has_value());
    EXPECT_EQ(tombstones(*shop), 2500U);
    machine.clock().sleep_for(std::chrono::minutes(6));
    EXPECT_EQ(tombstones(*shop), 0U);
  });
}

TEST(TombstonePurge, WaitsForWhoeverHasNotSeenThem) {
  ServerOptions with_purge = sim_server_options();
  with_purge.tombstone_purge_interval = std::chrono::minutes(5);
  with_server(with_purge, [](testing::SimPlatform& machine, Server& server) {
    ASSERT_TRUE(server.put_database("shop", no_record(), std::nullopt).has_value());
    const DatabaseRef shop = acquire(server, "shop");
    std::atomic<std::uint64_t> slow{0};
    std::atomic<std::uint64_t> quick{1000};
    shop->keep_tombstones_for("slow", [&] { return slow.load(); });
    shop->keep_tombstones_for("quick", [&] { return quick.load(); });
    write_and_erase(*shop, "a");  // etags 1 and 2
    write_and_erase(*shop, "b");  // 3 and 4
    machine.clock().sleep_for(std::chrono::minutes(6));
    EXPECT_EQ(tombstones(*shop), 2U);
    slow = 2;
    machine.clock().sleep_for(std::chrono::minutes(6));
    EXPECT_EQ(tombstones(*shop), 1U);
    slow = 3;
    machine.clock().sleep_for(std::chrono::minutes(6));
    EXPECT_EQ(tombstones(*shop), 1U);
    shop->release_tombstones_of("slow");
    machine.clock().sleep_for(std::chrono::minutes(6));
    EXPECT_EQ(tombstones(*shop), 0U);
    shop->release_tombstones_of("quick");
  });
}

TEST(IdleDatabases, AreClosedAndOpenAgainWhenAskedFor) {
  ServerOptions with_idle = sim_server_options();
  with_idle.idle_time_max = std::chrono::minutes(15);
  with_server(with_idle, [](testing::SimPlatform& machine, Server& server) {
    for (const std::string name : {"busy", "held", "idle1", "idle2", "idle3", "idle4", "idle5"}) {
      ASSERT_TRUE(server.put_database(name, no_record(), std::nullopt).has_value());
      ASSERT_TRUE(acquire(server, name)->execute(commands(put("a"))).has_value());
    }
    DatabaseRef held = acquire(server, "held");
    machine.clock().sleep_for(std::chrono::minutes(10));
    EXPECT_EQ(server.stats().open_database_count, 7U);
    static_cast<void>(acquire(server, "busy"));  // used, and let go
    machine.clock().sleep_for(std::chrono::minutes(7));
    // More than one slice of them.
    EXPECT_EQ(server.stats().open_database_count, 2U);
    EXPECT_EQ(server.stats().idle_unload_count, 5U);
    EXPECT_EQ(stored(*acquire(server, "idle1"), "a"), R"({"n":1})");
    EXPECT_EQ(stored(*held, "a"), R"({"n":1})");
    held.reset();
    machine.clock().sleep_for(std::chrono::minutes(17));
    EXPECT_EQ(server.stats().open_database_count, 0U);
  });
}

TEST(IdleDatabases, AreNotClosedWhileAnIndexCatchesUp) {
  ServerOptions options = sim_server_options();
  options.idle_time_max = std::chrono::minutes(10);
  options.indexing.batch_documents_max = 1;
  options.indexing.throttle = std::chrono::minutes(5);
  with_server(options, [](testing::SimPlatform& machine, Server& server) {
    ASSERT_TRUE(server.put_database("shop", no_record(), std::nullopt).has_value());
    {
      const DatabaseRef shop = acquire(server, "shop");
      for (int i = 0; i < 6; ++i) {
        ASSERT_TRUE(shop->execute(commands(put("a/" + std::to_string(i)))).has_value());
      }
      index::IndexedField field;
      field.field.path.segments.push_back({"n", {}});
      ASSERT_TRUE(shop->indexes().choose(index::kAllDocuments, {field}).has_value());
    }
    machine.clock().sleep_for(std::chrono::minutes(24));
    EXPECT_EQ(server.stats().open_database_count, 1U);
    machine.clock().sleep_for(std::chrono::minutes(10));
    EXPECT_EQ(server.stats().open_database_count, 0U);
    const Result<std::vector<index::IndexInfo>> all = acquire(server, "shop")->indexes().list();
    ASSERT_TRUE(all.has_value());
    ASSERT_EQ(all->size(), 1U);
    EXPECT_EQ(all->front().entry_count, 6U);
  });
}

TEST(Syncs, OfACreationAreTheHeadersTheFolderItsNameAndTheRecord) {
  with_server(sim_server_options(), [](testing::SimPlatform& machine, Server& server) {
    // The first creation makes the system's journal.
    ASSERT_TRUE(server.put_database("first", no_record(), std::nullopt).has_value());
    const std::uint64_t files = machine.files().calls_of(CallKind::kSync);
    const std::uint64_t directories = machine.files().calls_of(CallKind::kSyncDirectory);
    ASSERT_TRUE(server.put_database("second", no_record(), std::nullopt).has_value());
    EXPECT_EQ(machine.files().calls_of(CallKind::kSync) - files, 2U);
    EXPECT_EQ(machine.files().calls_of(CallKind::kSyncDirectory) - directories, 2U);
    // The record itself is one durable write of the system's journal.
  });
}

TEST(Syncs, OfADropAreNoneOfItsData) {
  with_server(sim_server_options(), [](testing::SimPlatform& machine, Server& server) {
    ASSERT_TRUE(server.put_database("shop", no_record(), std::nullopt).has_value());
    ASSERT_TRUE(acquire(server, "shop")->execute(commands(put("a"))).has_value());
    const std::uint64_t flush = machine.files().add_fault({.kind = CallKind::kWrite,
                                                           .path_contains = "shop/data.rks",
                                                           .times = testing::FaultRule::kForever});
    const std::uint64_t header = machine.files().add_fault({.kind = CallKind::kWrite,
                                                            .path_contains = "shop/header",
                                                            .times = testing::FaultRule::kForever});
    ASSERT_TRUE(server.drop_database("shop", true).has_value());
    EXPECT_EQ(machine.files().fault_hits(flush), 0U);
    EXPECT_EQ(machine.files().fault_hits(header), 0U);
    machine.files().clear_faults();
    server.wait_for_deletions();
  });
}

}  // namespace
}  // namespace rookery::db
