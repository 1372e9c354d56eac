// SPDX-License-Identifier: Apache-2.0
// The life of auto-indexes.
#include "rookery/index/indexes.h"

#include <atomic>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "index.h"
#include "test_indexes.h"

namespace rookery::index {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Until the housekeeper has done it; fails after a while.
void wait_until(const std::function<bool()>& holds) {
  os::Clock& clock = os::real_platform().clock;
  const os::MonotonicTime deadline = clock.monotonic() + std::chrono::seconds(30);
  while (!holds() && clock.monotonic() < deadline) {
    clock.sleep_for(milliseconds(5));
  }
  EXPECT_TRUE(holds());
}

std::size_t folder_count(TestIndexes& test) {
  const auto names = test.files().list("db/Indexes");
  return names.has_value() ? names->size() : 0;
}

TEST(Indexes, AreMadeByTheQueryThatNeedsOne) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann","age":30})");
  test.put("users/2", R"({"name":"Bob","age":40})");
  test.put("dogs/1", R"({"name":"Ann"})", "Dogs");
  EXPECT_THAT(test.indexes().names(), IsEmpty());
  const Answer answer = test.expect("from users where age > 35");
  EXPECT_THAT(answer.ids(), ElementsAre("users/2"));
  EXPECT_EQ(answer.index_name(), "Auto/users/Byage");
  EXPECT_FALSE(answer.is_stale());
  EXPECT_THAT(test.indexes().names(), ElementsAre("Auto/users/Byage"));
  // The same, whatever the case of the collection.
  EXPECT_EQ(test.expect("from Users where age = 30").index_name(), "Auto/users/Byage");
}

TEST(Indexes, FollowPutsAndDeletes) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann"})");
  EXPECT_THAT(test.ids("from Users where name = 'ann'"), ElementsAre("users/1"));
  test.put("users/2", R"({"name":"ANN"})");
  test.put("users/1", R"({"name":"Bob"})");
  EXPECT_THAT(test.ids("from Users where name = 'ann'"), ElementsAre("users/2"));
  test.erase("users/2");
  EXPECT_THAT(test.ids("from Users where name = 'ann'"), IsEmpty());
  // A document that changes its collection leaves the index.
  test.put("users/1", R"({"name":"Bob"})", "Dogs");
  EXPECT_THAT(test.ids("from Users where name = 'bob'"), IsEmpty());
  test.put("users/1", R"({"name":"Bob"})");
  EXPECT_THAT(test.ids("from Users where name = 'bob'"), ElementsAre("users/1"));
}

TEST(Indexes, HoldNothingButTheWordsOfWhatIsOnlySearched) {
  TestIndexes test;
  test.put("users/1", R"({"bio":"Red fox","age":3})");
  test.put("users/2", R"({"bio":"2020-01-01","age":3})");
  const Answer searched = test.expect("from Users where search(bio, 'fox') and age = 3");
  EXPECT_THAT(searched.ids(), ElementsAre("users/1"));
  EXPECT_EQ(searched.index_name(), "Auto/Users/BySearch(bio)Andage");
  const auto terms = [&](std::string_view index, std::string_view field) {
    const auto found = test.indexes().terms(index, field, "", 10);
    EXPECT_TRUE(found.has_value() && found->has_value());
    return found.has_value() ? found->value_or(std::vector<std::string>())
                             : std::vector<std::string>();
  };
  EXPECT_THAT(terms(searched.index_name(), "search(bio)"), ElementsAre("01", "2020", "fox", "red"));
  EXPECT_THAT(terms(searched.index_name(), "bio"), IsEmpty());
  EXPECT_THAT(terms(searched.index_name(), "time(bio)"), IsEmpty());
  // What compares, looks for or orders by the plain values needs them.
  for (const std::string_view query :
       {"from Users where bio = 'red fox'",
        "from Users where exists(bio) and age = 3 order by bio desc limit 1",
        "from Users where search(bio, 'fox') order by bio"}) {
    const Answer plain = test.expect(query);
    EXPECT_THAT(plain.ids(), ElementsAre("users/1")) << query;
    EXPECT_EQ(plain.index_name(), "Auto/Users/BybioAndSearch(bio)Andage");
  }
  EXPECT_THAT(terms("Auto/Users/BybioAndSearch(bio)Andage", "bio"),
              ElementsAre("2020-01-01", "red fox"));
}

