// SPDX-License-Identifier: Apache-2.0
// Byte-keyed trees against std::map.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "rookery/base/prng.h"
#include "rookery/store/tree.h"

#include "structure_test_support.h"
#include "tree_node.h"

namespace rookery::store {
namespace {

using Model = std::map<std::string, std::string>;

struct Operation {
  enum Kind { kPut, kErase, kSeek, kClear } kind = kPut;

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
      {{6, rc::gen::inRange<std::size_t>(0, 60)},
       {3, rc::gen::inRange<std::size_t>(0, 2'800)},
       {1, rc::gen::inRange<std::size_t>(kEdge - 60, kEdge + 3)},
       {1, rc::gen::element(kPageCapacity - 1, kPageCapacity, kPageCapacity + 1)},
       {1, rc::gen::inRange<std::size_t>(8'000, 40'000)}});
}

rc::Gen<Operation> any_operation(int key_count) {
  using Kind = Operation::Kind;
  return rc::gen::build<Operation>(
      rc::gen::set(
          &Operation::kind,
          rc::gen::weightedElement<Kind>(
              {{24, Kind::kPut}, {14, Kind::kErase}, {6, Kind::kSeek}, {1, Kind::kClear}})),
      rc::gen::set(&Operation::key, rc::gen::inRange(0, key_count)),
      rc::gen::set(&Operation::value_size, any_value_size()));
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

RC_GTEST_PROP(TreeModel, BehavesAsAMapAndOwnsItsPages, ()) {
  const int family = *rc::gen::inRange(0, 5);
  const int key_count = *rc::gen::element(5, 40, 400);
  const auto operations =
      *rc::gen::scale(3.0, rc::gen::container<std::vector<Operation>>(any_operation(key_count)));
  FakePages pages;
  TreeRoot root{.owner = 7};
  MutableTree tree(pages, root);
  Model model;
  std::size_t turn = 0;
  for (const Operation& operation : operations) {
    apply(tree, model, operation, key_of(family, operation.key), value_of(operation, turn));
    RC_ASSERT(pages.page_count() == root.branch_pages + root.leaf_pages + root.overflow_pages);
    if (++turn % 16 == 0) {
      RC_ASSERT(audit_tree(pages, root) == "");
      pages.commit();
    }
  }
  RC_ASSERT(audit_tree(pages, root) == "");
  expect_same(tree.view(), model);
}

// A page call that fails ends the operation with its error; rolling back is all it takes.
RC_GTEST_PROP(TreeModel, AnyPageCallMayFail, ()) {
  const int family = *rc::gen::inRange(0, 5);
  const auto operations = *rc::gen::container<std::vector<Operation>>(any_operation(60));
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
    apply(tree, model, operation, key, value);
    pages.commit();
  }
  RC_ASSERT(audit_tree(pages, root) == "");
  expect_same(MutableTree(pages, root).view(), model);
}

}  // namespace
}  // namespace rookery::store
