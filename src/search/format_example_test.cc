// SPDX-License-Identifier: Apache-2.0
// The worked example of docs/format/search.md, byte for byte.
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test_index.h"

namespace rookery::search {
namespace {

// Hexadecimal digits and quoted text, as the page has them.
std::string bytes_of(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      const std::size_t end = text.find('"', i + 1);
      bytes += text.substr(i + 1, end - i - 1);
      i = end + 1;
    } else if (text[i] == ' ') {
      ++i;
    } else {
      bytes.push_back(static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
      i += 2;
    }
  }
  return bytes;
}

struct Expected {
  std::string_view tree;
  std::string_view key;
  std::string_view value;
};

TEST(SearchFormat, IsThatOfItsPage) {
  TestIndex index;
  const std::vector<FieldValues> fields = {plain("age", {integer_term(41)}),
                                           full_text("note", "red fox red")};
  ASSERT_TRUE(
      index.write([&](IndexWriter& writer) { return writer.put("users/1", "Users/1", fields); })
          .has_value());
  constexpr std::string_view kNumber = "00 00 00 00 00 00 00 01";
  const std::vector<Expected> expected = {
      {"search/state", "\"state\"", "02 02 01 03"},
      {"search/fields", "\"age\"", "01 00 00"},
      {"search/fields", "\"note\"", "02 03 03"},
      {"search/keys", "\"users/1\"", kNumber},
      {"search/entries", kNumber,
       "00 07 \"users/1\" 02 00 02 01 00 0A 09 04 C0 44 80 00 00 00 00 00"
       "02 02 03 0D 40 05 \"fox\" 02 31 \"red\" 01 00 02"},
      {"search/terms/1", "04 C0 44 80 00 00 00 00 00", "01 01"},
      {"search/terms/2", "05 \"fox\"", "11 01 12"},
      {"search/terms/2", "05 \"red\"", "11 01 22"},
      {"search/lists", "61 00 00 00 00 00 00 00 00", "01 01"},
      {"search/lists", "68 00 00 00 00 00 00 00 01", "01 01"},
      {"search/lists", "68 00 00 00 00 00 00 00 02", "01 01"},
  };
  Result<store::ReadTxn> txn = index.environment().begin_read();
  ASSERT_TRUE(txn.has_value());
  std::size_t entries = 0;
  for (const char* const name :
       {"state", "fields", "keys", "entries", "terms/1", "terms/2", "lists", "chunks"}) {
    entries += txn->tree("search/" + std::string(name))->entry_count();
  }
  EXPECT_EQ(entries, expected.size());
  for (const Expected& item : expected) {
    const Result<store::Tree> tree = txn->tree(item.tree);
    const Result<std::optional<Bytes>> value = tree->get(as_bytes(bytes_of(item.key)));
    ASSERT_TRUE(value.has_value());
    ASSERT_TRUE(value->has_value()) << item.tree << " " << item.key;
    EXPECT_EQ(as_text(**value), bytes_of(item.value)) << item.tree << " " << item.key;
  }
}

}  // namespace
}  // namespace rookery::search