TEST(Indexes, OfAllDocumentsHoldEveryCollection) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann"})");
  test.put("dogs/1", R"({"name":"Ann"})", "Dogs");
  EXPECT_THAT(test.ids("from @all_docs where name = 'Ann'"),
              UnorderedElementsAre("users/1", "dogs/1"));
  test.put("dogs/1", R"({"name":"Ann"})", "Users");
  test.erase("users/1");
  EXPECT_THAT(test.ids("from @all_docs where name = 'Ann'"), ElementsAre("dogs/1"));
}

TEST(Indexes, WidenAndTheNarrowOneGoes) {
  Settings settings;
  settings.superseded_kept = milliseconds(1);
  TestIndexes test(settings);
  test.put("users/1", R"({"name":"Ann","age":30})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
  const Answer wide = test.expect("from Users where age = 30");
  EXPECT_EQ(wide.index_name(), "Auto/Users/BynameAndage");
  EXPECT_THAT(wide.ids(), ElementsAre("users/1"));
  wait_until([&] { return folder_count(test) == 1; });
  EXPECT_THAT(test.indexes().names(), ElementsAre("Auto/Users/BynameAndage"));
  EXPECT_EQ(test.expect("from Users where name = 'Ann'").index_name(), "Auto/Users/BynameAndage");
}

TEST(Indexes, SurviveARestart) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann"})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
  test.reopen();
  EXPECT_THAT(test.indexes().names(), ElementsAre("Auto/Users/Byname"));
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
  // What was written while nobody indexed.
  EXPECT_TRUE(test.indexes().set_paused("", true));
  test.put("users/2", R"({"name":"Ann"})");
  test.erase("users/1");
  test.reopen();
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/2"));
}

TEST(Indexes, PausedOnesSayThatTheyAreStale) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann"})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
  EXPECT_TRUE(test.indexes().set_paused("auto/users/byname", true));
  test.put("users/2", R"({"name":"Ann"})");
  const Result<Answer> stale = test.ask("from Users where name = 'Ann'", "{}", std::nullopt);
  ASSERT_TRUE(stale.has_value()) << stale.error().to_string();
  EXPECT_TRUE(stale->is_stale());
  EXPECT_THAT(stale->ids(), ElementsAre("users/1"));
  const Result<Answer> waited =
      test.ask("from Users where name = 'Ann'", "{}", os::Duration(milliseconds(20)));
  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().code(), ErrorCode::timed_out);
  // A deletion makes it stale as well.
  EXPECT_TRUE(test.indexes().set_paused("", false));
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1", "users/2"));
  EXPECT_TRUE(test.indexes().set_paused("", true));
  test.erase("users/1");
  const Result<Answer> after = test.ask("from Users where name = 'Ann'", "{}", std::nullopt);
  ASSERT_TRUE(after.has_value());
  EXPECT_TRUE(after->is_stale());
  // What other collections do does not.
  EXPECT_TRUE(test.indexes().set_paused("", false));
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/2"));
  EXPECT_TRUE(test.indexes().set_paused("", true));
  test.put("dogs/1", R"({"name":"Rex"})", "Dogs");
  const Result<Answer> other = test.ask("from Users where name = 'Ann'", "{}", std::nullopt);
  ASSERT_TRUE(other.has_value());
  EXPECT_FALSE(other->is_stale());
}

// What comes after the cut-off is not waited for, but only who asked to wait may be told so.
TEST(Indexes, NewOnesSayThatTheyAreStaleWhereNobodyAskedToWait) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann"})");
  test.before_run = [&] {
    EXPECT_TRUE(test.indexes().set_paused("", true));
    test.put("users/1", R"({"name":"Bob"})");
  };
  const Result<Answer> made = test.ask("from Users where name = 'Ann'", "{}", std::nullopt);
  ASSERT_TRUE(made.has_value()) << made.error().to_string();
  EXPECT_TRUE(made->is_stale());

  test.before_run = nullptr;
  EXPECT_TRUE(test.indexes().set_paused("", false));
  EXPECT_THAT(test.ids("from Users where name = 'Bob'"), ElementsAre("users/1"));
  test.before_run = [&] { test.put("users/2", R"({"name":"Bob"})"); };
  EXPECT_FALSE(test.expect("from Users where name = 'Bob'").is_stale());
}

