// SPDX-License-Identifier: Apache-2.0
// Tables against a map of rows.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "class_coverage.h"
#include "raw_section.h"
#include "structure_test_support.h"
#include "table_test_support.h"

namespace rookery::store {
namespace {

using Model = std::map<std::string, TestRow>;

struct Operation {
  enum Kind { kPut, kErase, kMove } kind = kPut;

  int id = 0;
  int number = 0;
  int tag = 0;
  std::size_t body_size = 0;
};

void showValue(const Operation& operation, std::ostream& to) {  // NOLINT: RapidCheck's name
  to << "{" << operation.kind << ", " << operation.id << ", " << operation.number << ", "
     << operation.tag << ", " << operation.body_size << "}";
}

constexpr int kIds = 60;

rc::Gen<std::size_t> any_body_size() {
  return rc::gen::weightedOneOf<std::size_t>(
      {{6, in_whole_range<std::size_t>(0, 200)},
       {4, in_whole_range<std::size_t>(500, 4'100)},
       {1, in_whole_range<std::size_t>(kRawRowSizeMax - 30, kRawRowSizeMax + 5)},
       {1, in_whole_range<std::size_t>(8'000, 40'000)}});
}

rc::Gen<Operation> any_operation() {
  using Kind = Operation::Kind;
  return rc::gen::build<Operation>(
      rc::gen::set(&Operation::kind, rc::gen::weightedElement<Kind>(
                                         {{5, Kind::kPut}, {3, Kind::kErase}, {1, Kind::kMove}})),
      rc::gen::set(&Operation::id, in_whole_range(0, kIds)),
      rc::gen::set(&Operation::number, in_whole_range(0, 80)),
      rc::gen::set(&Operation::tag, in_whole_range(0, 4)),
      rc::gen::set(&Operation::body_size, any_body_size()));
}

// Rows that fill some pages, before the others in one case of three: the others alone are few.
std::vector<Operation> any_operations(double scale) {
  const bool fills = *rc::gen::weightedElement<bool>({{2, false}, {1, true}});
  std::vector<Operation> operations;
  for (int id = 0; fills && id < kIds; ++id) {
    operations.push_back({.kind = Operation::kPut,
                          .id = id,
                          .number = id + 1,
                          .tag = id % 4,
                          .body_size = 1'500 + static_cast<std::size_t>(id) * 20});
  }
  const auto others =
      *rc::gen::scale(scale, rc::gen::container<std::vector<Operation>>(any_operation()));
  operations.insert(operations.end(), others.begin(), others.end());
  return operations;
}

TestRow row_of(const Operation& operation, std::size_t turn) {
  return {.id = fmt::format("row/{}", operation.id),
          .number = operation.number,
          .tag = std::string(static_cast<std::size_t>(operation.tag), 't'),
          .body = std::string(operation.body_size, static_cast<char>('a' + turn % 26))};
}

// Whether another row of the model has the number.
bool number_is_taken(const Model& model, const TestRow& row) {
  return row.number != 0 && std::any_of(model.begin(), model.end(), [&](const auto& entry) {
           return entry.first != row.id && entry.second.number == row.number;
         });
}

void apply(MutableTable& table, Model& model, const Operation& operation, std::size_t turn) {
  const TestRow row = row_of(operation, turn);
  switch (operation.kind) {
    case Operation::kPut: {
      const Result<void> result = table.put(as_bytes(row.encode()));
      if (number_is_taken(model, row)) {
        RC_ASSERT(result.error().code() == ErrorCode::already_exists);
      } else {
        RC_ASSERT(result.has_value());
        model[row.id] = row;
      }
      break;
    }
    case Operation::kErase:
      RC_ASSERT(*table.erase(as_bytes(row.id)) == (model.erase(row.id) > 0));
      break;
    case Operation::kMove:
      RC_ASSERT(*table.move_row(as_bytes(row.id)) == model.contains(row.id));
      break;
  }
}

std::string audit(FakePages& pages, const TableState& state) {
  StructureAudit audit(pages);
  audit.table(state, &kTestSchema);
  return audit.report();
}

// The rows in the order of an index, as the model has them.
std::vector<std::string> rows_in_order(const Model& model, std::size_t index) {
  std::map<std::string, std::string> rows;
  for (const auto& [id, row] : model) {
    if (index == kByNumber && row.number != 0) {
      rows[fmt::format("{:05}", row.number)] = row.encode();
    } else if (index == kByTag && !row.tag.empty()) {
      rows[row.tag + "/" + id] = row.encode();
    }
  }
  std::vector<std::string> ordered;
  std::transform(rows.begin(), rows.end(), std::back_inserter(ordered),
                 [](const auto& entry) { return entry.second; });
  return ordered;
}

void expect_same(const Table& table, const Model& model) {
  RC_ASSERT(table.row_count() == model.size());
  for (const auto& [id, row] : model) {
    const auto found = table.get(as_bytes(id));
    RC_ASSERT(found->has_value());
    RC_ASSERT(as_text(**found) == row.encode());
  }
  std::vector<std::string> rows;
  const auto collect = [&](auto, Bytes row) -> Result<bool> {
    rows.emplace_back(as_text(row));
    return true;
  };
  RC_ASSERT(table.scan_index(kByTag, {}, false, collect).has_value());
  RC_ASSERT(rows == rows_in_order(model, kByTag));
  rows.clear();
  RC_ASSERT(table.scan_int64(kByNumber, 0, false, collect).has_value());
  RC_ASSERT(rows == rows_in_order(model, kByNumber));
  rows.clear();
  RC_ASSERT(table.scan_int64(kByNumber, 1'000, true, collect).has_value());
  std::reverse(rows.begin(), rows.end());
  RC_ASSERT(rows == rows_in_order(model, kByNumber));
}

ClassCoverage table_classes() {
  return {"small row",
          "row of half a page",
          "largest row of a page",
          "smallest run of its own",
          "row of a run",
          "row changes its shape",
          "10 pages of rows",
          "3 runs",
          "space is kept",
          "page is freed",
          "number is taken",
          "no number",
          "no tag",
          "moves",
          "40 rows",
          "erases"};
}

// What one operation met, and made of the table.
void classify(ClassCoverage& coverage, const Operation& operation, const Model& model,
              const TableState& before, const TableState& after) {
  const TestRow row = row_of(operation, 0);
  const std::size_t size = row.encode().size();
  const bool put = operation.kind == Operation::kPut && model.contains(row.id) &&
                   model.at(row.id).number == row.number &&
                   model.at(row.id).body.size() == row.body.size();
  coverage.see("small row", put && size < 250);
  coverage.see("row of half a page", put && size > 3'500 && size < 4'200);
  coverage.see("largest row of a page",
               put && size <= kRawRowSizeMax && size + 30 > kRawRowSizeMax);
  coverage.see("smallest run of its own",
               put && size > kRawRowSizeMax && size < kRawRowSizeMax + 30);
  coverage.see("row of a run", put && size > 16'000);
  coverage.see("row changes its shape",
               put && before.large_rows != after.large_rows &&
                   before.primary.entry_count == after.primary.entry_count);
  coverage.see("10 pages of rows", after.raw_pages >= 10);
  coverage.see("3 runs", after.large_rows >= 3);
  coverage.see("space is kept", after.space.entry_count >= 5);
  coverage.see("page is freed", after.raw_pages < before.raw_pages && after.raw_pages > 0);
  coverage.see("number is taken", operation.kind == Operation::kPut && number_is_taken(model, row));
  coverage.see("no number", put && row.number == 0);
  coverage.see("no tag", put && row.tag.empty());
  coverage.see("moves", operation.kind == Operation::kMove && model.contains(row.id));
  coverage.see("40 rows", model.size() >= 40);
  coverage.see("erases", after.primary.entry_count < before.primary.entry_count);
}

void behaves_as_a_map(ClassCoverage& coverage) {
  const std::vector<Operation> operations = any_operations(3.0);
  FakePages pages;
  TableState state = TableState::create(kTestSchema, 20);
  MutableTable table(pages, kTestSchema, state);
  Model model;
  std::size_t turn = 0;
  for (const Operation& operation : operations) {
    const TableState before = state;
    apply(table, model, operation, turn);
    classify(coverage, operation, model, before, state);
    if (++turn % 8 == 0) {
      RC_ASSERT(audit(pages, state) == "");
      pages.commit();
    }
  }
  RC_ASSERT(audit(pages, state) == "");
  expect_same(table.view(), model);
  for (const auto& entry : model) {
    RC_ASSERT(*table.erase(as_bytes(entry.first)));
  }
  RC_ASSERT(pages.page_count() == 0U);
}

TEST(TableModel, BehavesAsAMapWithIndexes) {
  ClassCoverage coverage = table_classes();
  EXPECT_TRUE(holds_until_covered(coverage, [&] { behaves_as_a_map(coverage); }));
  EXPECT_EQ(coverage.missing(), "") << coverage.to_string();
  RecordProperty("classes", coverage.to_string());
}

// A page call that fails ends the operation with its error; rolling back is all it takes.
void any_page_call_may_fail(ClassCoverage& coverage) {
  const std::vector<Operation> operations = any_operations(0.5);
  FakePages pages;
  TableState state = TableState::create(kTestSchema, 20);
  Model model;
  std::size_t turn = 0;
  for (const Operation& operation : operations) {
    const TableState before = state;
    const TestRow row = row_of(operation, turn);
    for (std::uint64_t call = 0;; ++call) {
      MutableTable table(pages, kTestSchema, state);
      pages.fail_call(call, ErrorCode::no_space);
      std::optional<Error> error;
      if (operation.kind == Operation::kPut) {
        error = error_of(table.put(as_bytes(row.encode())));
      } else if (operation.kind == Operation::kErase) {
        error = error_of(table.erase(as_bytes(row.id)));
      } else {
        error = error_of(table.move_row(as_bytes(row.id)));
      }
      const bool failed = pages.has_failed();
      pages.fail_nothing();
      pages.rollback();
      state = before;
      if (!failed) {
        break;
      }
      RC_ASSERT(error.has_value());
      RC_ASSERT(error->code() == ErrorCode::no_space);
    }
    RC_ASSERT(audit(pages, state) == "");
    MutableTable table(pages, kTestSchema, state);
    apply(table, model, operation, turn++);
    classify(coverage, operation, model, before, state);
    pages.commit();
  }
  RC_ASSERT(audit(pages, state) == "");
  expect_same(Table(pages, kTestSchema, &state), model);
}

TEST(TableModel, AnyPageCallMayFail) {
  // Its cases are short: what not every run of them meets, the other property does.
  ClassCoverage coverage = {"small row",    "row of half a page", "largest row of a page",
                            "row of a run", "10 pages of rows",   "3 runs",
                            "erases",       "space is kept",      "40 rows"};
  EXPECT_TRUE(holds_until_covered(coverage, [&] { any_page_call_may_fail(coverage); }));
  EXPECT_EQ(coverage.missing(), "") << coverage.to_string();
  RecordProperty("classes", coverage.to_string());
}

}  // namespace
}  // namespace rookery::store
