// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "rookery/store/table.h"

// Purpose. For tests: a table whose rows are an id, a number, a tag and a body, with an index by
// number (int64; no number, not in it) and one by tag and id (bytes; no tag, not in it).

namespace rookery::store {

struct TestRow {
  std::string id;
  std::int64_t number = 0;  // 0: none
  std::string tag;
  std::string body;

  // One-byte sizes of id and tag, number, id, tag, body.
  [[nodiscard]] std::string encode() const {
    std::string row(10, '\0');
    row[0] = static_cast<char>(id.size());
    row[1] = static_cast<char>(tag.size());
    std::memcpy(row.data() + 2, &number, sizeof(number));
    return row + id + tag + body;
  }
};

struct TestRowView {
  std::string_view id;
  std::int64_t number = 0;
  std::string_view tag;
  std::string_view body;
};

// False if the row is damaged.
inline bool view_test_row(Bytes bytes, TestRowView& row) {
  const std::string_view text = as_text(bytes);
  if (text.size() < 10) {
    return false;
  }
  const std::size_t id_size = static_cast<unsigned char>(text[0]);
  const std::size_t tag_size = static_cast<unsigned char>(text[1]);
  if (text.size() < 10 + id_size + tag_size) {
    return false;
  }
  std::memcpy(&row.number, text.data() + 2, sizeof(row.number));
  row.id = text.substr(10, id_size);
  row.tag = text.substr(10 + id_size, tag_size);
  row.body = text.substr(10 + id_size + tag_size);
  return true;
}

inline bool extract_id(Bytes bytes, KeyBuffer& key) {
  TestRowView row;
  if (!view_test_row(bytes, row) || row.id.empty()) {
    return false;
  }
  key = row.id;
  return true;
}

inline bool extract_number(Bytes bytes, KeyBuffer& key) {
  TestRowView row;
  if (!view_test_row(bytes, row) || row.number == 0) {
    return false;
  }
  key.assign(reinterpret_cast<const char*>(&row.number), sizeof(row.number));
  return true;
}

inline bool extract_tag(Bytes bytes, KeyBuffer& key) {
  TestRowView row;
  if (!view_test_row(bytes, row) || row.tag.empty()) {
    return false;
  }
  key.assign(row.tag).append("/").append(row.id);
  return true;
}

inline constexpr std::size_t kByNumber = 0;
inline constexpr std::size_t kByTag = 1;
inline constexpr std::array<IndexSchema, 2> kTestIndexes{
    {{"number", IndexKind::kInt64, extract_number}, {"tag", IndexKind::kBytes, extract_tag}}};
inline constexpr TableSchema kTestSchema{
    .name = "rows", .primary = {"id", IndexKind::kBytes, extract_id}, .secondary = kTestIndexes};

}  // namespace rookery::store
