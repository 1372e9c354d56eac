// SPDX-License-Identifier: Apache-2.0
// Byte-keyed trees against std::map.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rookery/base/prng.h"
#include "rookery/store/tree.h"

#include "class_coverage.h"
#include "structure_test_support.h"
#include "tree_node.h"

namespace rookery::store {
namespace {

using Model = std::map<std::string, std::string>;

struct Operation {
  enum Kind { kPut, kErase, kEraseAll, kSeek, kClear } kind = kPut;

  int key = 0;
  std::size_t value_size = 0;
};

void showValue(const Operation& operation, std::ostream& to) {  // NOLINT: RapidCheck's name
  to << "{" << operation.kind << ", " << operation.key << ", " << operation.value_size << "}";
}

// The families of keys that trees find hard, one a run.
std::string key_of(int family, int number) {
  switch (family) {
    case 0:
      return std::to_string(number);
    case 1:  // long common prefixes
      return std::string(1'000, 'p') + fmt::format("{:05}", number);
    case 2:  // any length, each key a prefix of others
      return std::string(static_cast<std::size_t>(number * 37 % 2'025) + 1, 'q');
    case 3:  // of the largest size, different at the end
      return std::string(kKeySizeMax - 5, 'r') + fmt::format("{:05}", number);
    default: {  // binary, any length
      Prng prng(static_cast<std::uint64_t>(number));
      std::string key(prng.below(40) + 1, '\0');
      for (char& c : key) {
        c = static_cast<char>(prng.below(256));
      }
      return key;
    }
  }
}

std::string value_of(const Operation& operation, std::size_t turn) {
  return std::string(operation.value_size, static_cast<char>('a' + turn % 26));
}

rc::Gen<std::size_t> any_value_size() {
  constexpr std::size_t kEdge = kNodeCellSizeMax;
  return rc::gen::weightedOneOf<std::size_t>(
      {{6, in_whole_range<std::size_t>(0, 60)},
       {3, in_whole_range<std::size_t>(0, 2'800)},
       {1, in_whole_range<std::size_t>(kEdge - 60, kEdge + 3)},
       {1, rc::gen::element(kPageCapacity - 1, kPageCapacity, kPageCapacity + 1)},
       {1, in_whole_range<std::size_t>(8'000, 40'000)}});
}

rc::Gen<Operation> any_operation(int key_count) {
  using Kind = Operation::Kind;
  return rc::gen::build<Operation>(
      rc::gen::set(&Operation::kind, rc::gen::weightedElement<Kind>({{24, Kind::kPut},
                                                                     {14, Kind::kErase},
                                                                     {1, Kind::kEraseAll},
                                                                     {6, Kind::kSeek},
                                                                     {1, Kind::kClear}})),
      rc::gen::set(&Operation::key, in_whole_range(0, key_count)),
      rc::gen::set(&Operation::value_size, any_value_size()));
}

// Puts that fill a tree, before the others in one case of three: the others alone leave it small.
std::vector<Operation> any_operations(int key_count, int filling, double scale) {
  const bool fills = *rc::gen::weightedElement<bool>({{2, false}, {1, true}});
  std::vector<Operation> operations;
  for (int key = 0; fills && key < filling; ++key) {
    operations.push_back({.kind = Operation::kPut, .key = key, .value_size = 20});
  }
  const auto others =
      *rc::gen::scale(scale, rc::gen::container<std::vector<Operation>>(any_operation(key_count)));
  operations.insert(operations.end(), others.begin(), others.end());
  return operations;
}

void expect_same(const Tree& tree, const Model& model) {
  RC_ASSERT(tree.entry_count() == model.size());
  TreeCursor cursor = tree.cursor();
  Result<bool> more = cursor.first();
  for (const auto& [key, value] : model) {
    RC_ASSERT(*more);
    const Result<TreeEntry> entry = cursor.entry();
    RC_ASSERT(as_text(entry->key) == key);
    RC_ASSERT(as_text(entry->value) == value);
    more = cursor.next();
  }
  RC_ASSERT(!*more);
  more = cursor.last();
  for (auto at = model.rbegin(); at != model.rend(); ++at) {
    RC_ASSERT(*more);
    RC_ASSERT(as_text(cursor.entry()->key) == at->first);
    more = cursor.previous();
  }
  RC_ASSERT(!*more);
}

void expect_same_seeks(const Tree& tree, const Model& model, const std::string& key) {
  TreeCursor cursor = tree.cursor();
  auto above = model.lower_bound(key);
  RC_ASSERT(*cursor.seek(as_bytes(key)) == (above != model.end()));
  if (above != model.end()) {
    RC_ASSERT(as_text(cursor.entry()->key) == above->first);
    // And a step from there, either way.
    RC_ASSERT(*cursor.previous() == (above != model.begin()));
    if (above != model.begin()) {
      RC_ASSERT(as_text(cursor.entry()->key) == std::prev(above)->first);
    }
  }
  auto below = model.upper_bound(key);
  RC_ASSERT(*cursor.seek_last_at_or_before(as_bytes(key)) == (below != model.begin()));
  if (below != model.begin()) {
    RC_ASSERT(as_text(cursor.entry()->key) == std::prev(below)->first);
    RC_ASSERT(*cursor.next() == (below != model.end()));
  }
}

void apply(MutableTree& tree, Model& model, const Operation& operation, const std::string& key,
           const std::string& value) {
  switch (operation.kind) {
    case Operation::kPut:
      RC_ASSERT(tree.put(as_bytes(key), as_bytes(value)).has_value());
      model[key] = value;
      break;
    case Operation::kErase:
      RC_ASSERT(*tree.erase(as_bytes(key)) == (model.erase(key) > 0));
      break;
    case Operation::kEraseAll:
      for (; !model.empty(); model.erase(model.begin())) {
        RC_ASSERT(*tree.erase(as_bytes(model.begin()->first)));
      }
      break;
    case Operation::kSeek:
      expect_same_seeks(tree.view(), model, key);
      break;
    case Operation::kClear:
      RC_ASSERT(tree.clear().has_value());
      model.clear();
      break;
  }
  const auto found = tree.get(as_bytes(key));
  RC_ASSERT(found.has_value());
  RC_ASSERT(found->has_value() == model.contains(key));
}

ClassCoverage tree_classes() {
  return {"depth 1",      "depth 2",      "depth 3",       "depth 4 or more", "50 leaves",
          "leaves merge", "grows lower",  "becomes empty", "overflow",        "a large cell",
          "largest key",  "smallest key", "binary keys",   "long prefixes",   "keys in keys"};
}

// What one operation met, and made of the tree.
void classify(ClassCoverage& coverage, int family, const Operation& operation,
              const std::string& key, const TreeRoot& before, const TreeRoot& after) {
  coverage.see("depth 1", after.depth == 1);
  coverage.see("depth 2", after.depth == 2);
  coverage.see("depth 3", after.depth == 3);
  coverage.see("depth 4 or more", after.depth >= 4);
  coverage.see("50 leaves", after.leaf_pages >= 50);
  const bool erased = after.entry_count < before.entry_count && operation.kind != Operation::kClear;
  coverage.see("leaves merge",
               erased && after.leaf_pages < before.leaf_pages && before.leaf_pages > 1);
  coverage.see("grows lower", erased && after.depth < before.depth && before.depth > 1);
  coverage.see("becomes empty", erased && after.depth == 0);
  coverage.see("overflow", after.overflow_pages > before.overflow_pages);
  const std::size_t cell = kNodeSlotSize + kNodeCellHeaderSize + key.size() + operation.value_size;
  coverage.see("a large cell", operation.kind == Operation::kPut && cell <= kNodeCellSizeMax &&
                                   cell + 60 > kNodeCellSizeMax);
  coverage.see("largest key", key.size() == kKeySizeMax);
  coverage.see("smallest key", key.size() == 1);
  coverage.see("binary keys", family == 4);
  coverage.see("long prefixes", family == 1 && before.leaf_pages > 1);
  coverage.see("keys in keys", family == 2 && before.leaf_pages > 1);
}

void behaves_as_a_map(ClassCoverage& coverage) {
  const int family = *in_whole_range(0, 5);
  const int key_count = *rc::gen::element(5, 40, 400);
  const std::vector<Operation> operations = any_operations(key_count, 400, 3.0);
  FakePages pages;
  TreeRoot root{.owner = 7};
  MutableTree tree(pages, root);
  Model model;
  std::size_t turn = 0;
  for (const Operation& operation : operations) {
    const std::string key = key_of(family, operation.key);
    const TreeRoot before = root;
    apply(tree, model, operation, key, value_of(operation, turn));
    classify(coverage, family, operation, key, before, root);
    RC_ASSERT(pages.page_count() == root.branch_pages + root.leaf_pages + root.overflow_pages);
    if (++turn % 16 == 0) {
      RC_ASSERT(audit_tree(pages, root) == "");
      pages.commit();
    }
  }
  RC_ASSERT(audit_tree(pages, root) == "");
  expect_same(tree.view(), model);
}

TEST(TreeModel, BehavesAsAMapAndOwnsItsPages) {
  ClassCoverage coverage = tree_classes();
  EXPECT_TRUE(holds_until_covered(coverage, [&] { behaves_as_a_map(coverage); }));
  EXPECT_EQ(coverage.missing(), "") << coverage.to_string();
  RecordProperty("classes", coverage.to_string());
}

// A page call that fails ends the operation with its error; rolling back is all it takes.
void any_page_call_may_fail(ClassCoverage& coverage) {
  const int family = *in_whole_range(0, 5);
  const std::vector<Operation> operations = any_operations(60, 200, 1.0);
  FakePages pages;
  TreeRoot root{.owner = 7};
  Model model;
  std::size_t turn = 0;
  for (const Operation& operation : operations) {
    const std::string key = key_of(family, operation.key);
    const std::string value = value_of(operation, turn++);
    if (operation.kind == Operation::kPut || operation.kind == Operation::kErase) {
      const TreeRoot before = root;
      MutableTree tree(pages, root);
      for (std::uint64_t call = 0;; ++call) {
        pages.fail_call(call, ErrorCode::no_space);
        const bool is_put = operation.kind == Operation::kPut;
        const std::optional<Error> error = is_put
                                               ? error_of(tree.put(as_bytes(key), as_bytes(value)))
                                               : error_of(tree.erase(as_bytes(key)));
        RC_ASSERT(error.has_value() == pages.has_failed());
        pages.fail_nothing();
        pages.rollback();
        root = before;
        if (!error) {
          break;
        }
        RC_ASSERT(error->code() == ErrorCode::no_space);
      }
      RC_ASSERT(audit_tree(pages, root) == "");
    }
    MutableTree tree(pages, root);
    const TreeRoot before = root;
    apply(tree, model, operation, key, value);
    classify(coverage, family, operation, key, before, root);
    pages.commit();
  }
  RC_ASSERT(audit_tree(pages, root) == "");
  expect_same(MutableTree(pages, root).view(), model);
}

TEST(TreeModel, AnyPageCallMayFail) {
  ClassCoverage coverage = tree_classes();
  EXPECT_TRUE(holds_until_covered(coverage, [&] { any_page_call_may_fail(coverage); }));
  EXPECT_EQ(coverage.missing(), "") << coverage.to_string();
  RecordProperty("classes", coverage.to_string());
}

}  // namespace
}  // namespace rookery::store
