// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/store/catalog.h"
#include "rookery/store/page.h"

// Purpose. A B+tree from int64 keys to values of one size (0 to 256 bytes), dense and cheap: etag
// indexes, free-space lists.
// Threads, Owns: as Tree.
// Source: docs/format/fixed_tree.md.

namespace rookery::store {

inline constexpr std::size_t kFixedValueSizeMax = 256;

struct FixedTreeEntry {
  std::int64_t key;
  Bytes value;
};

class FixedTreeCursor {
 public:
  // Positions at the first key >= / the last key <= the given one; false if there is none.
  Result<bool> seek(std::int64_t key);
  Result<bool> seek_last_at_or_before(std::int64_t key);
  Result<bool> first();
  Result<bool> last();
  Result<bool> next();
  Result<bool> previous();
  // Requires: positioned.
  [[nodiscard]] FixedTreeEntry entry() const;

 private:
  friend class FixedTree;

  FixedTreeCursor(PageReader& pages, const TreeRoot& root) : pages_(&pages), root_(&root) {}

  struct Level {
    PageView page;
    std::uint32_t index;
  };
  enum class Toward : std::uint8_t { kFirst, kLast };

  [[nodiscard]] Result<bool> seek_leaf(std::int64_t key);
  [[nodiscard]] Result<bool> go_to_end(Toward end);
  [[nodiscard]] Result<void> descend(PageNo number, Toward end);
  [[nodiscard]] Result<bool> step(Toward direction);

  PageReader* pages_;
  const TreeRoot* root_;
  std::vector<Level> path_;  // root first; empty: not positioned
};

class FixedTree {
 public:
  FixedTree(PageReader& pages, const TreeRoot& root) : pages_(&pages), root_(&root) {}

  [[nodiscard]] Result<std::optional<Bytes>> get(std::int64_t key) const;

  [[nodiscard]] FixedTreeCursor cursor() const { return {*pages_, *root_}; }

  [[nodiscard]] std::uint64_t entry_count() const noexcept { return root_->entry_count; }

 private:
  PageReader* pages_;
  const TreeRoot* root_;
};

class MutableFixedTree {
 public:
  // `root.value_size` says the size of every value.
  MutableFixedTree(PageWriter& pages, TreeRoot& root) : pages_(&pages), root_(&root) {}

  [[nodiscard]] FixedTree view() const { return {*pages_, *root_}; }

  // Inserts or replaces. `value` must not point into this tree's own pages.
  // Requires: value.size() == root.value_size.
  [[nodiscard]] Result<void> put(std::int64_t key, Bytes value);
  [[nodiscard]] Result<bool> erase(std::int64_t key);
  [[nodiscard]] Result<void> clear();

 private:
  PageWriter* pages_;
  TreeRoot* root_;
};

}  // namespace rookery::store
