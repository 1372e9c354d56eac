// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/store/catalog.h"
#include "rookery/store/fixed_tree.h"
#include "rookery/store/page.h"

#include "page_access.h"

// Purpose. The inside of one page of a fixed-size tree: an array of keys, then an array of values
//   (of a branch: children), both with room for `capacity` of them.
// Owns: nothing; borrows its page.
// Errors: corrupt, when a node is opened whose header cannot be; after that no index below count()
//   can leave the page.
// Source: docs/format/fixed_tree.md.

namespace rookery::store {

// The first bytes of a node's content.
struct FixedNodeHeader {
  std::uint16_t count;
  std::uint16_t level;       // 0: leaf
  std::uint16_t value_size;  // of this page: 8 in branches
  std::uint16_t reserved_1;
  std::uint64_t reserved_2;
};

static_assert(sizeof(FixedNodeHeader) == 16);
static_assert(std::is_trivially_copyable_v<FixedNodeHeader>);

// Cells of a page whose values have this size.
[[nodiscard]] constexpr std::uint32_t fixed_node_capacity(std::size_t value_size) noexcept {
  return static_cast<std::uint32_t>((kPageCapacity - sizeof(FixedNodeHeader)) /
                                    (sizeof(std::int64_t) + value_size));
}

static_assert(fixed_node_capacity(kFixedValueSizeMax) == 30);

inline constexpr std::uint16_t kFixedChildSize = sizeof(std::uint64_t);

[[nodiscard]] constexpr PageType fixed_tree_page_type(std::uint16_t level) noexcept {
  return level == 0 ? PageType::kFixedTreeLeaf : PageType::kFixedTreeBranch;
}

struct FixedNodeSearch {
  std::uint32_t index = 0;  // of the first key >= the one sought
  bool found = false;
};

class FixedNodeView {
 public:
  // Requires: enter_page() accepted the page.
  [[nodiscard]] static Result<FixedNodeView> open(PageView page, std::uint16_t level,
                                                  std::uint16_t value_size);

  // The first `count` cells of a page that open() accepted before.
  [[nodiscard]] static FixedNodeView with_count(PageView page, std::uint32_t count,
                                                std::uint16_t value_size) noexcept;

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

  [[nodiscard]] std::uint32_t capacity() const noexcept { return fixed_node_capacity(value_size_); }

  // Requires (all three): index < count().
  [[nodiscard]] std::int64_t key(std::uint32_t index) const noexcept;
  [[nodiscard]] Bytes value(std::uint32_t index) const noexcept;
  [[nodiscard]] PageNo child(std::uint32_t index) const noexcept;

  [[nodiscard]] FixedNodeSearch search(std::int64_t key) const noexcept;
  // Branches: the child that leads to `key` (cell 0 stands for everything below cell 1).
  [[nodiscard]] std::uint32_t child_index(std::int64_t key) const noexcept;

 private:
  friend class FixedNodeEditor;

  FixedNodeView(const std::byte* content, std::uint16_t count, std::uint16_t value_size) noexcept
      : content_(content), count_(count), value_size_(value_size) {}

  [[nodiscard]] std::uint32_t lower_bound(std::int64_t key, std::uint32_t first) const noexcept;

  const std::byte* content_;
  std::uint16_t count_;
  std::uint16_t value_size_;
};

class FixedNodeEditor {
 public:
  [[nodiscard]] static Result<FixedNodeEditor> open(const MutablePage& page, std::uint16_t level,
                                                    std::uint16_t value_size);
  [[nodiscard]] static FixedNodeEditor format(const MutablePage& page, std::uint16_t level,
                                              std::uint16_t value_size) noexcept;

  [[nodiscard]] FixedNodeView view() const noexcept;

  [[nodiscard]] PageNo number() const noexcept { return page_.number; }

  [[nodiscard]] std::uint32_t count() const noexcept { return header().count; }

  [[nodiscard]] bool is_full() const noexcept { return count() == view().capacity(); }

  // Requires: not full, index <= count().
  void insert(std::uint32_t index, std::int64_t key, Bytes value) noexcept;
  // Requires (all below): index < count().
  void remove(std::uint32_t index) noexcept;
  void set_key(std::uint32_t index, std::int64_t key) noexcept;
  void set_value(std::uint32_t index, Bytes value) noexcept;
  // Moves the cells from `first` on behind those of `to`. Requires: they fit; another page.
  void move_tail(std::uint32_t first, FixedNodeEditor& to) noexcept;
  // Copies all cells of `from` behind ours. Requires: they fit; another page.
  void append_all(const FixedNodeView& from) noexcept;

 private:
  explicit FixedNodeEditor(const MutablePage& page) noexcept
      : page_(page), content_(page.data + kPageHeaderSize) {}

  [[nodiscard]] FixedNodeHeader header() const noexcept { return load<FixedNodeHeader>(content_); }

  void set_count(std::uint32_t count) noexcept;
  [[nodiscard]] std::byte* key_at(std::uint32_t index) noexcept;
  [[nodiscard]] std::byte* value_at(std::uint32_t index) noexcept;

  MutablePage page_;
  std::byte* content_;
};

// Errors: corrupt, for a root that cannot be.
[[nodiscard]] Result<void> check_fixed_tree_root(const TreeRoot& root);
[[nodiscard]] Result<FixedNodeView> enter_fixed_node(PageReader& pages, const TreeRoot& root,
                                                     PageNo number, std::uint16_t level);

}  // namespace rookery::store