TEST(Indexes, DisabledOnesStayDisabledAcrossARestart) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann"})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
  ASSERT_TRUE(test.indexes().set_disabled("Auto/Users/Byname", true).value());
  test.put("users/2", R"({"name":"Ann"})");
  test.reopen();
  const auto info = test.indexes().info("Auto/Users/Byname");
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ((*info)->state, IndexState::kDisabled);
  EXPECT_TRUE((*info)->is_stale);
  ASSERT_TRUE(test.indexes().set_disabled("Auto/Users/Byname", false).value());
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1", "users/2"));
}

TEST(Indexes, OfAnotherHistoryAreBuiltAnew) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann"})");
  test.put("users/2", R"({"name":"Ann"})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1", "users/2"));
  // The documents come back from an older copy: empty, and their etags begin again.
  test.close();
  const auto names = test.files().list("db");
  ASSERT_TRUE(names.has_value());
  for (const std::string& name : *names) {
    if (name != "Indexes") {
      const std::string path = os::join_path("db", name);
      const auto info = test.files().info(path);
      ASSERT_TRUE(info.has_value());
      const Result<void> removed = (*info)->is_directory ? os::remove_tree(test.files(), path)
                                                         : test.files().remove_file(path);
      ASSERT_TRUE(removed.has_value());
    }
  }
  test.open();
  test.put("users/9", R"({"name":"Ann"})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/9"));
}

TEST(Indexes, ADamagedOneTakesOnlyItselfDownUntilItIsReset) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann"})");
  test.put("dogs/1", R"({"name":"Rex"})", "Dogs");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
  EXPECT_THAT(test.ids("from Dogs where name = 'Rex'"), ElementsAre("dogs/1"));
  test.close();
  const auto folders = test.files().list("db/Indexes");
  ASSERT_TRUE(folders.has_value());
  for (const std::string& folder : *folders) {
    if (folder.find("Users") != std::string::npos) {
      for (const std::string_view header : {"header.one", "header.two"}) {
        auto file = test.files().open(os::join_path("db/Indexes/" + folder, header), {});
        ASSERT_TRUE(file.has_value());
        ASSERT_TRUE((*file)->write_at(0, as_bytes("this is no header at all")).has_value());
      }
    }
  }
  test.open();
  EXPECT_THAT(test.ids("from Dogs where name = 'Rex'"), ElementsAre("dogs/1"));
  const Result<Answer> refused = test.ask("from Users where name = 'Ann'");
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(std::string(refused.error().message()), testing::HasSubstr("faulty"));
  const auto info = test.indexes().info("Auto/Users/Byname");
  ASSERT_TRUE(info.has_value() && info->has_value());
  EXPECT_EQ((*info)->state, IndexState::kFaulty);
  ASSERT_TRUE(test.indexes().reset("Auto/Users/Byname").value());
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
}

TEST(Indexes, CanBeDeletedAndResetWhileAsked) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann"})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
  EXPECT_TRUE(test.indexes().reset("Auto/Users/Byname").value());
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
  EXPECT_TRUE(test.indexes().erase("AUTO/USERS/BYNAME").value());
  EXPECT_FALSE(test.indexes().erase("Auto/Users/Byname").value());
  wait_until([&] { return folder_count(test) == 0; });
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
}

TEST(Indexes, UnusedOnesGoIdleAndThenAway) {
  Settings settings;
  settings.idle_after = milliseconds(1);
  settings.delete_after_idle = milliseconds(1);
  settings.housekeeping_interval = milliseconds(1);
  TestIndexes test(settings);
  test.put("users/1", R"({"name":"Ann"})");
  static_cast<void>(test.ask("from Users where name = 'Ann'"));
  wait_until([&] { return test.indexes().names().empty() && folder_count(test) == 0; });
}

