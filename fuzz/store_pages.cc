// SPDX-License-Identifier: Apache-2.0
// Trees and tables over pages of any bytes: every call answers with a value or an error, and no
// load leaves the pages. Input: four bytes that choose the roots, then pages of 513 bytes each:
// type, the first 192 bytes of the content, the last 320.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "rookery/base/coding.h"
#include "rookery/store/fixed_tree.h"
#include "rookery/store/table.h"
#include "rookery/store/table_state.h"
#include "rookery/store/tree.h"

namespace rookery::store {
namespace {

constexpr std::size_t kFront = 192;
constexpr std::size_t kBack = 320;
constexpr std::size_t kChunk = 1 + kFront + kBack;
constexpr std::size_t kPagesMax = 16;
constexpr int kStepsMax = 1'000;

// Purpose. Runs of pages, each an allocation that ends before its trailer.
class FuzzedPages : public PageWriter {
 public:
  void add(Bytes chunk) {
    const MutablePage page = make(next_++, 1);
    std::byte* content = page.data + kPageHeaderSize;
    auto header = load<PageHeader>(page.data);
    header.type = static_cast<PageType>(chunk[0]);
    save(page.data, header);
    std::memcpy(content, chunk.data() + 1, kFront);
    std::memcpy(content + kPageCapacity - kBack, chunk.data() + 1 + kFront, kBack);
  }

  Result<PageView> page(PageNo number) override {
    const auto found = runs_.find(number.value());
    if (found == runs_.end()) {
      return ErrorCode::corrupt;
    }
    return PageView{.data = found->second.bytes.get(), .page_count = found->second.count};
  }

  Result<MutablePage> modify(PageNo number) override {
    const auto found = runs_.find(number.value());
    if (found == runs_.end()) {
      return ErrorCode::corrupt;
    }
    return MutablePage{
        .number = number, .data = found->second.bytes.get(), .page_count = found->second.count};
  }

  Result<MutablePage> allocate(const AllocateOptions& options) override {
    const MutablePage page = make(next_++, options.page_count);
    auto header = load<PageHeader>(page.data);
    header.type = options.type;
    header.owner = options.owner;
    save(page.data, header);
    return page;
  }

  Result<void> free(PageNo number) override {
    return runs_.erase(number.value()) == 1 ? Result<void>() : Result<void>(ErrorCode::corrupt);
  }

 private:
  struct Run {
    std::unique_ptr<std::byte[]> bytes;
    std::uint32_t count;
  };

  MutablePage make(std::uint64_t number, std::uint32_t count) {
    Run run{.bytes = std::make_unique<std::byte[]>(count * kPageSize - kPageTrailerSize),
            .count = count};
    save(run.bytes.get(), PageHeader{.checksum = 0,
                                     .page_no = number,
                                     .txn = 1,
                                     .owner = 1,
                                     .type = PageType::kFree,
                                     .flags = 0,
                                     .page_count = 1});
    const MutablePage page{.number = PageNo(number), .data = run.bytes.get(), .page_count = count};
    runs_[number] = std::move(run);
    return page;
  }

  std::map<std::uint64_t, Run> runs_;
  std::uint64_t next_ = 1;
};

template <typename Cursor>
void walk(Cursor cursor, bool forward) {
  Result<bool> more = forward ? cursor.first() : cursor.last();
  for (int steps = 0; more.has_value() && *more && steps < kStepsMax; ++steps) {
    static_cast<void>(cursor.entry());
    more = forward ? cursor.next() : cursor.previous();
  }
}

void use_tree(FuzzedPages& pages, TreeRoot root, const std::string& key) {
  MutableTree tree(pages, root);
  walk(tree.view().cursor(), true);
  walk(tree.view().cursor(), false);
  static_cast<void>(tree.get(as_bytes(key)));
  for (const std::size_t size : {std::size_t{3}, std::size_t{2'000}, std::size_t{9'000}}) {
    const std::string value(size, 'v');
    if (!tree.put(as_bytes(key), as_bytes(value)).has_value()) {
      return;
    }
  }
  if (tree.erase(as_bytes(key)).has_value()) {
    static_cast<void>(tree.clear());
  }
}

void use_fixed_tree(FuzzedPages& pages, TreeRoot root, std::int64_t key) {
  MutableFixedTree tree(pages, root);
  walk(tree.view().cursor(), true);
  walk(tree.view().cursor(), false);
  const std::string value(root.value_size, 'v');
  if (root.value_size <= kFixedValueSizeMax && tree.put(key, as_bytes(value)).has_value() &&
      tree.erase(key).has_value()) {
    static_cast<void>(tree.clear());
  }
}

bool extract_front(Bytes row, KeyBuffer& key) {
  key = as_text(row.first(row.size() < 4 ? row.size() : 4));
  return !key.empty();
}

bool extract_number(Bytes row, KeyBuffer& key) {
  if (row.size() < 12) {
    return false;
  }
  key = as_text(row.subspan(4, 8));
  return true;
}

constexpr std::array<IndexSchema, 1> kIndexes{{{"number", IndexKind::kInt64, extract_number}}};
constexpr TableSchema kSchema{"fuzz", {"front", IndexKind::kBytes, extract_front}, kIndexes};

void use_table(FuzzedPages& pages, std::uint16_t depth) {
  TableState state = TableState::create(kSchema, 1);
  state.space.owner = state.primary.owner = state.secondary[0].root.owner = 1;
  state.primary.root_page = 1;
  state.primary.depth = depth;
  state.secondary[0].root.root_page = 2;
  state.secondary[0].root.depth = 1;
  state.space.root_page = 3;
  state.space.depth = 1;
  state.fill_page = 4;
  MutableTable table(pages, kSchema, state);
  int rows = 0;
  const auto visit = [&](auto, Bytes) -> Result<bool> { return ++rows < kStepsMax; };
  static_cast<void>(table.view().scan_primary({}, false, visit));
  static_cast<void>(table.view().scan_int64(0, 0, true, visit));
  const std::string row = "abcd" + std::string(200, 'r');
  if (table.put(as_bytes(row)).has_value() && table.move_row(as_bytes("abcd")).has_value()) {
    static_cast<void>(table.erase(as_bytes("abcd")));
  }
}

}  // namespace
}  // namespace rookery::store

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rookery::store;  // NOLINT(google-build-using-namespace)
  rookery::Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  if (bytes.size() < 4) {
    return 0;
  }
  const std::uint16_t depth = static_cast<std::uint16_t>(data[1] % 4);
  const std::string key(1U + data[3], static_cast<char>(data[2]));
  TreeRoot root{.owner = 1, .depth = depth, .value_size = data[2]};
  root.root_page = depth == 0 ? 0 : 1;
  bytes = bytes.subspan(4);
  FuzzedPages pages;
  for (std::size_t i = 0; i < kPagesMax && bytes.size() >= kChunk; ++i) {
    pages.add(bytes.first(kChunk));
    bytes = bytes.subspan(kChunk);
  }
  switch (data[0] % 3) {
    case 0:
      use_tree(pages, root, key);
      break;
    case 1:
      use_fixed_tree(pages, root, static_cast<std::int64_t>(data[3]));
      break;
    default:
      use_table(pages, depth == 0 ? 1 : depth);
  }
  return 0;
}
