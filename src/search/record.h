// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rookery/base/coding.h"
#include "rookery/base/result.h"

// Purpose. The record of an entry: its key, what is given back with hits, and its terms by field:
// what removal, orders and phrases need.
// Threads: any; plain values.
// Errors: corrupt, for bytes that cannot be; nothing is read outside of what is given.
// Source: docs/format/search.md "Records".

namespace rookery::search {

// A field as it is about to be written: terms ascending, each once.
struct RecordField {
  struct WithPositions {
    std::string term;
    std::vector<std::uint32_t> positions;  // ascending; empty outside full text
  };

  std::uint32_t number = 0;
  bool is_text = false;
  std::uint64_t length = 0;  // full text: words in all
  std::vector<WithPositions> terms;
};

// Requires: fields ascend by number.
[[nodiscard]] std::string encode_record(std::string_view key, std::string_view stored,
                                        std::span<const RecordField> fields);

// One field of a record. Owns: nothing.
struct RecordFieldView {
  std::uint32_t number = 0;
  bool is_text = false;
  std::uint64_t length = 0;
  Bytes terms;
};

// Purpose. A record while it is read. Owns: nothing; borrows the bytes.
class RecordView {
 public:
  [[nodiscard]] static Result<RecordView> open(Bytes bytes);

  [[nodiscard]] std::string_view key() const noexcept { return key_; }

  [[nodiscard]] std::string_view stored() const noexcept { return stored_; }

  [[nodiscard]] Result<std::optional<RecordFieldView>> field(std::uint32_t number) const;
  [[nodiscard]] Result<std::vector<RecordFieldView>> fields() const;

 private:
  std::string_view key_;
  std::string_view stored_;
  std::uint64_t field_count_ = 0;
  Bytes fields_;
};

// Purpose. Walks the terms of a field, ascending.
class RecordTerms {
 public:
  explicit RecordTerms(const RecordFieldView& field)
      : rest_(field.terms), is_text_(field.is_text) {}

  // False at the end.
  [[nodiscard]] Result<bool> next();

  [[nodiscard]] std::string_view term() const noexcept { return term_; }

  [[nodiscard]] std::uint64_t position_count() const noexcept { return position_count_; }

  // Of the term, ascending.
  [[nodiscard]] Result<std::vector<std::uint32_t>> positions() const;

 private:
  Bytes rest_;
  bool is_text_;
  std::string_view term_;
  std::uint64_t position_count_ = 0;
  Bytes positions_;
};

}  // namespace rookery::search
