// SPDX-License-Identifier: Apache-2.0
#include "page_table.h"

#include "rookery/base/check.h"

namespace rookery::store {
namespace {

constexpr std::uint32_t kBits = PageTableNode::kFanOutBits;
constexpr std::uint64_t kSlotMask = PageTableNode::kFanOut - 1;

// Keys below this fit a trie of `height` levels.
bool fits(std::uint64_t key, std::uint32_t height) noexcept {
  return kBits * height >= 64 || (key >> (kBits * height)) == 0;
}

std::size_t slot_at(std::uint64_t key, std::uint32_t level) noexcept {
  return static_cast<std::size_t>((key >> (kBits * level)) & kSlotMask);
}

PageTableNode* child_at(const PageTableNode* node, std::size_t slot) noexcept {
  return reinterpret_cast<PageTableNode*>(node->slots[slot]);
}

std::uint64_t to_slot(PageTableNode* node) noexcept {
  return reinterpret_cast<std::uintptr_t>(node);
}

using Found = std::optional<std::pair<PageNo, PageEntry>>;

// NOLINTNEXTLINE(misc-no-recursion): as deep as the trie, 11 levels at most.
Found first_entry(const PageTableNode* node, std::uint32_t level, std::uint64_t prefix,
                  std::uint64_t from) noexcept {
  // `from` still matters only along the edge of the subtree that contains it.
  const std::uint64_t span = std::uint64_t{1} << (kBits * level);
  std::size_t slot = from > prefix ? static_cast<std::size_t>((from - prefix) / span) : 0;
  for (; slot < PageTableNode::kFanOut; ++slot) {
    if (node->slots[slot] == 0) {
      continue;
    }
    const std::uint64_t key = prefix + slot * span;
    if (level == 0) {
      return {{PageNo(key), PageEntry::from_bits(node->slots[slot])}};
    }
    if (auto found = first_entry(child_at(node, slot), level - 1, key, from)) {
      return found;
    }
  }
  return std::nullopt;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the trie.
void dispose_subtree(PageTableNode* node, std::uint32_t level, PageTableGarbage& garbage) {
  for (std::size_t slot = 0; slot < PageTableNode::kFanOut; ++slot) {
    if (node->slots[slot] == 0) {
      continue;
    }
    if (level > 0) {
      dispose_subtree(child_at(node, slot), level - 1, garbage);
    } else if (PageImage* image = PageEntry::from_bits(node->slots[slot]).image()) {
      garbage.images.push_back(image);
    }
  }
  garbage.nodes.push_back(node);
}

}  // namespace

PageEntry PageTable::find(PageNo number) const noexcept {
  const std::uint64_t key = number.value();
  if (height == 0 || !fits(key, height)) {
    return {};
  }
  const PageTableNode* node = root;
  for (std::uint32_t level = height - 1; level > 0; --level) {
    node = child_at(node, slot_at(key, level));
    if (node == nullptr) {
      return {};
    }
  }
  return PageEntry::from_bits(node->slots[slot_at(key, 0)]);
}

std::optional<std::pair<PageNo, PageEntry>> PageTable::next(PageNo from) const noexcept {
  if (height == 0 || !fits(from.value(), height)) {
    return std::nullopt;
  }
  return first_entry(root, height - 1, 0, from.value());
}

void PageTableGarbage::dispose(ScratchPool& scratch) noexcept {
  for (PageTableNode* node : nodes) {
    delete node;
  }
  for (PageImage* image : images) {
    scratch.release(image->run);
    delete image;
  }
  nodes.clear();
  images.clear();
}

PageTableEdit::PageTableEdit(const PageTable& base, std::uint64_t edit, ScratchPool& scratch)
    : scratch_(scratch), edit_(edit), table_(base) {
  RK_CHECK(edit > 0);
}

PageTableEdit::~PageTableEdit() {
  created_.dispose(scratch_);
}

PageTableNode* PageTableEdit::new_node() {
  auto* node = new PageTableNode();
  node->edit = edit_;
  created_.nodes.push_back(node);
  return node;
}

PageTableNode* PageTableEdit::own(PageTableNode* node) {
  if (node->edit == edit_) {
    return node;
  }
  PageTableNode* copy = new_node();
  copy->slots = node->slots;
  retired_.nodes.push_back(node);
  return copy;
}

void PageTableEdit::grow_to(std::uint64_t key) {
  if (table_.height == 0) {
    table_.root = new_node();
    table_.height = 1;
  }
  while (!fits(key, table_.height)) {
    PageTableNode* root = new_node();
    root->slots[0] = to_slot(table_.root);
    table_.root = root;
    ++table_.height;
  }
  table_.root = own(table_.root);
}

// An image of this very edit that is replaced was never visible to anyone else.
void PageTableEdit::drop_entry(PageEntry old) {
  if (old.empty()) {
    return;
  }
  --table_.entries;
  PageImage* image = old.image();
  if (image == nullptr) {
    return;
  }
  table_.image_pages -= image->page_count();
  if (image->edit != edit_) {
    retired_.images.push_back(image);
    return;
  }
  RK_CHECK(created_.images[image->created_index] == image);
  created_.images.back()->created_index = image->created_index;
  created_.images[image->created_index] = created_.images.back();
  created_.images.pop_back();
  scratch_.release(image->run);
  delete image;
}

void PageTableEdit::put(PageNo number, PageEntry entry) {
  const std::uint64_t key = number.value();
  grow_to(key);
  PageTableNode* node = table_.root;
  for (std::uint32_t level = table_.height - 1; level > 0; --level) {
    const std::size_t slot = slot_at(key, level);
    PageTableNode* child = child_at(node, slot);
    child = child == nullptr ? new_node() : own(child);
    node->slots[slot] = to_slot(child);
    node = child;
  }
  drop_entry(PageEntry::from_bits(node->slots[slot_at(key, 0)]));
  node->slots[slot_at(key, 0)] = entry.bits();
  ++table_.entries;
}

PageImage* PageTableEdit::put_image(PageNo number, std::uint64_t txn, const ScratchRun& run) {
  auto* image = new PageImage{txn, edit_, created_.images.size(), run};
  created_.images.push_back(image);
  // drop_entry() may move this image inside the list; its index moves with it.
  put(number, PageEntry(image));
  table_.image_pages += run.page_count;
  if (run.page_count > 1) {
    put_tombstones(number.next(), run.page_count - 1, txn);
  }
  return image;
}

void PageTableEdit::put_tombstones(PageNo first, std::uint64_t count, std::uint64_t txn) {
  for (std::uint64_t i = 0; i < count; ++i) {
    put(PageNo(first.value() + i), PageEntry::tombstone(txn));
  }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the trie.
PageTableNode* PageTableEdit::trimmed(PageTableNode* node, std::uint32_t level,
                                      std::uint64_t up_to) {
  std::array<std::uint64_t, PageTableNode::kFanOut> slots = node->slots;
  std::uint64_t any = 0;
  for (std::uint64_t& slot : slots) {
    if (slot != 0 && level > 0) {
      slot = to_slot(trimmed(reinterpret_cast<PageTableNode*>(slot), level - 1, up_to));
    } else if (slot != 0 && PageEntry::from_bits(slot).txn() <= up_to) {
      drop_entry(PageEntry::from_bits(slot));
      slot = 0;
    }
    any |= slot;
  }
  if (slots == node->slots) {
    return node;
  }
  if (any == 0) {
    retired_.nodes.push_back(node);
    return nullptr;
  }
  PageTableNode* copy = own(node);
  copy->slots = slots;
  return copy;
}

void PageTableEdit::trim(std::uint64_t up_to) {
  RK_CHECK(created_.nodes.empty());
  if (table_.height == 0) {
    return;
  }
  table_.root = trimmed(table_.root, table_.height - 1, up_to);
  if (table_.root == nullptr) {
    RK_CHECK(table_.entries == 0);
    RK_CHECK(table_.image_pages == 0);
    table_.height = 0;
  }
}

PageTableDelta PageTableEdit::take() {
  for (PageImage* image : created_.images) {
    image->created_index = 0;
  }
  PageTableDelta delta{table_, std::move(created_), std::move(retired_)};
  created_ = {};
  retired_ = {};
  return delta;
}

void dispose_page_table(const PageTable& table, ScratchPool& scratch) noexcept {
  PageTableGarbage garbage;
  if (table.height > 0) {
    dispose_subtree(table.root, table.height - 1, garbage);
  }
  garbage.dispose(scratch);
}

}  // namespace rookery::store
