// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"
#include "rookery/store/ids.h"
#include "rookery/store/page.h"

// Purpose. The inside of one page of a byte-keyed tree, leaf or branch: sorted slots at the front,
// cells at the back.
// Owns: nothing; a NodeView or NodeEditor borrows its page.
// Errors: corrupt, for bytes that cannot be a node.
// The header is checked when a node is opened, each cell when it is touched, so that entering a
// page costs O(1) and no load leaves the page.
// Source: docs/format/tree.md.

namespace rookery::store {

// The first bytes of a node's content.
struct NodeHeader {
  std::uint16_t count;        // cells
  std::uint16_t heap_begin;   // lowest byte of the cells, from the content's start
  std::uint16_t garbage;      // bytes of the heap in no cell
  std::uint16_t level;        // 0: leaf
  std::uint16_t insert_last;  // hint: where the last insert went
  std::uint16_t insert_run;   // hint: how many in a row went right behind the one before
  std::uint32_t reserved;
};

static_assert(sizeof(NodeHeader) == 16);
static_assert(std::is_trivially_copyable_v<NodeHeader>);

inline constexpr std::size_t kNodeSlotSize = 2;
inline constexpr std::size_t kNodeCellHeaderSize = 4;
inline constexpr std::size_t kNodeSpace = kPageCapacity - sizeof(NodeHeader);

// The largest cell, slot included. A third of a page: any node with a new cell splits into two that
// fit, a node under a third and its neighbour average a third or merge, and a value that misses the
// limit pays at most a page for two thirds of waste. Branch cells (key + 8) are below it always.
inline constexpr std::size_t kNodeCellSizeMax = kNodeSpace / 3;
static_assert(kKeySizeMax + sizeof(std::uint64_t) + kNodeCellHeaderSize + kNodeSlotSize <=
              kNodeCellSizeMax);

// A node with less than this much in it looks for a neighbour to merge with.
inline constexpr std::size_t kNodeUsedMin = kNodeSpace / 3;

// A leaf's value that lies in a run of its own.
struct OverflowReference {
  std::uint64_t page_no;
  std::uint64_t size;
};

static_assert(sizeof(OverflowReference) == 16);

struct NodeCell {
  Bytes key;
  Bytes value;            // of a branch: the child's page number; with overflow: OverflowReference
  bool overflow = false;  // leaves only

  [[nodiscard]] std::size_t size() const noexcept {
    return kNodeSlotSize + kNodeCellHeaderSize + key.size() + value.size();
  }
};

// Where a node that is full is cut.
enum class SplitAt : std::uint8_t {
  kMiddle,
  kNewLast,    // keys arrive in ascending order: the old page stays full
  kNewFirst,   // in descending order
  kBehindNew,  // ascending, with other keys behind them: those move out of the way
};

struct NodeSearch {
  std::uint32_t index = 0;  // of the first cell whose key is >= the one sought
  bool found = false;
};

// A cell that its node has no room for.
struct SplitRequest {
  std::uint32_t index = 0;  // where it belongs
  NodeCell cell;
  SplitAt at = SplitAt::kMiddle;
};

class NodeEditor;

class NodeView {
 public:
  // Requires: enter_page() accepted the page.
  [[nodiscard]] static Result<NodeView> open(PageView page, std::uint16_t level);

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

  [[nodiscard]] PageNo number() const noexcept;
  // Bytes in cells and slots.
  [[nodiscard]] std::size_t used() const noexcept;

  // Requires: index < count().
  [[nodiscard]] Result<NodeCell> cell(std::uint32_t index) const;
  [[nodiscard]] Result<NodeSearch> search(Bytes key) const;

  // Branches: the child that leads to `key` (cell 0 stands for everything below cell 1).
  [[nodiscard]] Result<std::uint32_t> child_index(Bytes key) const;
  // Requires: index < count().
  [[nodiscard]] Result<PageNo> child(std::uint32_t index) const;

 private:
  friend class NodeEditor;
  friend Result<std::string> split_node(NodeEditor& left, NodeEditor& right,
                                        const SplitRequest& request);

  NodeView(const std::byte* content, std::uint32_t count) noexcept
      : content_(content), count_(count) {}

  // False if the bytes at the slot's offset are no cell.
  [[nodiscard]] bool try_cell(std::uint32_t index, NodeCell& cell) const noexcept;
  // As search(), from cell `first` on; nullopt if a cell on the way is none.
  [[nodiscard]] std::optional<NodeSearch> try_search(Bytes key, std::uint32_t first) const noexcept;

  const std::byte* content_;
  std::uint32_t count_;
};

// Purpose. Changes a node in place. After an error the page is in no defined state.
class NodeEditor {
 public:
  [[nodiscard]] static Result<NodeEditor> open(const MutablePage& page, std::uint16_t level);
  // Empties the page.
  [[nodiscard]] static NodeEditor format(const MutablePage& page, std::uint16_t level) noexcept;

  [[nodiscard]] NodeView view() const noexcept;

  [[nodiscard]] const MutablePage& page() const noexcept { return page_; }

  [[nodiscard]] PageNo number() const noexcept { return page_.number; }

  [[nodiscard]] NodeHeader header() const noexcept;

  [[nodiscard]] bool has_room(const NodeCell& cell) const noexcept;
  // Requires: has_room(cell), index <= count; the cell does not point into this page.
  [[nodiscard]] Result<void> insert(std::uint32_t index, const NodeCell& cell);
  [[nodiscard]] Result<void> append(const NodeCell& cell);
  // Requires: index < count.
  [[nodiscard]] Result<void> remove(std::uint32_t index);
  // Overwrites a value by one of the same size.
  // Requires: index < count.
  [[nodiscard]] Result<void> overwrite_value(std::uint32_t index, Bytes value);
  // Cell 0 of a branch has no key of its own. Requires: count > 0.
  [[nodiscard]] Result<void> drop_first_key();
  // Remembers where an insert went; returns how many in a row went right behind the one before.
  std::uint16_t note_insert(std::uint32_t index) noexcept;
  void set_insert_run(std::uint16_t run) noexcept;

 private:
  explicit NodeEditor(const MutablePage& page) noexcept
      : page_(page), content_(page.data + kPageHeaderSize) {}

  void set_header(const NodeHeader& header) noexcept;
  [[nodiscard]] Result<void> compact();

  MutablePage page_;
  std::byte* content_;
};

// Deals the cells of `left` and the new one out to both; returns the separator for the parent.
// Requires: `right` is freshly formatted, of the same level.
[[nodiscard]] Result<std::string> split_node(NodeEditor& left, NodeEditor& right,
                                             const SplitRequest& request);
// Appends all cells of `right` to `left`. `separator` is the parent's key between the two.
// Requires: another page.
[[nodiscard]] Result<void> merge_node(NodeEditor& left, const NodeView& right, Bytes separator);
// Whether merge_node() has room.
[[nodiscard]] bool can_merge(const NodeView& left, const NodeView& right, Bytes separator,
                             std::uint16_t level) noexcept;

}  // namespace rookery::store