TEST(Indexes, ALockKeepsOneFromBeingRetired) {
  Settings settings;
  settings.superseded_kept = milliseconds(1);
  TestIndexes test(settings);
  test.put("users/1", R"({"name":"Ann","age":30})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
  ASSERT_TRUE(test.indexes().set_lock("Auto/Users/Byname", IndexLock::kLockedIgnore).value());
  EXPECT_EQ(test.expect("from Users where age = 30").index_name(), "Auto/Users/Byage");
  EXPECT_THAT(test.indexes().names(), ElementsAre("Auto/Users/Byage", "Auto/Users/Byname"));
}

TEST(Indexes, SayWhichTombstonesTheyNeed) {
  TestIndexes test;
  EXPECT_FALSE(test.indexes().tombstones_needed_after().has_value());
  test.put("users/1", R"({"name":"Ann"})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
  EXPECT_TRUE(test.indexes().set_paused("", true));
  test.erase("users/1");
  EXPECT_EQ(test.indexes().tombstones_needed_after(), 1U);
  EXPECT_TRUE(test.indexes().set_paused("", false));
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), IsEmpty());
  EXPECT_EQ(test.indexes().tombstones_needed_after(), 2U);
  // Those of other collections are not held back.
  test.put("dogs/1", R"({"name":"Rex"})", "Dogs");
  test.erase("dogs/1");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), IsEmpty());
  EXPECT_EQ(test.indexes().tombstones_needed_after(), 4U);
}

// The contents of files, to bring them back.
std::map<std::string, std::string> contents(os::FileSystem& files, const std::string& folder) {
  std::map<std::string, std::string> all;
  const auto names = files.list(folder);
  EXPECT_TRUE(names.has_value());
  for (const std::string_view header : {"header.one", "header.two"}) {
    const std::string path = folder + "/" + names->front() + "/" + std::string(header);
    auto file = files.open(path, {});
    EXPECT_TRUE(file.has_value());
    std::string text((*file)->info().value().size_bytes, '\0');
    EXPECT_TRUE(
        (*file)
            ->read_at(0, MutableBytes(reinterpret_cast<std::byte*>(text.data()), text.size()))
            .has_value());
    all.emplace(path, text);
  }
  return all;
}

void overwrite(os::FileSystem& files, const std::string& path, std::string_view text) {
  auto file = files.open(path, {});
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE((*file)->write_at(0, as_bytes(text)).has_value());
}

// They would for ever. What can be read again later and has missed something begins anew.
TEST(Indexes, DamagedOnesHoldBackNoTombstones) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann"})");
  test.put("users/2", R"({"name":"Ann"})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1", "users/2"));
  test.close();
  const std::map<std::string, std::string> headers = contents(test.files(), "db/Indexes");
  for (const auto& [path, text] : headers) {
    overwrite(test.files(), path, "this is no header at all");
  }
  test.open();
  const auto info = test.indexes().info("Auto/Users/Byname");
  ASSERT_TRUE(info.has_value() && info->has_value());
  EXPECT_EQ((*info)->state, IndexState::kFaulty);
  test.erase("users/1");
  EXPECT_FALSE(test.indexes().tombstones_needed_after().has_value());
  test.write(
      [](doc::DocumentWriter& writer) { ASSERT_EQ(writer.purge_tombstones(3, 100).value(), 1U); });
  test.close();
  for (const auto& [path, text] : headers) {
    overwrite(test.files(), path, text);
  }
  test.open();
  const Answer answer = test.expect("from Users where name = 'Ann'");
  EXPECT_THAT(answer.ids(), ElementsAre("users/2"));
  EXPECT_EQ(answer.total(), 1);
  EXPECT_FALSE(answer.is_stale());
}

// Of a quiet collection whose tombstones went when the index had seen them.
TEST(Indexes, AreNotBuiltAnewForTombstonesTheyHaveSeen) {
  std::atomic<int> warnings = 0;
  TestIndexes test;
  test.set_log([&warnings](Severity, std::string_view) { ++warnings; });
  test.put("users/1", R"({"name":"Ann"})");
  test.put("users/2", R"({"name":"Ann"})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1", "users/2"));
  test.erase("users/1");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/2"));
  test.put("dogs/1", R"({"name":"Rex"})", "Dogs");
  test.erase("dogs/1");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/2"));
  test.write([&test](doc::DocumentWriter& writer) {
    const std::uint64_t seen = test.indexes().tombstones_needed_after().value();
    EXPECT_EQ(seen, 5U);
    ASSERT_EQ(writer.purge_tombstones(seen, 100).value(), 2U);
  });
  test.reopen();
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/2"));
  EXPECT_EQ(warnings.load(), 0);
}

