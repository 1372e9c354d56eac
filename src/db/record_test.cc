// SPDX-License-Identifier: Apache-2.0
#include "rookery/db/record.h"

#include <string>

#include <gtest/gtest.h>

#include "rookery/value/json.h"

#include "record_json.h"

namespace rookery::db {
namespace {

Result<DatabaseRecord> record_of(std::string_view json) {
  const Result<value::Document> parsed = value::parse_json(json);
  EXPECT_TRUE(parsed.has_value()) << json;
  return make_record("Shop", parsed->root());
}

TEST(DatabaseName, MayBeWhatAFolderMayBeCalled) {
  for (const std::string name :
       {"a", "test_db_1", "Shop-2.x", "\xc3\xa4pfel", "x.creating2", "creating"}) {
    EXPECT_TRUE(check_database_name(name).has_value()) << name;
  }
  EXPECT_TRUE(check_database_name(std::string(128, 'x')).has_value());
  for (const std::string name : {"", ".", "..", ".a", "a.", "a/b", "a\\b", "a b", "a:b", "a\tb",
                                 "a.creating", "A.DELETING", "\xff"}) {
    EXPECT_EQ(check_database_name(name).error().code(), ErrorCode::invalid_argument) << name;
  }
  EXPECT_FALSE(check_database_name(std::string("a\0b", 3)).has_value());
  EXPECT_FALSE(check_database_name(std::string(129, 'x')).has_value());
}

TEST(LockMode, IsKnownByName) {
  for (const LockMode mode :
       {LockMode::kUnlock, LockMode::kPreventDeletesIgnore, LockMode::kPreventDeletesError}) {
    EXPECT_EQ(*parse_lock_mode(lock_mode_name(mode)), mode);
  }
  EXPECT_FALSE(parse_lock_mode("unlock").has_value());
  EXPECT_FALSE(parse_lock_mode("").has_value());
}

TEST(DatabaseRecord, KeepsTheClientsMembersAndSaysItsOwn) {
  EXPECT_EQ(value::to_json(make_record("Shop", {})->json.root()),
            R"({"DatabaseName":"Shop","Disabled":false,"LockMode":"Unlock"})");
  const DatabaseRecord record =
      *record_of(R"({"Settings":{"a":"b"},"DatabaseName":"SHOP","Etag":7,"Topology":{},)"
                 R"("Disabled":true,"LockMode":"PreventDeletesError","Mine":[1]})");
  EXPECT_EQ(value::to_json(record.json.root()),
            R"({"DatabaseName":"Shop","Disabled":true,"LockMode":"PreventDeletesError",)"
            R"("Settings":{"a":"b"},"Mine":[1]})");
  EXPECT_TRUE(record.disabled);
  EXPECT_EQ(record.lock_mode, LockMode::kPreventDeletesError);
}

TEST(DatabaseRecord, RefusesWhatItDoesNotUnderstand) {
  for (const std::string json :
       {"1", "[]", R"({"DatabaseName":"Other"})", R"({"Disabled":1})", R"({"LockMode":"x"})",
        R"({"LockMode":1})", R"({"Settings":[]})", R"({"Settings":{"a":1}})"}) {
    EXPECT_EQ(record_of(json).error().code(), ErrorCode::invalid_argument) << json;
  }
  EXPECT_EQ(record_of(R"({"Encrypted":true})").error().code(), ErrorCode::not_supported);
  EXPECT_EQ(record_of(R"({"Sharding":{}})").error().code(), ErrorCode::not_supported);
  EXPECT_TRUE(record_of(R"({"Encrypted":false,"Sharding":null})").has_value());
}

TEST(DatabaseRecord, ChangesOneThingAtATime) {
  DatabaseRecord record = *record_of(R"({"Settings":{"a":"b"},"Mine":1})");
  record.etag = 5;
  const DatabaseRecord disabled = *changed_record(record, {.disabled = true});
  EXPECT_TRUE(disabled.disabled);
  EXPECT_EQ(disabled.etag, 5U);
  const value::Document settings = *value::parse_json(R"({"c":"d"})");
  const DatabaseRecord changed = *changed_record(disabled, {.settings = settings.root()});
  EXPECT_EQ(value::to_json(changed.json.root()),
            R"({"DatabaseName":"Shop","Disabled":true,"LockMode":"Unlock","Mine":1,)"
            R"("Settings":{"c":"d"}})");
  const value::Document bad = *value::parse_json(R"({"c":1})");
  EXPECT_FALSE(changed_record(record, {.settings = bad.root()}).has_value());
}

}  // namespace
}  // namespace rookery::db
