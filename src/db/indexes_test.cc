// SPDX-License-Identifier: Apache-2.0
// Indexes as a database and a server own them.
#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rookery/index/query_runner.h"
#include "rookery/os/sync.h"

#include "test_server.h"

namespace rookery::db {
namespace {

using index::Readiness;
using testing::HasSubstr;

index::QueryRequest request(std::string_view text, bool waits) {
  index::QueryRequest made;
  made.text = text;
  made.wait_for_non_stale = waits;
  made.wait_timeout = std::chrono::seconds(30);
  return made;
}

class DatabaseIndexes : public testing::Test {
 protected:
  DatabaseIndexes() : server_(open_server(memory_.platform())) {
    EXPECT_TRUE(server_->put_database("shop", no_record(), std::nullopt).has_value());
  }

  ~DatabaseIndexes() override { EXPECT_TRUE(server_->close().has_value()); }

  DatabaseRef shop() {
    Result<DatabaseRef> found = server_->acquire_and_wait("shop");
    EXPECT_TRUE(found.has_value()) << found.error().to_string();
    return found.has_value() ? *found : nullptr;
  }

  index::QueryRunner runner(Database& database) {
    return {memory_.platform(), database.indexes(), database.environment(), {}};
  }

  // The body of the answer, once the index is up to date.
  std::string ask(Database& database, std::string_view text) {
    const index::QueryRunner queries = runner(database);
    Result<index::PreparedQueryPtr> query = queries.prepare(request(text, true));
    EXPECT_TRUE(query.has_value()) << query.error().to_string();
    if (queries.must_wait(**query)) {
      os::Event done;
      queries.when_ready(**query, [&](Readiness readiness) {
        EXPECT_EQ(readiness, Readiness::kReady);
        done.set();
      });
      done.wait();
    }
    const Result<index::QueryAnswer> answer = queries.run(**query);
    EXPECT_TRUE(answer.has_value()) << answer.error().to_string();
    return answer.has_value() ? answer->body : "";
  }

  MemoryPlatform memory_;
  std::unique_ptr<Server> server_;
};

TEST_F(DatabaseIndexes, FollowItsCommitsAndSurviveItsUnloading) {
  ASSERT_TRUE(shop()->execute(commands(put("a/1", R"({"n":1})"))).has_value());
  EXPECT_THAT(ask(*shop(), "from @all_docs where n = 1"), HasSubstr(R"("TotalResults":1)"));
  ASSERT_TRUE(shop()->execute(commands(put("a/2", R"({"n":1})"))).has_value());
  EXPECT_THAT(ask(*shop(), "from @all_docs where n = 1"), HasSubstr(R"("TotalResults":2)"));
  ASSERT_TRUE(server_->unload("shop").value());
  EXPECT_EQ(shop()->indexes().names(), std::vector<std::string>{"Auto/AllDocs/Byn"});
  EXPECT_THAT(ask(*shop(), "from @all_docs where n = 1"), HasSubstr(R"("TotalResults":2)"));
}

TEST_F(DatabaseIndexes, AreVerifiedWithIt) {
  ASSERT_TRUE(shop()->execute(commands(put("a/1", R"({"n":1})"))).has_value());
  static_cast<void>(ask(*shop(), "from @all_docs where n = 1"));
  const Result<store::VerifyReport> sound = shop()->verify();
  ASSERT_TRUE(sound.has_value());
  EXPECT_THAT(sound->problems, testing::IsEmpty());
  // The headers of the index are overwritten while nobody looks.
  ASSERT_TRUE(server_->unload("shop").value());
  const std::string folder = "data/Databases/shop/Indexes";
  const auto names = memory_.files().list(folder);
  ASSERT_TRUE(names.has_value());
  ASSERT_EQ(names->size(), 1U);
  for (const std::string_view header : {"header.one", "header.two"}) {
    auto file = memory_.files().open(folder + "/" + names->front() + "/" + std::string(header), {});
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE((*file)->write_at(0, as_bytes("no header")).has_value());
  }
  EXPECT_EQ(stored(*shop(), "a/1"), R"({"n":1})");
  const Result<store::VerifyReport> damaged = shop()->verify();
  ASSERT_TRUE(damaged.has_value());
  ASSERT_EQ(damaged->problems.size(), 1U);
  EXPECT_THAT(damaged->problems.front(), HasSubstr("Auto/AllDocs/Byn"));
}

// A query that waits for an index keeps its database in use, and must not keep it from going.
TEST_F(DatabaseIndexes, ADropDoesNotWaitForThoseWhoWaitForAnIndex) {
  ASSERT_TRUE(shop()->execute(commands(put("a/1", R"({"n":1})"))).has_value());
  static_cast<void>(ask(*shop(), "from @all_docs where n = 1"));
  ASSERT_TRUE(shop()->indexes().set_paused("", true));
  ASSERT_TRUE(shop()->execute(commands(put("a/2", R"({"n":1})"))).has_value());
  DatabaseRef database = shop();
  const index::QueryRunner queries = runner(*database);
  Result<index::PreparedQueryPtr> query =
      queries.prepare(request("from @all_docs where n = 1", true));
  ASSERT_TRUE(query.has_value());
  ASSERT_TRUE(queries.must_wait(**query));
  std::optional<Readiness> told;
  queries.when_ready(**query, [&](Readiness readiness) {
    told = readiness;
    query->reset();
    database.reset();
  });
  EXPECT_FALSE(told.has_value());
  const Result<DropResult> dropped = server_->drop_database("shop", true);
  EXPECT_TRUE(dropped.has_value()) << dropped.error().to_string();
  EXPECT_EQ(told, Readiness::kGone);
}

}  // namespace
}  // namespace rookery::db
