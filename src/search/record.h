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
    // Full text: a part of `positions`, ascending, one at least.
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  std::uint32_t number = 0;
  bool is_text = false;
  std::uint64_t length = 0;  // full text: words in all
  std::vector<WithPositions> terms;
  std::vector<std::uint32_t> positions;
};

// Requires: fields ascend by number.
[[nodiscard]] std::string encode_record(std::string_view key, std::string_view stored,
                                        std::span<const RecordField> fields);

// One field of a record. Owns: nothing.
struct RecordFieldView {
  std::uint32_t number = 0;
  bool is_text = false;
  bool is_packed = false;  // text as this version writes it
  std::uint64_t length = 0;
  Bytes terms;
};

// Purpose. A record while it is read. Owns: nothing; borrows the bytes.
class RecordView {
 public:
  [[nodiscard]] static Result<RecordView> open(Bytes bytes);

  [[nodiscard]] std::string_view key() const noexcept { return key_; }

  [[nodiscard]] std::string stored() const;

  [[nodiscard]] Result<std::optional<RecordFieldView>> field(std::uint32_t number) const;
  [[nodiscard]] Result<std::vector<RecordFieldView>> fields() const;

 private:
  std::string_view key_;
  std::string_view stored_;                // unless it is the key but for capitals
  std::optional<std::uint64_t> capitals_;  // how many
  Bytes capital_places_;
  std::uint64_t field_count_ = 0;
  Bytes fields_;
};

// Purpose. Walks the terms of a field, ascending.
class RecordTerms {
 public:
  explicit RecordTerms(const RecordFieldView& field)
      : rest_(field.terms), is_text_(field.is_text), is_packed_(field.is_packed) {}

  // False at the end.
  [[nodiscard]] Result<bool> next();

  // Lives until the next step.
  [[nodiscard]] std::string_view term() const noexcept {
    return is_packed_ ? std::string_view(built_) : term_;
  }

  [[nodiscard]] std::uint64_t position_count() const noexcept { return position_count_; }

  // Of the term, ascending.
  [[nodiscard]] Result<std::vector<std::uint32_t>> positions() const;

 private:
  [[nodiscard]] Result<void> next_packed();

  Bytes rest_;
  bool is_text_;
  bool is_packed_;
  std::string_view term_;
  std::string built_;  // out of what it shares with the one before
  std::uint64_t position_count_ = 0;
  std::uint32_t first_position_ = 0;  // packed: the others are distances from it on
  Bytes positions_;
};

}  // namespace rookery::search
