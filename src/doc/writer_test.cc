// SPDX-License-Identifier: Apache-2.0
#include "rookery/doc/writer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test_store.h"

namespace rookery::doc {
namespace {

constexpr std::string_view kUser = R"({"Name":"x","@metadata":{"@collection":"Users"}})";

std::string vector_of(std::uint64_t etag) {
  return "A:" + std::to_string(etag) + "-" + std::string(DatabaseId().text());
}

std::vector<std::string> ids(const Snapshot& snapshot, const PrefixQuery& query) {
  std::vector<std::string> found;
  const Result<void> scanned =
      snapshot->scan_prefix(query, [&](const DocumentView& document) -> Result<bool> {
        found.emplace_back(document.id);
        return true;
      });
  EXPECT_TRUE(scanned.has_value());
  return found;
}

std::vector<std::uint64_t> etags_of(const Snapshot& snapshot, std::string_view collection,
                                    bool tombstones) {
  std::vector<std::uint64_t> found;
  const DocumentReader::Visitor visit = [&](const DocumentView& document) -> Result<bool> {
    EXPECT_EQ(document.is_tombstone, tombstones);
    found.push_back(document.etag);
    return true;
  };
  const Result<void> scanned = tombstones
                                   ? snapshot->scan_collection_tombstones(collection, 0, visit)
                                   : snapshot->scan_collection(collection, 0, visit);
  EXPECT_TRUE(scanned.has_value());
  return found;
}

TEST(DocumentWriter, GivesIdsInFourForms) {
  TestStore store;
  EXPECT_EQ(store.put("users/", kUser)->id, "users/0000000000000000001-A");
  EXPECT_EQ(store.put("users|", kUser)->id, "users/1");
  EXPECT_EQ(store.put("users|", kUser)->id, "users/2");
  EXPECT_EQ(store.put("Users/Ayende", kUser)->id, "Users/Ayende");
  const std::string guid = store.put(std::nullopt, kUser)->id;
  EXPECT_EQ(guid.size(), 36U);
  EXPECT_NE(store.put("", kUser)->id, guid);
  EXPECT_EQ(store.put("|", kUser).error().code(), ErrorCode::invalid_argument);
}

TEST(DocumentWriter, NeverGivesAnIdThatIsTaken) {
  TestStore store;
  ASSERT_TRUE(store.put("users/1", kUser).has_value());
  EXPECT_EQ(store.put("users|", kUser)->id, "users/2");
  ASSERT_TRUE(store.put("users/0000000000000000004-a", kUser).has_value());  // etag 3
  EXPECT_EQ(store.put("users/", kUser)->id, "users/0000000000000000005-A");
}

TEST(DocumentWriter, FindsADocumentInAnyCaseAndKeepsItsOwn) {
  TestStore store;
  ASSERT_TRUE(store.put("Users/\xc3\x84", kUser).has_value());
  const Snapshot snapshot = store.read();
  const Result<std::optional<DocumentView>> found = snapshot->get("uSERS/\xc3\xa4");
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_EQ((*found)->id, "Users/\xc3\x84");
  EXPECT_FALSE((*snapshot->get("users/a")).has_value());
  EXPECT_FALSE((*snapshot->get("")).has_value());
  EXPECT_FALSE((*snapshot->get(std::string(5000, 'x'))).has_value());
}

TEST(DocumentWriter, ChecksTheExpectedChangeVector) {
  TestStore store;
  EXPECT_EQ(store.put("a", kUser, "A:1-x").error().code(), ErrorCode::concurrency);
  const std::string first = store.put("a", kUser, "")->change_vector;
  EXPECT_EQ(first, vector_of(1));
  EXPECT_EQ(store.put("A", kUser, "").error().code(), ErrorCode::concurrency);
  const std::string second = store.put("A", kUser, first)->change_vector;
  EXPECT_EQ(second, vector_of(2));
  EXPECT_EQ(store.put("a", kUser, first).error().code(), ErrorCode::concurrency);
  // By meaning: the tag does not count.
  EXPECT_TRUE(store.put("a", kUser, "Z" + second.substr(1)).has_value());
  EXPECT_TRUE(store.put("a", kUser, std::nullopt).has_value());
  EXPECT_EQ(store.erase("a", first).error().code(), ErrorCode::concurrency);
  EXPECT_EQ(store.erase("a", "").error().code(), ErrorCode::concurrency);
  EXPECT_TRUE(store.erase("a", vector_of(4))->deleted);
  EXPECT_EQ(store.erase("a", vector_of(4)).error().code(), ErrorCode::concurrency);
  EXPECT_FALSE(store.erase("a")->deleted);
  EXPECT_FALSE(store.erase("a", "")->deleted);
  EXPECT_TRUE(store.put("a", kUser, "").has_value());
}

TEST(DocumentWriter, LeavesTheTransactionAloneWhenAnExpectationFails) {
  TestStore store;
  ASSERT_TRUE(store.put("a", kUser).has_value());
  const PreparedDocument document = TestStore::prepare(kUser);
  ASSERT_TRUE(store
                  .write([&](DocumentWriter& writer) -> Result<void> {
                    EXPECT_FALSE(writer.put({"a", "", document, false}).has_value());
                    EXPECT_FALSE(writer.erase({"a", "A:9-x"}).has_value());
                    EXPECT_EQ(writer.change_count(), 0U);
                    // An id that was made is a change.
                    EXPECT_TRUE(writer.identity_next("x").has_value());
                    EXPECT_EQ(writer.change_count(), 1U);
                    return {};
                  })
                  .has_value());
  EXPECT_EQ(*store.read()->last_etag(), 1U);
}

TEST(DocumentWriter, GivesEveryChangeAnEtag) {
  TestStore store;
  EXPECT_EQ(store.put("a", kUser)->etag, 1U);
  EXPECT_EQ(store.put("b", kUser)->etag, 2U);
  EXPECT_EQ(store.put("a", kUser)->etag, 3U);
  EXPECT_EQ(store.erase("b")->etag, 4U);
  EXPECT_EQ(store.put("b", kUser)->etag, 5U);
  store.reopen();
  EXPECT_EQ(store.put("c", kUser)->etag, 6U);
  const DocumentStats stats = *store.read()->stats();
  EXPECT_EQ(stats.last_etag, 6U);
  EXPECT_EQ(stats.last_document_etag, 6U);
  EXPECT_EQ(stats.change_vector, vector_of(6));
  EXPECT_EQ(stats.document_count, 3U);
  EXPECT_EQ(stats.tombstone_count, 0U);
}

TEST(DocumentWriter, LeavesATombstoneOfADeletedDocument) {
  TestStore store;
  ASSERT_TRUE(store.put("Users/1", kUser).has_value());
  const DeleteResult deleted = *store.erase("users/1");
  EXPECT_EQ(deleted.change_vector, vector_of(2));
  EXPECT_EQ(deleted.collection, "Users");
  {
    const Snapshot snapshot = store.read();
    EXPECT_FALSE((*snapshot->get("users/1")).has_value());
    const std::optional<DocumentView> tombstone = *snapshot->get_tombstone("USERS/1");
    ASSERT_TRUE(tombstone.has_value());
    EXPECT_EQ(tombstone->id, "Users/1");
    EXPECT_EQ(tombstone->etag, 2U);
    EXPECT_EQ(tombstone->collection, "Users");
    EXPECT_TRUE(tombstone->is_tombstone);
  }
  ASSERT_TRUE(store.put("users/1", kUser).has_value());
  EXPECT_FALSE((*store.read()->get_tombstone("users/1")).has_value());
}

TEST(DocumentWriter, MovesADocumentBetweenCollectionsThroughATombstone) {
  TestStore store;
  ASSERT_TRUE(store.put("a", kUser).has_value());
  const PutResult moved = *store.put("a", R"({"@metadata":{"@collection":"Dogs"}})", vector_of(1));
  EXPECT_EQ(moved.etag, 3U);
  {
    const Snapshot snapshot = store.read();
    EXPECT_EQ(etags_of(snapshot, "users", false), std::vector<std::uint64_t>{});
    EXPECT_EQ(etags_of(snapshot, "USERS", true), std::vector<std::uint64_t>{2});
    EXPECT_EQ(etags_of(snapshot, "dogs", false), std::vector<std::uint64_t>{3});
    EXPECT_EQ(snapshot->stats()->document_count, 1U);
  }
  // Back again: now Dogs has the tombstone, and that of Users is gone.
  ASSERT_TRUE(store.put("a", kUser).has_value());
  const Snapshot snapshot = store.read();
  EXPECT_EQ(etags_of(snapshot, "Users", true), std::vector<std::uint64_t>{});
  EXPECT_EQ(etags_of(snapshot, "Dogs", true), std::vector<std::uint64_t>{4});
  EXPECT_EQ(etags_of(snapshot, "Users", false), std::vector<std::uint64_t>{5});
  const std::vector<CollectionStats> collections = *snapshot->collections();
  ASSERT_EQ(collections.size(), 2U);
  EXPECT_EQ(collections[0].name, "Dogs");
  EXPECT_EQ(collections[0].document_count, 0U);
  EXPECT_EQ(collections[0].tombstone_count, 1U);
  EXPECT_EQ(collections[0].document_bytes, 0U);
  EXPECT_EQ(collections[1].document_count, 1U);
}

TEST(DocumentWriter, KeepsACollectionThatDiffersOnlyInCase) {
  TestStore store;
  ASSERT_TRUE(store.put("a", kUser).has_value());
  EXPECT_EQ(store.put("a", R"({"@metadata":{"@collection":"uSERS"}})")->etag, 2U);
  EXPECT_EQ(store.read()->stats()->tombstone_count, 0U);
  EXPECT_EQ(store.read()->collections()->size(), 1U);
}

TEST(DocumentWriter, SkipsAnUnchangedDocumentOnlyWhenAsked) {
  TestStore store;
  const PutResult first = *store.put("a", kUser);
  const PutResult same = *store.put("A", kUser, std::nullopt, true);
  EXPECT_TRUE(same.unchanged);
  EXPECT_EQ(same.change_vector, first.change_vector);
  EXPECT_EQ(same.id, "a");
  EXPECT_EQ(*store.read()->last_etag(), 1U);
  EXPECT_FALSE(store.put("a", kUser)->unchanged);
  EXPECT_FALSE(
      store.put("a", R"({"Name":"y","@metadata":{"@collection":"Users"}})", std::nullopt, true)
          ->unchanged);
}

TEST(DocumentWriter, StoresContentAndDateAsTheyAre) {
  TestStore store;
  store.clock().set_wall(os::WallTime(os::Duration(1'764'504'896'123'456'789)));
  const std::string json = R"({"a":1.10,"b":[-0.0,1e5],"@metadata":{"@collection":"Users","k":1}})";
  const PutResult stored = *store.put("a", json);
  EXPECT_EQ(stored.last_modified, os::WallTime(os::Duration(1'764'504'896'123'456'700)));
  EXPECT_EQ(store.json("a"), json);
  const Snapshot snapshot = store.read();
  EXPECT_EQ((**snapshot->get("a")).last_modified, stored.last_modified);
}

TEST(DocumentWriter, RollbackLeavesNoTrace) {
  TestStore store;
  ASSERT_TRUE(store.put("a", kUser).has_value());
  const PreparedDocument dog = TestStore::prepare(R"({"@metadata":{"@collection":"Dogs"}})");
  ASSERT_TRUE(store
                  .write(
                      [&](DocumentWriter& writer) -> Result<void> {
                        RK_TRY(writer.put({"b", std::nullopt, dog, false}));
                        RK_TRY(writer.put({"dogs|", std::nullopt, dog, false}));
                        RK_TRY(writer.erase({"a", std::nullopt}));
                        RK_TRY(writer.hilo_next({.tag = "dogs"}));
                        return {};
                      },
                      false)
                  .has_value());
  {
    const Snapshot snapshot = store.read();
    const DocumentStats stats = *snapshot->stats();
    EXPECT_EQ(stats.document_count, 1U);
    EXPECT_EQ(stats.tombstone_count, 0U);
    EXPECT_EQ(stats.identity_count, 0U);
    EXPECT_EQ(stats.collection_count, 1U);
    EXPECT_EQ(stats.last_etag, 1U);
    EXPECT_EQ(stats.change_vector, vector_of(1));
  }
  EXPECT_EQ(store.put("dogs|", kUser)->id, "dogs/1");
  EXPECT_EQ(*store.read()->last_etag(), 2U);
}

TEST(DocumentWriter, KeepsTheIdOfTheDatabaseThatWroteFirst) {
  TestStore store;
  EXPECT_FALSE((*store.read()->database_id()).has_value());
  ASSERT_TRUE(store.put("a", kUser).has_value());
  EXPECT_EQ((**store.read()->database_id()), DatabaseId());
}

TEST(DocumentReader, ScansByPrefix) {
  TestStore store;
  for (const std::string_view id :
       {"users/1", "users/10", "Users/2", "users/21", "usersx", "user", "dogs/1"}) {
    ASSERT_TRUE(store.put(id, kUser).has_value());
  }
  const Snapshot snapshot = store.read();
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids(snapshot, {.starts_with = "USERS/"}),
            (Ids{"users/1", "users/10", "Users/2", "users/21"}));
  EXPECT_EQ(ids(snapshot, {}).size(), 7U);
  EXPECT_EQ(ids(snapshot, {.starts_with = "users/", .matches = "1*|?"}),
            (Ids{"users/1", "users/10", "Users/2"}));
  EXPECT_EQ(ids(snapshot, {.starts_with = "users/", .exclude = "1*"}),
            (Ids{"Users/2", "users/21"}));
  EXPECT_EQ(ids(snapshot, {.starts_with = "users/", .start_after = "Users/10"}),
            (Ids{"Users/2", "users/21"}));
  EXPECT_EQ(ids(snapshot, {.starts_with = "users/", .start_after = "dogs"}).size(), 4U);
  EXPECT_EQ(ids(snapshot, {.starts_with = "users/", .start_after = "zebras"}), Ids{});
  EXPECT_EQ(ids(snapshot, {.starts_with = "users/", .start = 1, .page_size = 2}),
            (Ids{"users/10", "Users/2"}));
  EXPECT_EQ(ids(snapshot, {.starts_with = "users/", .exclude = "1", .start = 1, .page_size = 1}),
            Ids{"Users/2"});
  EXPECT_EQ(ids(snapshot, {.starts_with = "users/", .page_size = 0}), Ids{});
}

TEST(HiLo, GivesOutRangesThatGrowWhenAskedForQuickly) {
  TestStore store;
  const os::WallTime start(std::chrono::hours(1'000));
  store.clock().set_wall(start);
  const auto next = [&store](const HiLoNextRequest& request) {
    HiLoRange range;
    const Result<void> written = store.write([&](DocumentWriter& writer) -> Result<void> {
      RK_TRY_ASSIGN(range, writer.hilo_next(request));
      return {};
    });
    EXPECT_TRUE(written.has_value());
    return range;
  };
  HiLoRange range = next({.tag = "users"});
  EXPECT_EQ(range.prefix, "users/");
  EXPECT_EQ(range.low, 1U);
  EXPECT_EQ(range.high, 32U);
  EXPECT_EQ(range.last_size, 32U);
  EXPECT_EQ(range.server_tag, "A");
  EXPECT_EQ(range.last_range_at, start);
  EXPECT_EQ(store.json("Raven/Hilo/users"), R"({"Max":32,"@metadata":{"@collection":"@hilo"}})");
  store.clock().set_wall(start + std::chrono::seconds(10));
  range = next({.tag = "users", .last_batch_size = 32, .last_range_at = start, .last_max = 32});
  EXPECT_EQ(range.low, 33U);
  EXPECT_EQ(range.high, 96U);
  // It lasted an hour: half as many.
  store.clock().set_wall(start + std::chrono::hours(1));
  range = next({.tag = "Users", .last_batch_size = 64, .last_range_at = start, .last_max = 96});
  EXPECT_EQ(range.high, 96U + 32U);
  EXPECT_EQ(range.prefix, "Users/");
}

TEST(HiLo, NeverGoesDownAndKeepsWhatElseTheDocumentSays) {
  TestStore store;
  const std::string mine = R"({"Max":12,"x":1,"@metadata":{"@collection":"HiloDocs","k":1}})";
  ASSERT_TRUE(store.put("Raven/Hilo/users", mine).has_value());
  ASSERT_TRUE(store
                  .write([](DocumentWriter& writer) -> Result<void> {
                    RK_TRY_ASSIGN(const HiLoRange range,
                                  writer.hilo_next({.tag = "users", .last_max = 64}));
                    EXPECT_EQ(range.low, 65U);
                    return {};
                  })
                  .has_value());
  EXPECT_EQ(store.json("raven/hilo/users"),
            R"({"Max":96,"x":1,"@metadata":{"@collection":"HiloDocs","k":1}})");
}

TEST(HiLo, TakesBackOnlyTheNewestRange) {
  TestStore store;
  const auto give_back = [&store](std::uint64_t last, std::uint64_t end) {
    return store.write([&](DocumentWriter& writer) {
      return writer.hilo_return({.tag = "users", .last = last, .end = end});
    });
  };
  EXPECT_TRUE(give_back(1, 32).has_value());  // there is no document
  EXPECT_EQ(*store.read()->last_etag(), 0U);
  ASSERT_TRUE(store.put("Raven/Hilo/users", R"({"Max":64})").has_value());
  EXPECT_TRUE(give_back(3, 32).has_value());
  EXPECT_EQ(store.json("Raven/Hilo/users"), R"({"Max":64})");
  EXPECT_TRUE(give_back(34, 64).has_value());
  EXPECT_EQ(store.json("Raven/Hilo/users"), R"({"Max":34})");
  EXPECT_EQ(give_back(35, 34).error().code(), ErrorCode::invalid_argument);
}

TEST(HiLo, IsRefusedBeyondWhatClientsCanCount) {
  TestStore store;
  ASSERT_TRUE(store.put("Raven/Hilo/x", R"({"Max":9007199254740990})").has_value());
  const Result<void> refused = store.write([](DocumentWriter& writer) -> Result<void> {
    RK_TRY(writer.hilo_next({.tag = "x"}));
    return {};
  });
  EXPECT_EQ(refused.error().code(), ErrorCode::too_large);
}

TEST(Identity, CountsAndIsSeededUpwardsUnlessForced) {
  TestStore store;
  ASSERT_TRUE(store
                  .write([](DocumentWriter& writer) -> Result<void> {
                    EXPECT_EQ(*writer.identity_next("users"), 1);
                    EXPECT_EQ(*writer.identity_next("USERS|"), 2);
                    EXPECT_EQ(*writer.identity_seed("users", 1990, false), 1990);
                    EXPECT_EQ(*writer.identity_next("users|"), 1991);
                    EXPECT_EQ(*writer.identity_seed("users|", 1975, false), 1991);
                    EXPECT_EQ(*writer.identity_seed("Users", 1975, true), 1975);
                    EXPECT_EQ(*writer.identity_seed("other", 7, false), 7);
                    EXPECT_EQ(writer.identity_next("").error().code(), ErrorCode::invalid_argument);
                    EXPECT_EQ(writer.identity_next("|").error().code(),
                              ErrorCode::invalid_argument);
                    return {};
                  })
                  .has_value());
  const std::vector<Identity> all = *store.read()->identities(0, 10);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "other|");
  EXPECT_EQ(all[1].name, "users|");
  EXPECT_EQ(all[1].value, 1975);
  EXPECT_EQ(store.read()->identities(1, 1)->size(), 1U);
}

TEST(DocumentWriter, PurgesTombstonesUpToAnEtag) {
  TestStore store;
  for (const std::string_view id : {"a", "b", "c"}) {
    ASSERT_TRUE(store.put(id, kUser).has_value());
    ASSERT_TRUE(store.erase(id).has_value());  // etags 2, 4, 6
  }
  std::uint64_t purged = 0;
  ASSERT_TRUE(store
                  .write([&](DocumentWriter& writer) -> Result<void> {
                    RK_TRY_ASSIGN(purged, writer.purge_tombstones(4, 10));
                    return {};
                  })
                  .has_value());
  EXPECT_EQ(purged, 2U);
  EXPECT_EQ(etags_of(store.read(), "Users", true), std::vector<std::uint64_t>{6});
  EXPECT_EQ(store.read()->collections()->front().tombstone_count, 1U);
  EXPECT_EQ(*store.read()->last_etag(), 6U);
  EXPECT_EQ(*store.read()->purged_etag("users"), 4U);
}

TEST(DocumentWriter, PurgingNotesHowFarItWentByCollection) {
  TestStore store;
  ASSERT_TRUE(store.put("users/1", kUser).has_value());
  ASSERT_TRUE(store.put("dogs/1", R"({"@metadata":{"@collection":"Dogs"}})").has_value());
  ASSERT_TRUE(store.erase("users/1").has_value());  // 3
  ASSERT_TRUE(store.erase("dogs/1").has_value());   // 4
  const auto purge = [&store](std::uint64_t up_to) {
    ASSERT_TRUE(store
                    .write([&](DocumentWriter& writer) -> Result<void> {
                      RK_TRY(writer.purge_tombstones(up_to, 10));
                      return {};
                    })
                    .has_value());
  };
  purge(2);
  EXPECT_EQ(*store.read()->purged_etag(""), 0U);
  purge(3);
  EXPECT_EQ(*store.read()->purged_etag("Users"), 3U);
  EXPECT_EQ(*store.read()->purged_etag("Dogs"), 0U);
  EXPECT_EQ(*store.read()->purged_etag(""), 3U);
  purge(9);
  EXPECT_EQ(*store.read()->purged_etag("Users"), 3U);
  EXPECT_EQ(*store.read()->purged_etag("Dogs"), 4U);
  EXPECT_EQ(*store.read()->purged_etag("Cats"), 0U);
  EXPECT_EQ(*store.read()->purged_etag(""), 4U);
}

}  // namespace
}  // namespace rookery::doc
