// SPDX-License-Identifier: Apache-2.0
#include "rookery/store/table.h"

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/base/test_seed.h"

#include "raw_section.h"
#include "structure_test_support.h"
#include "table_access.h"
#include "table_test_support.h"

namespace rookery::store {
namespace {

class TableTest : public testing::Test {
 protected:
  void put(const TestRow& row) {
    const Result<void> result = table().put(as_bytes(row.encode()));
    ASSERT_TRUE(result.has_value()) << result.error().to_string();
  }

  ErrorCode put_error(const TestRow& row) {
    const Result<void> result = table().put(as_bytes(row.encode()));
    return result.has_value() ? ErrorCode{} : result.error().code();
  }

  bool erase(const std::string& id) {
    const Result<bool> result = table().erase(as_bytes(id));
    EXPECT_TRUE(result.has_value()) << result.error().to_string();
    return result.has_value() && *result;
  }

  std::string body(const std::string& id) {
    const auto row = table().view().get(as_bytes(id));
    return body_of(row);
  }

  std::string body_by_number(std::int64_t number) {
    const auto row = table().view().get_by(kByNumber, number);
    return body_of(row);
  }

  static std::string body_of(const Result<std::optional<Bytes>>& row) {
    EXPECT_TRUE(row.has_value());
    TestRowView view;
    if (!row.has_value() || !row->has_value() || !view_test_row(**row, view)) {
      return "(none)";
    }
    return std::string(view.body);
  }

  std::string ids_by_tag(const std::string& from, bool descending) {
    std::string ids;
    const auto result = table().view().scan_index(kByTag, as_bytes(from), descending,
                                                  [&](Bytes, Bytes bytes) -> Result<bool> {
                                                    TestRowView row;
                                                    EXPECT_TRUE(view_test_row(bytes, row));
                                                    ids += std::string(row.id) + " ";
                                                    return true;
                                                  });
    EXPECT_TRUE(result.has_value());
    return ids;
  }

  std::string audit() {
    StructureAudit audit(pages_);
    audit.table(state_, &kTestSchema);
    return audit.report();
  }

  std::optional<StorageId> find_in_primary(const std::string& id) {
    return *find_in_index(pages_, IndexKind::kBytes, state_.primary, as_bytes(id));
  }

  MutableTable table() { return {pages_, kTestSchema, state_}; }

