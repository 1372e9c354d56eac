// SPDX-License-Identifier: Apache-2.0
// The worked examples of docs/format: each page is made anew and compared with what the document
// shows, byte by byte; bytes that it does not show must be zero.
#include <charconv>
#include <fstream>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rookery/store/fixed_tree.h"
#include "rookery/store/tree.h"

#include "fake_pages.h"
#include "raw_page.h"
#include "table_access.h"
#include "table_test_support.h"

namespace rookery::store {
namespace {

// The rows "offset  HH HH ...  remark" in the fenced block behind the heading of the example.
std::map<std::size_t, std::byte> read_example(const std::string& document) {
  std::ifstream file(std::string(RK_DOCS_DIR) + "/format/" + document);
  std::map<std::size_t, std::byte> bytes;
  std::string line;
  bool behind_heading = false;
  bool in_block = false;
  while (std::getline(file, line)) {
    behind_heading = behind_heading || line == "## A worked example";
    if (line.starts_with("```")) {
      in_block = !in_block;
      continue;
    }
    if (!behind_heading || !in_block || line.size() < 8) {
      continue;
    }
    std::size_t offset = 0;
    const char* digits = line.data() + line.find_first_not_of(' ');
    std::from_chars(digits, line.data() + line.size(), offset);
    for (std::size_t at = 6; at + 1 < line.size() && line[at] != ' '; at += 3) {
      unsigned value = 0;
      std::from_chars(line.data() + at, line.data() + at + 2, value, 16);
      bytes[offset++] = static_cast<std::byte>(value);
    }
  }
  return bytes;
}

void expect_example(FakePages& pages, PageNo number, const std::string& document) {
  const std::map<std::size_t, std::byte> shown = read_example(document);
  EXPECT_GT(shown.size(), 32U) << document << " shows no example";
  const auto page = pages.page(number);
  ASSERT_TRUE(page.has_value());
  std::string actual;
  bool same = true;
  for (std::size_t at = 0; at < kPageSize - kPageTrailerSize; ++at) {
    const std::byte byte = page->data[at];
    const auto found = shown.find(at);
    same = same && byte == (found == shown.end() ? std::byte{0} : found->second);
    if (byte != std::byte{0} || found != shown.end()) {
      actual += fmt::format("{}: {:02X}\n", at, static_cast<unsigned>(byte));
    }
  }
  EXPECT_TRUE(same) << document << " shows other bytes than the page has:\n" << actual;
}

TEST(FormatExample, OfATreesLeaf) {
  FakePages pages;
  TreeRoot root{.owner = 7};
  MutableTree tree(pages, root);
  ASSERT_TRUE(tree.put(as_bytes("bee"), as_bytes("22")).has_value());
  ASSERT_TRUE(tree.put(as_bytes("cat"), {}).has_value());
  ASSERT_TRUE(tree.put(as_bytes("ant"), as_bytes("1")).has_value());
  expect_example(pages, PageNo(root.root_page), "tree.md");
}

TEST(FormatExample, OfAFixedSizeTreesLeaf) {
  FakePages pages;
  TreeRoot root{.owner = 9, .value_size = 4};
  MutableFixedTree tree(pages, root);
  for (const std::int64_t key : {9, 5, -1}) {
    const std::string value(4, static_cast<char>('a' + (key & 15)));
    ASSERT_TRUE(tree.put(key, as_bytes(value)).has_value());
  }
  expect_example(pages, PageNo(root.root_page), "fixed_tree.md");
}

TEST(FormatExample, OfATablesPageOfRows) {
  FakePages pages;
  TableState state = TableState::create(kTestSchema, 20);
  MutableTable table(pages, kTestSchema, state);
  for (const char* id : {"a", "b", "c"}) {
    const TestRow row{.id = id, .number = 0, .tag = "", .body = std::string("of ") + id};
    ASSERT_TRUE(table.put(as_bytes(row.encode())).has_value());
  }
  ASSERT_TRUE(*table.erase(as_bytes("b")));
  expect_example(pages, PageNo(state.fill_page), "table.md");
  const auto id = find_in_index(pages, IndexKind::kBytes, state.primary, as_bytes("c"));
  EXPECT_EQ((*id)->value(), 0x0000000001008003U);  // as the document says
}

}  // namespace
}  // namespace rookery::store
