// SPDX-License-Identifier: Apache-2.0
// Fixed-size trees against std::map.
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rookery/store/fixed_tree.h"

#include "class_coverage.h"
#include "fixed_node.h"
#include "structure_test_support.h"

namespace rookery::store {
namespace {

using Model = std::map<std::int64_t, std::string>;

// Runs of keys, so that few operations make many pages.
struct Operation {
  enum Kind { kPutRun, kPutRunDown, kErase, kEraseRun, kEraseAll, kSeek, kClear } kind = kPutRun;

  std::int64_t key = 0;
  int count = 1;
};

void showValue(const Operation& operation, std::ostream& to) {  // NOLINT: RapidCheck's name
  to << "{" << operation.kind << ", " << operation.key << ", " << operation.count << "}";
}

rc::Gen<Operation> any_operation() {
  using Kind = Operation::Kind;
  return rc::gen::build<Operation>(
      rc::gen::set(&Operation::kind, rc::gen::weightedElement<Kind>({{8, Kind::kPutRun},
                                                                     {4, Kind::kPutRunDown},
                                                                     {6, Kind::kErase},
                                                                     {6, Kind::kEraseRun},
                                                                     {3, Kind::kEraseAll},
                                                                     {6, Kind::kSeek},
                                                                     {1, Kind::kClear}})),
      rc::gen::set(&Operation::key,
                   rc::gen::weightedOneOf<std::int64_t>(
                       {{8, in_whole_range<std::int64_t>(-3'000, 3'000)},
                        {1, rc::gen::arbitrary<std::int64_t>()},
                        {1, rc::gen::element(std::numeric_limits<std::int64_t>::min(),
                                             std::numeric_limits<std::int64_t>::max() - 500)}})),
      rc::gen::set(&Operation::count, in_whole_range(1, 500)));
}

// What a case begins with. Three levels take more keys than its operations bring.
struct Start {
  std::uint16_t value_size;
  int filling;  // keys in a row
};

void showValue(const Start& start, std::ostream& to) {  // NOLINT: RapidCheck's name
  to << "{" << start.value_size << ", " << start.filling << "}";
}

rc::Gen<Start> any_start() {
  return rc::gen::weightedElement<Start>(
      {{2, {0, 0}}, {2, {1, 0}}, {3, {8, 0}}, {3, {256, 0}}, {2, {0, 4'000}}, {2, {256, 17'000}}});
}

std::vector<Operation> any_operations(const Start& start, double scale) {
  std::vector<Operation> operations;
  if (start.filling > 0) {
    operations.push_back(
        {.kind = Operation::kPutRun, .key = -start.filling / 2, .count = start.filling});
  }
  const auto others =
      *rc::gen::scale(scale, rc::gen::container<std::vector<Operation>>(any_operation()));
  operations.insert(operations.end(), others.begin(), others.end());
  return operations;
}

void expect_same_seeks(const FixedTree& tree, const Model& model, std::int64_t key) {
  FixedTreeCursor cursor = tree.cursor();
  const auto above = model.lower_bound(key);
  RC_ASSERT(*cursor.seek(key) == (above != model.end()));
  if (above != model.end()) {
    RC_ASSERT(cursor.entry().key == above->first);
    RC_ASSERT(as_text(cursor.entry().value) == above->second);
    RC_ASSERT(*cursor.previous() == (above != model.begin()));
  }
  const auto below = model.upper_bound(key);
  RC_ASSERT(*cursor.seek_last_at_or_before(key) == (below != model.begin()));
  if (below != model.begin()) {
    RC_ASSERT(cursor.entry().key == std::prev(below)->first);
    RC_ASSERT(*cursor.next() == (below != model.end()));
  }
}

void expect_same(const FixedTree& tree, const Model& model) {
  RC_ASSERT(tree.entry_count() == model.size());
  FixedTreeCursor cursor = tree.cursor();
  Result<bool> more = cursor.first();
  for (const auto& [key, value] : model) {
    RC_ASSERT(*more);
    RC_ASSERT(cursor.entry().key == key);
    RC_ASSERT(as_text(cursor.entry().value) == value);
    more = cursor.next();
  }
  RC_ASSERT(!*more);
  more = cursor.last();
  for (auto at = model.rbegin(); at != model.rend(); ++at) {
    RC_ASSERT(*more);
    RC_ASSERT(cursor.entry().key == at->first);
    more = cursor.previous();
  }
  RC_ASSERT(!*more);
}

// Calls `change` for each key of a run, in its order.
template <typename Change>
void for_each_key(const Operation& operation, const Change& change) {
  const bool down = operation.kind == Operation::kPutRunDown;
  for (int i = 0; i < operation.count; ++i) {
    const auto offset = static_cast<std::uint64_t>(down ? operation.count - 1 - i : i);
    change(static_cast<std::int64_t>(static_cast<std::uint64_t>(operation.key) + offset));
  }
}

void apply(MutableFixedTree& tree, Model& model, const Operation& operation,
           const std::string& value) {
  switch (operation.kind) {
    case Operation::kPutRun:
    case Operation::kPutRunDown:
      for_each_key(operation, [&](std::int64_t key) {
        RC_ASSERT(tree.put(key, as_bytes(value)).has_value());
        model[key] = value;
      });
      break;
    case Operation::kErase:
      RC_ASSERT(*tree.erase(operation.key) == (model.erase(operation.key) > 0));
      break;
    case Operation::kEraseRun:
      for_each_key(operation, [&](std::int64_t key) {
        RC_ASSERT(*tree.erase(key) == (model.erase(key) > 0));
      });
      break;
    case Operation::kEraseAll:
      for (; !model.empty(); model.erase(model.begin())) {
        RC_ASSERT(*tree.erase(model.begin()->first));
      }
      break;
    case Operation::kSeek:
      expect_same_seeks(tree.view(), model, operation.key);
      break;
    case Operation::kClear:
      RC_ASSERT(tree.clear().has_value());
      model.clear();
      break;
  }
}

ClassCoverage fixed_tree_classes() {
  return {"depth 1",         "depth 2",       "depth 3",      "50 leaves",    "leaves merge",
          "grows lower",     "becomes empty", "lowest key",   "highest keys", "keys below zero",
          "keys above zero", "no value",      "large values", "erases a run", "descending"};
}

// What one operation met, and made of the tree.
void classify(ClassCoverage& coverage, const Operation& operation, const TreeRoot& before,
              const TreeRoot& after) {
  coverage.see("depth 1", after.depth == 1);
  coverage.see("depth 2", after.depth == 2);
  coverage.see("depth 3", after.depth == 3);
  coverage.see("50 leaves", after.leaf_pages >= 50);
  const bool erased = after.entry_count < before.entry_count && operation.kind != Operation::kClear;
  coverage.see("leaves merge",
               erased && after.leaf_pages < before.leaf_pages && before.leaf_pages > 1);
  coverage.see("grows lower", erased && after.depth < before.depth && before.depth > 1);
  coverage.see("becomes empty", erased && after.depth == 0);
  const bool grew = after.entry_count > before.entry_count;
  coverage.see("lowest key", grew && operation.key == std::numeric_limits<std::int64_t>::min());
  coverage.see("highest keys",
               grew && operation.key > std::numeric_limits<std::int64_t>::max() - 1'000);
  coverage.see("keys below zero", grew && operation.key < 0 && operation.key >= -3'000);
  coverage.see("keys above zero", grew && operation.key > 0 && operation.key < 3'000);
  coverage.see("no value", after.value_size == 0 && after.depth == 2);
  coverage.see("large values", after.value_size == kFixedValueSizeMax && after.depth > 1);
  coverage.see("erases a run", operation.kind == Operation::kEraseRun &&
                                   before.entry_count >= after.entry_count + 100);
  coverage.see("descending",
               operation.kind == Operation::kPutRunDown && after.leaf_pages > before.leaf_pages);
}

void behaves_as_a_map(ClassCoverage& coverage) {
  const Start start = *any_start();
  const std::vector<Operation> operations = any_operations(start, 1.0);
  FakePages pages;
  TreeRoot root{.owner = 9, .value_size = start.value_size};
  MutableFixedTree tree(pages, root);
  Model model;
  int turn = 0;
  for (const Operation& operation : operations) {
    const TreeRoot before = root;
    apply(tree, model, operation,
          std::string(start.value_size, static_cast<char>('a' + turn % 26)));
    classify(coverage, operation, before, root);
    RC_ASSERT(pages.page_count() == root.branch_pages + root.leaf_pages);
    if (++turn % 8 == 0) {
      RC_ASSERT(audit_fixed_tree(pages, root) == "");
      pages.commit();
    }
  }
  RC_ASSERT(audit_fixed_tree(pages, root) == "");
  expect_same(tree.view(), model);
}

TEST(FixedTreeModel, BehavesAsAMapAndOwnsItsPages) {
  ClassCoverage coverage = fixed_tree_classes();
  EXPECT_TRUE(holds_until_covered(coverage, [&] { behaves_as_a_map(coverage); }));
  EXPECT_EQ(coverage.missing(), "") << coverage.to_string();
  RecordProperty("classes", coverage.to_string());
}

void any_page_call_may_fail(ClassCoverage& coverage) {
  const Start start = *any_start();
  const std::vector<Operation> operations = any_operations(start, 0.3);
  FakePages pages;
  TreeRoot root{.owner = 9, .value_size = start.value_size};
  Model model;
  const std::string value(start.value_size, 'v');
  for (const Operation& operation : operations) {
    MutableFixedTree tree(pages, root);
    const TreeRoot earlier = root;
    apply(tree, model, operation, value);
    classify(coverage, operation, earlier, root);
    pages.commit();
    const TreeRoot before = root;
    for (std::uint64_t call = 0;; ++call) {
      pages.fail_call(call);
      const bool erasing = model.contains(operation.key);
      const std::optional<Error> error = erasing
                                             ? error_of(tree.erase(operation.key))
                                             : error_of(tree.put(operation.key, as_bytes(value)));
      RC_ASSERT(error.has_value() == pages.has_failed());
      pages.fail_nothing();
      pages.rollback();
      root = before;
      if (!error) {
        break;
      }
    }
    RC_ASSERT(audit_fixed_tree(pages, root) == "");
  }
  expect_same(FixedTree(pages, root), model);
}

TEST(FixedTreeModel, AnyPageCallMayFail) {
  ClassCoverage coverage = fixed_tree_classes();
  EXPECT_TRUE(holds_until_covered(coverage, [&] { any_page_call_may_fail(coverage); }));
  EXPECT_EQ(coverage.missing(), "") << coverage.to_string();
  RecordProperty("classes", coverage.to_string());
}

}  // namespace
}  // namespace rookery::store
