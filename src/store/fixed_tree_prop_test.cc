// SPDX-License-Identifier: Apache-2.0
// Fixed-size trees against std::map.
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rookery/store/fixed_tree.h"

#include "fixed_node.h"
#include "structure_test_support.h"

namespace rookery::store {
namespace {

using Model = std::map<std::int64_t, std::string>;

// Runs of keys, so that few operations make many pages.
struct Operation {
  enum Kind { kPutRun, kPutRunDown, kErase, kEraseRun, kSeek, kClear } kind = kPutRun;

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
                                                                     {6, Kind::kSeek},
                                                                     {1, Kind::kClear}})),
      rc::gen::set(&Operation::key,
                   rc::gen::weightedOneOf<std::int64_t>(
                       {{8, rc::gen::inRange<std::int64_t>(-3'000, 3'000)},
                        {1, rc::gen::arbitrary<std::int64_t>()},
                        {1, rc::gen::element(std::numeric_limits<std::int64_t>::min(),
                                             std::numeric_limits<std::int64_t>::max() - 500)}})),
      rc::gen::set(&Operation::count, rc::gen::inRange(1, 500)));
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
    case Operation::kSeek:
      expect_same_seeks(tree.view(), model, operation.key);
      break;
    case Operation::kClear:
      RC_ASSERT(tree.clear().has_value());
      model.clear();
      break;
  }
}

RC_GTEST_PROP(FixedTreeModel, BehavesAsAMapAndOwnsItsPages, ()) {
  const auto value_size = *rc::gen::element<std::uint16_t>(0, 1, 8, 256);
  const auto operations = *rc::gen::container<std::vector<Operation>>(any_operation());
  FakePages pages;
  TreeRoot root{.owner = 9, .value_size = value_size};
  MutableFixedTree tree(pages, root);
  Model model;
  int turn = 0;
  for (const Operation& operation : operations) {
    apply(tree, model, operation, std::string(value_size, static_cast<char>('a' + turn % 26)));
    RC_ASSERT(pages.page_count() == root.branch_pages + root.leaf_pages);
    if (++turn % 8 == 0) {
      RC_ASSERT(audit_fixed_tree(pages, root) == "");
      pages.commit();
    }
  }
  RC_ASSERT(audit_fixed_tree(pages, root) == "");
  expect_same(tree.view(), model);
}

RC_GTEST_PROP(FixedTreeModel, AnyPageCallMayFail, ()) {
  const auto operations =
      *rc::gen::scale(0.3, rc::gen::container<std::vector<Operation>>(any_operation()));
  FakePages pages;
  TreeRoot root{.owner = 9, .value_size = 256};
  Model model;
  const std::string value(256, 'v');
  for (const Operation& operation : operations) {
    MutableFixedTree tree(pages, root);
    apply(tree, model, operation, value);
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

}  // namespace
}  // namespace rookery::store
