// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "check_support.h"
#include "fixed_node.h"
#include "structure_check.h"

namespace rookery::store {
namespace {

constexpr std::int64_t kFirstKey = std::numeric_limits<std::int64_t>::min();

// Purpose. One walk of a fixed-size tree.
class FixedTreeChecker {
 public:
  FixedTreeChecker(PageReader& pages, const TreeRoot& root, const StructureVisitor& visitor,
                   const FixedTreeEntryVisitor& entry)
      : pages_(pages), root_(root), visitor_(visitor), entry_(entry) {}

  // Keys k of the subtree: from <= k < below.
  struct Range {
    std::int64_t from = kFirstKey;
    std::optional<std::int64_t> below;
  };

  Result<void> walk(PageNo number, std::uint16_t level, const Range& range);

  [[nodiscard]] const StructureCounts& counts() const noexcept { return counts_; }

 private:
  void complain(PageNo number, std::string_view what) const {
    visitor_.problem(fmt::format("structure {}, page {}: {}", root_.owner, number.value(), what));
  }

  void check_keys(PageNo number, const FixedNodeView& node, std::uint16_t level,
                  const Range& range) const;

  PageReader& pages_;
  const TreeRoot& root_;
  const StructureVisitor& visitor_;
  const FixedTreeEntryVisitor& entry_;
  StructureCounts counts_;
};

void FixedTreeChecker::check_keys(PageNo number, const FixedNodeView& node, std::uint16_t level,
                                  const Range& range) const {
  for (std::uint32_t i = 0; i < node.count(); ++i) {
    const std::int64_t key = node.key(i);
    if (level > 0 && i == 0) {
      if (key != kFirstKey) {
        complain(number, "a branch's first cell has a key");
      }
      continue;
    }
    if (i > 0 && node.key(i - 1) >= key) {
      complain(number, "its keys are out of order");
    }
    if (key < range.from || (range.below && key >= *range.below)) {
      complain(number, "a key is on the wrong side of a separator");
    }
  }
}

// NOLINTNEXTLINE(misc-no-recursion): `level` falls with each step and starts below kTreeDepthMax.
Result<void> FixedTreeChecker::walk(PageNo number, std::uint16_t level, const Range& range) {
  const Result<FixedNodeView> entered = enter_fixed_node(pages_, root_, number, level);
  if (!entered.has_value()) {
    return blame(visitor_, root_.owner, entered.error());
  }
  RK_TRY_ASSIGN(const bool follow, visitor_.visit_page(number, 1));
  if (!follow) {
    return {};
  }
  const FixedNodeView& node = entered.value();
  check_keys(number, node, level, range);
  if (level == 0) {
    ++counts_.leaf_pages;
    counts_.entries += node.count();
    for (std::uint32_t i = 0; entry_ && i < node.count(); ++i) {
      RK_TRY(entry_(node.key(i), node.value(i)));
    }
    return {};
  }
  ++counts_.branch_pages;
  for (std::uint32_t i = 0; i < node.count(); ++i) {
    Range part = range;
    if (i > 0) {
      part.from = node.key(i);
    }
    if (i + 1 < node.count()) {
      part.below = node.key(i + 1);
    }
    RK_TRY(walk(node.child(i), static_cast<std::uint16_t>(level - 1), part));
  }
  return {};
}

}  // namespace

Result<void> check_fixed_tree(PageReader& pages, const TreeRoot& root,
                              const StructureVisitor& visitor, const FixedTreeEntryVisitor& entry) {
  if (const Result<void> sane = check_fixed_tree_root(root); !sane.has_value()) {
    return blame(visitor, root.owner, sane.error());
  }
  FixedTreeChecker checker(pages, root, visitor, entry);
  if (root.depth > 0) {
    RK_TRY(checker.walk(PageNo(root.root_page), static_cast<std::uint16_t>(root.depth - 1), {}));
  }
  compare_counts(visitor, root, checker.counts());
  return {};
}

}  // namespace rookery::store