TEST(Indexes, TermsAreShownAsPeopleReadThem) {
  TestIndexes test;
  test.put("users/1", R"({"name":["Ann","BOB",3,null]})");
  EXPECT_THAT(test.ids("from Users where name = 'ann'"), ElementsAre("users/1"));
  const auto terms = test.indexes().terms("Auto/Users/Byname", "name", "", 100);
  ASSERT_TRUE(terms.has_value() && terms->has_value());
  EXPECT_THAT(**terms, ElementsAre("null", "3", "ann", "bob"));
  const auto after = test.indexes().terms("Auto/Users/Byname", "name", "ann", 100);
  EXPECT_THAT(**after, ElementsAre("bob"));
}

TEST(Indexes, VerifyFindsThemSound) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann"})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann' and search(bio, 'x')"), IsEmpty());
  const auto problems = test.indexes().verify();
  ASSERT_TRUE(problems.has_value()) << problems.error().to_string();
  EXPECT_THAT(*problems, IsEmpty());
}

TEST(Indexes, WaitersAreToldWhenAllOfACollectionHaveCaughtUp) {
  TestIndexes test;
  test.put("users/1", R"({"name":"Ann"})");
  EXPECT_THAT(test.ids("from Users where name = 'Ann'"), ElementsAre("users/1"));
  os::Event done;
  bool reached = false;
  const auto note = [&](bool outcome) {
    reached = outcome;
    done.set();
  };
  test.put("users/2", R"({"name":"Ann"})");
  test.indexes().wait_for({"Users"}, {}, 2, std::chrono::seconds(30), note);
  done.wait();
  EXPECT_TRUE(reached);
  done.reset();
  EXPECT_TRUE(test.indexes().set_paused("", true));
  test.put("users/3", R"({"name":"Ann"})");
  test.indexes().wait_for({}, {"Auto/Users/Byname"}, 3, milliseconds(10), note);
  done.wait();
  EXPECT_FALSE(reached);
  done.reset();
  // Of another collection: nothing to wait for.
  test.indexes().wait_for({"Dogs"}, {}, 3, std::chrono::seconds(30), note);
  done.wait();
  EXPECT_TRUE(reached);
}

// Its turn among the indexes: as its priority says, but first while a query waits.
TEST(Indexes, TakeTurnsByPriorityAndBeforeAllWhileAwaited) {
  os::MemoryFileSystem files;
  os::Platform memory{files, os::real_platform().clock, os::real_platform().random,
                      os::real_platform().threads};
  store::EnvironmentOptions options;
  options.path = "db";
  auto documents = store::Environment::open(memory, options);
  ASSERT_TRUE(documents.has_value());
  os::Executor executor(memory, "rk.index", 1);
  const Surroundings around{.platform = memory,
                            .executor = executor,
                            .documents = **documents,
                            .database = {},
                            .settings = {},
                            .environment = options,
                            .log = nullptr};
  Definition definition{.name = "Auto/Users/Byname", .collection = "Users", .fields = {}};
  auto index = Index::create(around, "db/Indexes/1", std::move(definition), StoredSettings());
  ASSERT_TRUE(index.has_value());
  EXPECT_EQ((*index)->priority(), os::Priority::kNormal);
  ASSERT_TRUE((*index)->set_priority(IndexPriority::kLow).has_value());
  EXPECT_EQ((*index)->priority(), os::Priority::kLow);
  (*index)->set_paused(true);  // or the waiter would be told at once
  (*index)->start();
  os::Event told;
  (*index)->wait(7, os::MonotonicTime::max(), [&told](WaitOutcome) { told.set(); });
  EXPECT_EQ((*index)->priority(), os::Priority::kHigh);
  (*index)->set_waiting(false);
  told.wait();
  EXPECT_EQ((*index)->priority(), os::Priority::kLow);
  ASSERT_TRUE((*index)->set_priority(IndexPriority::kHigh).has_value());
  EXPECT_EQ((*index)->priority(), os::Priority::kHigh);
  EXPECT_TRUE((*index)->close().has_value());
  index->reset();
  EXPECT_TRUE((*documents)->close().has_value());
}

}  // namespace
}  // namespace rookery::index
