// SPDX-License-Identifier: Apache-2.0
#include "rookery/db/server.h"

#include <atomic>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rookery/os/sync.h"

#include "many_databases_test_support.h"
#include "test_server.h"

namespace rookery::db {
namespace {

class ServerTest : public testing::Test {
 protected:
  void SetUp() override { server_ = open_server(memory_.platform(), options_); }

  void reopen() {
    ASSERT_TRUE(server_->close().has_value());
    server_.reset();
    server_ = open_server(memory_.platform(), options_);
  }

  DatabaseRecord create(std::string_view name) {
    Result<DatabaseRecord> record = server_->put_database(name, no_record(), std::nullopt);
    EXPECT_TRUE(record.has_value()) << record.error().to_string();
    return record.has_value() ? std::move(*record) : DatabaseRecord();
  }

  DatabaseRef acquire(std::string_view name) {
    Result<DatabaseRef> database = server_->acquire_and_wait(name);
    EXPECT_TRUE(database.has_value()) << database.error().to_string();
    return database.has_value() ? *database : nullptr;
  }

  void write(std::string_view name, std::string_view id) {
    ASSERT_TRUE(acquire(name)->execute(commands(put(id))).has_value());
  }

  bool folder_exists(std::string_view name) {
    return memory_.files().info("data/Databases/" + std::string(name))->has_value();
  }

  ErrorCode acquire_error(std::string_view name) {
    return server_->acquire_and_wait(name).error().code();
  }

  ServerOptions options_ = [] {
    ServerOptions options;
    options.reserve_bytes = 0;
    return options;
  }();
  MemoryPlatform memory_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, CreatesOpensAndDropsADatabase) {
  const DatabaseRecord record = create("Shop");
  EXPECT_EQ(record.name, "Shop");
  EXPECT_EQ(record.etag, 1U);
  EXPECT_EQ(server_->last_index(), 1U);
  EXPECT_TRUE(folder_exists("shop"));
  EXPECT_FALSE(folder_exists("shop.creating"));
  {
    const DatabaseRef database = acquire("SHOP");
    ASSERT_TRUE(database->execute(commands(put("a"))).has_value());
    EXPECT_EQ(database->id(), record.id);
  }
  const Result<DropResult> dropped = server_->drop_database("shoP", true);
  ASSERT_TRUE(dropped.has_value()) << dropped.error().to_string();
  EXPECT_EQ(dropped->index, 2U);
  EXPECT_EQ(acquire_error("Shop"), ErrorCode::not_found);
  EXPECT_FALSE(folder_exists("shop"));
  EXPECT_FALSE((*server_->record("Shop")).has_value());
  EXPECT_EQ(server_->drop_database("Shop", true).error().code(), ErrorCode::not_found);
}

TEST_F(ServerTest, ADatabaseMadeAnewIsEmptyAndAnother) {
  const DatabaseRecord first = create("Shop");
  write("Shop", "a");
  ASSERT_TRUE(server_->drop_database("Shop", true).has_value());
  const DatabaseRecord second = create("Shop");
  EXPECT_NE(first.id, second.id);
  EXPECT_EQ(acquire("Shop")->stats()->documents.document_count, 0U);
  reopen();
  EXPECT_EQ(acquire("Shop")->stats()->documents.document_count, 0U);
}

TEST_F(ServerTest, KeepsDatabasesOverARestart) {
  create("Shop");
  create("other");
  write("Shop", "a");
  const doc::DatabaseId id = acquire("Shop")->id();
  reopen();
  const std::vector<DatabaseSummary> all = server_->list();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "other");
  EXPECT_EQ(all[1].name, "Shop");
  EXPECT_EQ(all[1].state, DatabaseState::kIdle);
  EXPECT_EQ(server_->last_index(), 2U);
  EXPECT_EQ(stored(*acquire("shop"), "a"), R"({"n":1})");
  EXPECT_EQ(acquire("shop")->id(), id);
}

TEST_F(ServerTest, ChecksTheEtagOfARecord) {
  EXPECT_EQ(server_->put_database("Shop", no_record(), 3).error().code(), ErrorCode::concurrency);
  const std::uint64_t etag = create("Shop").etag;
  const Result<DatabaseRecord> again = server_->put_database("shop", no_record(), std::nullopt);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code(), ErrorCode::concurrency);
  EXPECT_NE(again.error().message().find("already exists"), std::string_view::npos);
  const value::Document change = *value::parse_json(R"({"Settings":{"a":"b"}})");
  const Result<DatabaseRecord> changed = server_->put_database("shop", change.root(), etag);
  ASSERT_TRUE(changed.has_value());
  EXPECT_GT(changed->etag, etag);
  EXPECT_EQ(changed->name, "Shop");
  EXPECT_EQ(server_->put_database("shop", change.root(), etag).error().code(),
            ErrorCode::concurrency);
}

