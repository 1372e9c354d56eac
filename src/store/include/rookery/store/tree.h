// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/store/catalog.h"
#include "rookery/store/page.h"

// Purpose. A B+tree of byte keys (1 to kKeySizeMax bytes, in byte order) and byte values of any
// size; values too big for a leaf lie in a run of their own and are viewed in place.
// Threads: as its transaction.
// Owns: nothing; borrows the transaction and the root. Views of keys and values live until the next
// change in the same transaction.
// Source: docs/format/tree.md.

namespace rookery::store {

struct TreeEntry {
  Bytes key;
  Bytes value;
};

// Purpose. Walks a tree in key order, either way. A change to the tree ends its position: seek
// again. Once next() or previous() returned false, it is positioned nowhere.
class TreeCursor {
 public:
  // Positions at the first key >= / the last key <= the given one; false if there is none.
  Result<bool> seek(Bytes key);
  Result<bool> seek_last_at_or_before(Bytes key);
  Result<bool> first();
  Result<bool> last();
  Result<bool> next();
  Result<bool> previous();
  // Requires: positioned.
  [[nodiscard]] Result<TreeEntry> entry() const;

 private:
  friend class Tree;

  TreeCursor(PageReader& pages, const TreeRoot& root) : pages_(&pages), root_(&root) {}

  struct Level {
    PageView page;
    std::uint32_t index;
  };
  enum class Toward : std::uint8_t { kFirst, kLast };

  [[nodiscard]] Result<bool> seek_leaf(Bytes key);
  [[nodiscard]] Result<bool> go_to_end(Toward end);
  [[nodiscard]] Result<void> descend(PageNo number, Toward end);
  [[nodiscard]] Result<bool> step(Toward direction);

  PageReader* pages_;
  const TreeRoot* root_;
  std::vector<Level> path_;  // root first; empty: not positioned
};

class Tree {
 public:
  Tree(PageReader& pages, const TreeRoot& root) : pages_(&pages), root_(&root) {}

  [[nodiscard]] Result<std::optional<Bytes>> get(Bytes key) const;

  [[nodiscard]] TreeCursor cursor() const { return {*pages_, *root_}; }

  // The same tree, its pages asked of another reader, such as one that counts.
  [[nodiscard]] Tree through(PageReader& pages) const { return {pages, *root_}; }

  [[nodiscard]] std::uint64_t entry_count() const noexcept { return root_->entry_count; }

 private:
  PageReader* pages_;
  const TreeRoot* root_;
};

class MutableTree {
 public:
  // `root` is updated in place; the caller stores it.
  MutableTree(PageWriter& pages, TreeRoot& root) : pages_(&pages), root_(&root) {}

  [[nodiscard]] Tree view() const { return {*pages_, *root_}; }

  [[nodiscard]] Result<std::optional<Bytes>> get(Bytes key) const { return view().get(key); }

  // Inserts or replaces. Neither argument may point into this tree's own pages.
  // Errors: invalid_argument for an empty or too long key; too_large for a value over 4 GB.
  [[nodiscard]] Result<void> put(Bytes key, Bytes value);
  // False if there was no such key.
  [[nodiscard]] Result<bool> erase(Bytes key);
  // Frees every page.
  [[nodiscard]] Result<void> clear();

 private:
  PageWriter* pages_;
  TreeRoot* root_;
};

}  // namespace rookery::store