  FakePages pages_;
  TableState state_ = TableState::create(kTestSchema, 20);
};

TEST_F(TableTest, ReadsAsEmptyBeforeItExists) {
  const Table none(pages_, kTestSchema, nullptr);
  EXPECT_FALSE(none.get(as_bytes("a"))->has_value());
  EXPECT_FALSE(none.get_by(kByNumber, 1)->has_value());
  EXPECT_EQ(none.row_count(), 0U);
  const auto fail = [](Bytes, Bytes) -> Result<bool> { return ErrorCode::io; };
  EXPECT_TRUE(none.scan_primary({}, false, fail).has_value());
  EXPECT_TRUE(none.scan_index(kByTag, {}, true, fail).has_value());
}

TEST_F(TableTest, FindsARowByEachOfItsKeys) {
  put({.id = "a", .number = 7, .tag = "red", .body = "one"});
  put({.id = "b", .number = 8, .tag = "red", .body = "two"});
  put({.id = "c", .number = 0, .tag = "", .body = "three"});
  EXPECT_EQ(body("a"), "one");
  EXPECT_EQ(body_by_number(8), "two");
  EXPECT_EQ(body("c"), "three");
  EXPECT_EQ(body_by_number(0), "(none)");
  EXPECT_EQ(ids_by_tag("", false), "a b ");
  EXPECT_EQ(ids_by_tag("red/b", true), "b a ");
  EXPECT_EQ(table().view().row_count(), 3U);
  EXPECT_EQ(audit(), "");
}

TEST_F(TableTest, UpdateChangesOnlyTheIndexesWhoseKeyChanged) {
  for (int i = 1; i <= 2'000; ++i) {
    put({.id = fmt::format("{:05}", i), .number = i, .tag = "t", .body = "0123456789"});
  }
  pages_.commit();
  put({.id = "01000", .number = 1'000, .tag = "t", .body = "9876543210"});
  EXPECT_EQ(pages_.modified_pages(), 1U);  // the row's page
  put({.id = "01000", .number = 5'000, .tag = "t", .body = "9876543210"});
  EXPECT_EQ(body_by_number(5'000), "9876543210");
  EXPECT_EQ(body_by_number(1'000), "(none)");
  EXPECT_EQ(audit(), "");
}

TEST_F(TableTest, RefusesADuplicateKeyAndChangesNothing) {
  put({.id = "a", .number = 7, .tag = "red", .body = "one"});
  put({.id = "b", .number = 8, .tag = "red", .body = "two"});
  EXPECT_EQ(put_error({.id = "b", .number = 7, .tag = "blue", .body = "new"}),
            ErrorCode::already_exists);
  EXPECT_EQ(put_error({.id = "c", .number = 8, .tag = "blue", .body = "new"}),
            ErrorCode::already_exists);
  EXPECT_EQ(put_error({.id = "", .number = 9, .tag = "", .body = ""}), ErrorCode::invalid_argument);
  EXPECT_EQ(body("b"), "two");
  EXPECT_EQ(ids_by_tag("", false), "a b ");
  EXPECT_EQ(audit(), "");
}

TEST_F(TableTest, RowsGrowMoveAndShrinkAcrossEverySize) {
  put({.id = "a", .number = 1, .tag = "t", .body = ""});
  put({.id = "b", .number = 2, .tag = "t", .body = std::string(4'000, 'b')});
  for (const std::size_t size :
       {std::size_t{100}, std::size_t{4'000}, kRawRowSizeMax - 12, kRawRowSizeMax - 11,
        std::size_t{50'000}, std::size_t{49'000}, std::size_t{9'000}, kRawRowSizeMax - 12,
        std::size_t{10}, std::size_t{0}}) {
    put({.id = "a", .number = 1, .tag = "t", .body = std::string(size, 'a')});
    EXPECT_EQ(body("a"), std::string(size, 'a'));
    EXPECT_EQ(body_by_number(1), std::string(size, 'a'));
    EXPECT_EQ(audit(), "") << size;
  }
  EXPECT_EQ(state_.large_rows, 0U);
  EXPECT_EQ(body("b"), std::string(4'000, 'b'));
  EXPECT_TRUE(erase("a"));
  EXPECT_TRUE(erase("b"));
  EXPECT_EQ(pages_.page_count(), 0U);
}

TEST_F(TableTest, FillsTheHolesThatErasedRowsLeave) {
  const std::string big(2'000, 'x');
  for (int i = 1; i <= 400; ++i) {
    put({.id = fmt::format("{:05}", i), .number = i, .tag = "", .body = big});
  }
  const std::uint64_t pages_full = state_.raw_pages;
  for (int i = 1; i <= 400; i += 2) {
    EXPECT_TRUE(erase(fmt::format("{:05}", i)));
  }
  EXPECT_EQ(state_.raw_pages, pages_full);
  for (int i = 1; i <= 400; i += 2) {
    put({.id = fmt::format("{:05}", i + 1'000), .number = i + 1'000, .tag = "", .body = big});
  }
  EXPECT_LE(state_.raw_pages, pages_full + 1);
  EXPECT_EQ(audit(), "");
}

// Moving is an ordinary change: every row is moved, and only storage ids differ afterwards.
TEST_F(TableTest, EveryRowCanMoveAndNobodySees) {
  Prng prng(test_seed());
  std::map<std::string, std::string> bodies;
  for (int i = 1; i <= 300; ++i) {
    TestRow row{.id = fmt::format("{:05}", i), .number = i, .tag = "t", .body = ""};
    row.body.assign(prng.chance(10) ? prng.below(30'000) : prng.below(500), 'm');
    bodies[row.id] = row.body;
    put(row);
  }
  const std::string order = ids_by_tag("", false);
  for (const auto& entry : bodies) {
    const auto before = find_in_primary(entry.first);
    ASSERT_TRUE(*table().move_row(as_bytes(entry.first)));
    EXPECT_NE(find_in_primary(entry.first), before);
  }
  EXPECT_FALSE(*table().move_row(as_bytes("nobody")));
  EXPECT_EQ(audit(), "");
  for (const auto& [id, expected] : bodies) {
    EXPECT_EQ(body(id), expected);
    EXPECT_EQ(body_by_number(std::stoll(id)), expected);
  }
  EXPECT_EQ(ids_by_tag("", false), order);
}

// Every second row goes; moving the rest empties pages without needing new ones.
TEST_F(TableTest, MovingRowsGivesPagesBack) {
  for (int i = 1; i <= 400; ++i) {
    put({.id = fmt::format("{:05}", i), .number = i, .tag = "", .body = std::string(2'000, 'x')});
  }
  const std::uint64_t pages_full = state_.raw_pages;
  for (int i = 1; i <= 400; i += 2) {
    EXPECT_TRUE(erase(fmt::format("{:05}", i)));
  }
  for (int i = 2; i <= 400; i += 2) {
    ASSERT_TRUE(*table().move_row(as_bytes(fmt::format("{:05}", i))));
  }
  EXPECT_LE(state_.raw_pages, pages_full / 2 + 3);
  EXPECT_EQ(audit(), "");
}

TEST_F(TableTest, ScansByInt64BothWaysAndStopsWhenTold) {
  for (int i = 1; i <= 1'000; ++i) {
    put({.id = fmt::format("{:05}", 5'000 - i), .number = i, .tag = "", .body = ""});
  }
  std::vector<std::int64_t> seen;
  const Table::Int64Visitor take_three = [&](std::int64_t key, Bytes row) -> Result<bool> {
    TestRowView view;
    EXPECT_TRUE(view_test_row(row, view));
    EXPECT_EQ(view.number, key);
    seen.push_back(key);
    return seen.size() < 3;
  };
  ASSERT_TRUE(table().view().scan_int64(kByNumber, 500, false, take_three).has_value());
  EXPECT_EQ(seen, (std::vector<std::int64_t>{500, 501, 502}));
  seen.clear();
  ASSERT_TRUE(table().view().scan_int64(kByNumber, 500, true, take_three).has_value());
  EXPECT_EQ(seen, (std::vector<std::int64_t>{500, 499, 498}));
  std::string ids;
  ASSERT_TRUE(table()
                  .view()
                  .scan_primary(as_bytes("04002"), true,
                                [&](Bytes key, Bytes) -> Result<bool> {
                                  ids += std::string(as_text(key)) + " ";
                                  return true;
                                })
                  .has_value());
  EXPECT_EQ(ids, "04002 04001 04000 ");
}

TEST_F(TableTest, AVisitorsErrorEndsTheScan) {
  put({.id = "a", .number = 1, .tag = "t", .body = ""});
  const auto result = table().view().scan_primary(
      {}, false, [](Bytes, Bytes) -> Result<bool> { return ErrorCode::cancelled; });
  EXPECT_EQ(result.error().code(), ErrorCode::cancelled);
}

// What verify() is for: each kind of disagreement is named.
TEST_F(TableTest, TheCheckerFindsEachDisagreement) {
  for (int i = 1; i <= 50; ++i) {
    put({.id = fmt::format("{:05}", i), .number = i, .tag = "t", .body = "body"});
  }
  const TableState sound = state_;
  pages_.commit();
  ASSERT_EQ(audit(), "");
  const auto find_problem = [&](std::string_view text) {
    const std::string report = audit();
    EXPECT_NE(report.find(text), std::string::npos) << text << " is not in: " << report;
    pages_.rollback();
    state_ = sound;
  };
  ASSERT_TRUE(*MutableFixedTree(pages_, state_.secondary[kByNumber].root).erase(7));
  find_problem("index 'number' lacks a row");
  ASSERT_TRUE(*MutableTree(pages_, state_.secondary[kByTag].root).erase(as_bytes("t/00009")));
  find_problem("index 'tag' lacks a row");
  const std::string value(8, '\1');
  ASSERT_TRUE(MutableTree(pages_, state_.secondary[kByTag].root)
                  .put(as_bytes("u/1"), as_bytes(value))
                  .has_value());
  find_problem("50 rows with a key counted, 51 stated");
  ASSERT_TRUE(*MutableTree(pages_, state_.primary).erase(as_bytes("00005")));
  find_problem("50 rows counted, 49 stated");
  RawWriter rows(pages_, state_);
  const auto id = find_in_primary("00006");
  ASSERT_TRUE(rows.erase(*id).has_value());
  find_problem("a storage id leads to no row");
  ++state_.raw_pages;
  find_problem("pages of rows counted");
  ++state_.primary.leaf_pages;
  find_problem("leaf pages counted");
}

TEST_F(TableTest, AStorageIdHoldsPageSlotAndGeneration) {
  const RowPlace place{
      .page = PageNo((std::uint64_t{1} << 40) - 1), .slot = 1'022, .generation = 16'383};
  const RowPlace back = decode_storage_id(encode_storage_id(place));
  EXPECT_EQ(back.page, place.page);
  EXPECT_EQ(back.slot, place.slot);
  EXPECT_EQ(back.generation, place.generation);
}

TEST_F(TableTest, AStaleStorageIdLeadsNowhere) {
  put({.id = "a", .number = 1, .tag = "", .body = "one"});
  const auto stale = find_in_primary("a");
  put({.id = "b", .number = 2, .tag = "", .body = "two"});
  EXPECT_TRUE(erase("a"));
  put({.id = "c", .number = 3, .tag = "", .body = "one"});  // takes the slot
  EXPECT_EQ(decode_storage_id(*find_in_primary("c")).slot, decode_storage_id(*stale).slot);
  EXPECT_EQ(read_row(pages_, state_.rows_owner, *stale).error().code(), ErrorCode::corrupt);
}

}  // namespace
}  // namespace rookery::store