TEST_F(ServerTest, RefusesIllegalNames) {
  EXPECT_EQ(server_->put_database("a/b", no_record(), std::nullopt).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(acquire_error("../System"), ErrorCode::not_found);
}

TEST_F(ServerTest, DisablesAndEnables) {
  create("Shop");
  write("Shop", "a");
  ASSERT_TRUE(server_->set_disabled("shop", true).has_value());
  EXPECT_EQ(acquire_error("Shop"), ErrorCode::disabled);
  EXPECT_TRUE((*server_->record("Shop"))->disabled);
  EXPECT_EQ(server_->stats().open_database_count, 0U);
  reopen();
  EXPECT_EQ(acquire_error("Shop"), ErrorCode::disabled);
  ASSERT_TRUE(server_->set_disabled("shop", false).has_value());
  EXPECT_EQ(stored(*acquire("Shop"), "a"), R"({"n":1})");
  EXPECT_EQ(server_->set_disabled("nobody", true).error().code(), ErrorCode::not_found);
}

TEST_F(ServerTest, ARecordCanDisableItsDatabase) {
  const std::uint64_t etag = create("Shop").etag;
  write("Shop", "a");
  const value::Document change = *value::parse_json(R"({"Disabled":true})");
  ASSERT_TRUE(server_->put_database("Shop", change.root(), etag).has_value());
  EXPECT_EQ(acquire_error("Shop"), ErrorCode::disabled);
}

TEST_F(ServerTest, LockModesForbidDrops) {
  create("a");
  create("b");
  const std::vector<std::string> with_unknown = {"a", "nobody"};
  const std::uint64_t index = server_->last_index();
  EXPECT_EQ(server_->set_lock_mode(with_unknown, LockMode::kPreventDeletesError).error().code(),
            ErrorCode::not_found);
  EXPECT_EQ(server_->last_index(), index);
  EXPECT_EQ((*server_->record("a"))->lock_mode, LockMode::kUnlock);

  const std::vector<std::string> both = {"a", "B"};
  ASSERT_TRUE(server_->set_lock_mode(both, LockMode::kPreventDeletesError).has_value());
  const Result<DropResult> refused = server_->drop_database("a", true);
  EXPECT_EQ(refused.error().code(), ErrorCode::locked);
  EXPECT_NE(refused.error().message().find("cannot be deleted because of the set lock mode"),
            std::string_view::npos);
  ASSERT_TRUE(server_->set_lock_mode(both, LockMode::kPreventDeletesIgnore).has_value());
  const Result<DropResult> ignored = server_->drop_database("b", true);
  ASSERT_TRUE(ignored.has_value());
  EXPECT_FALSE(ignored->index.has_value());
  EXPECT_TRUE((*server_->record("b")).has_value());
  ASSERT_TRUE(server_->set_lock_mode(both, LockMode::kUnlock).has_value());
  EXPECT_TRUE(server_->drop_database("a", true)->index.has_value());
}

TEST_F(ServerTest, KeepsSettings) {
  create("Shop");
  const value::Document settings = *value::parse_json(R"({"a":"b"})");
  ASSERT_TRUE(server_->put_settings("shop", settings.root()).has_value());
  reopen();
  const DatabaseRecord record = *std::move(*server_->record("shop"));
  EXPECT_EQ(value::to_json(*record.json.root().find("Settings")), R"({"a":"b"})");
}

TEST_F(ServerTest, OpensOnceForAllWhoAsk) {
  create("Shop");
  reopen();
  EXPECT_EQ(server_->try_acquire("Shop").error().code(), ErrorCode::loading);
  std::atomic<int> answers = 0;
  os::Event all;
  constexpr int kAsking = 20;
  std::mutex mutex;
  std::vector<DatabaseRef> refs;
  for (int i = 0; i < kAsking; ++i) {
    server_->acquire("Shop", [&](Result<DatabaseRef> database) {
      EXPECT_TRUE(database.has_value());
      {
        const std::scoped_lock lock(mutex);
        refs.push_back(*database);
      }
      if (++answers == kAsking) {
        all.set();
      }
    });
  }
  all.wait();
  for (const DatabaseRef& ref : refs) {
    EXPECT_EQ(ref.get(), refs.front().get());
  }
  EXPECT_TRUE(server_->try_acquire("shop").has_value());
}

TEST_F(ServerTest, ADropWaitsForUsersAndGivesUpInTime) {
  options_.release_wait_max = std::chrono::milliseconds(20);
  reopen();
  create("Shop");
  {
    const DatabaseRef in_use = acquire("Shop");
    EXPECT_EQ(server_->drop_database("Shop", true).error().code(), ErrorCode::timed_out);
    EXPECT_EQ(server_->set_disabled("Shop", true).error().code(), ErrorCode::timed_out);
    EXPECT_FALSE(*server_->unload("Shop"));
    EXPECT_TRUE(in_use->execute(commands(put("a"))).has_value());
  }
  // As if it had never been tried.
  EXPECT_FALSE((*server_->record("Shop"))->disabled);
  EXPECT_EQ(stored(*acquire("Shop"), "a"), R"({"n":1})");
  EXPECT_TRUE(server_->drop_database("Shop", true).has_value());
}

TEST_F(ServerTest, UnloadsAndOpensAgain) {
  create("Shop");
  write("Shop", "a");
  EXPECT_EQ(server_->stats().open_database_count, 1U);
  EXPECT_TRUE(*server_->unload("Shop"));
  EXPECT_EQ(server_->stats().open_database_count, 0U);
  EXPECT_EQ(stored(*acquire("Shop"), "a"), R"({"n":1})");
  EXPECT_EQ(server_->unload("nobody").error().code(), ErrorCode::not_found);
}

TEST_F(ServerTest, ASoftDropLeavesTheFilesForTheNextOfThatName) {
  create("Shop");
  write("Shop", "a");
  ASSERT_TRUE(server_->drop_database("Shop", false).has_value());
  EXPECT_EQ(acquire_error("Shop"), ErrorCode::not_found);
  reopen();
  EXPECT_TRUE(folder_exists("shop"));
  create("Shop");
  EXPECT_EQ(stored(*acquire("Shop"), "a"), R"({"n":1})");
}

TEST_F(ServerTest, ASoftDropAfterAHardOneKeepsTheFiles) {
  create("Shop");
  ASSERT_TRUE(server_->drop_database("Shop", true).has_value());
  create("Shop");
  write("Shop", "a");
  ASSERT_TRUE(server_->drop_database("Shop", false).has_value());
  reopen();
  EXPECT_TRUE(folder_exists("shop"));
}

TEST_F(ServerTest, ANewDatabaseIsNeverMadeOfALostOne) {
  create("Shop");
  reopen();
  ASSERT_TRUE(os::remove_tree(memory_.files(), "data/Databases/shop").has_value());
  const Result<DatabaseRef> lost = server_->acquire_and_wait("Shop");
  ASSERT_FALSE(lost.has_value());
  EXPECT_EQ(lost.error().code(), ErrorCode::corrupt) << "there is such a database: it is damaged";
  EXPECT_FALSE(folder_exists("shop"));
  EXPECT_EQ(server_->list().front().state, DatabaseState::kFaulted);
  EXPECT_NE(server_->list().front().fault, "");
  // Others are not touched by it.
  create("other");
  write("other", "a");
}

TEST_F(ServerTest, ADatabaseThatLostItsHeadersIsDamagedNotUnknown) {
  create("Shop");
  reopen();
  for (const char* header : {"header.one", "header.two"}) {
    ASSERT_TRUE(
        memory_.files().remove_file(std::string("data/Databases/shop/") + header).has_value());
  }
  EXPECT_EQ(acquire_error("Shop"), ErrorCode::corrupt);
}

TEST_F(ServerTest, RemovesAbandonedCreationsAtStart) {
  create("Shop");
  ASSERT_TRUE(server_->close().has_value());
  server_.reset();
  ASSERT_TRUE(os::create_directories(memory_.files(), "data/Databases/x.creating/y").has_value());
  ASSERT_TRUE(
      memory_.files().rename("data/Databases/shop", "data/Databases/shop.creating").has_value());
  server_ = open_server(memory_.platform(), options_);
  EXPECT_FALSE(folder_exists("x.creating"));
  EXPECT_NE(acquire("Shop"), nullptr);  // the record says that it exists: its creation is completed
  EXPECT_TRUE(folder_exists("shop"));
}

TEST_F(ServerTest, VerifiesBeforeADropWhenAskedTo) {
  options_.verify_on_delete = true;
  reopen();
  create("open");
  create("idle");
  create("disabled");
  write("open", "a");
  ASSERT_TRUE(server_->set_disabled("disabled", true).has_value());
  for (const std::string_view name : {"open", "idle", "disabled"}) {
    ASSERT_TRUE(server_->drop_database(name, true).has_value());
  }
  EXPECT_EQ(server_->stats().verified_on_delete_count, 3U);
  EXPECT_EQ(server_->stats().verify_problem_count, 0U);
}

TEST_F(ServerTest, RefusesEverythingOnceClosed) {
  create("Shop");
  ASSERT_TRUE(server_->close().has_value());
  EXPECT_EQ(acquire_error("Shop"), ErrorCode::shutting_down);
  EXPECT_EQ(server_->put_database("x", no_record(), std::nullopt).error().code(),
            ErrorCode::shutting_down);
  EXPECT_EQ(server_->drop_database("Shop", true).error().code(), ErrorCode::shutting_down);
  EXPECT_TRUE(server_->close().has_value());
}

TEST_F(ServerTest, IdleDatabasesNeedNoThreads) {
  create("first");
  write("first", "a");
  const std::uint64_t threads = status_value("Threads:");
  ASSERT_GT(threads, 1U);
  for (int i = 0; i < 50; ++i) {
    const std::string name = "db" + std::to_string(i);
    create(name);
    write(name, "a");
  }
  EXPECT_EQ(server_->stats().open_database_count, 51U);
  EXPECT_EQ(status_value("Threads:"), threads);
}

}  // namespace
}  // namespace rookery::db
