// SPDX-License-Identifier: Apache-2.0
#include "record.h"

#include <limits>

#include "rookery/search/term.h"

namespace rookery::search {
namespace {

Error corrupt(std::string_view what) {
  return {ErrorCode::corrupt, std::string(what)};
}

void append_sized(std::string& to, std::string_view bytes) {
  append_varint(to, bytes.size());
  to.append(bytes);
}

Result<Bytes> take_sized(Bytes& from) {
  const std::optional<std::uint64_t> size = take_varint(from);
  if (!size || *size > from.size()) {
    return corrupt("an entry's record is cut short");
  }
  const Bytes taken = from.first(*size);
  from = from.subspan(*size);
  return taken;
}

Result<std::uint64_t> take_number(Bytes& from, std::uint64_t max) {
  const std::optional<std::uint64_t> number = take_varint(from);
  if (!number || *number > max) {
    return corrupt("an entry's record has a number that cannot be");
  }
  return *number;
}

Result<RecordFieldView> take_field(Bytes& from) {
  constexpr std::uint64_t kNumberMax = std::numeric_limits<std::uint32_t>::max();
  RecordFieldView field;
  RK_TRY_ASSIGN(const std::uint64_t number, take_number(from, kNumberMax));
  field.number = static_cast<std::uint32_t>(number);
  RK_TRY_ASSIGN(const std::uint64_t is_text, take_number(from, 1));
  field.is_text = is_text == 1;
  if (field.is_text) {
    RK_TRY_ASSIGN(field.length, take_number(from, ~std::uint64_t{0}));
  }
  RK_TRY_ASSIGN(field.terms, take_sized(from));
  return field;
}

}  // namespace

std::string encode_record(std::string_view key, std::string_view stored,
                          std::span<const RecordField> fields) {
  std::string record;
  append_sized(record, key);
  append_sized(record, stored);
  append_varint(record, fields.size());
  std::string terms;
  for (const RecordField& field : fields) {
    append_varint(record, field.number);
    append_varint(record, field.is_text ? 1 : 0);
    if (field.is_text) {
      append_varint(record, field.length);
    }
    terms.clear();
    for (const RecordField::WithPositions& item : field.terms) {
      append_sized(terms, item.term);
      if (!field.is_text) {
        continue;
      }
      std::string positions;
      std::uint32_t before = 0;
      for (const std::uint32_t position : item.positions) {
        append_varint(positions, position - before);
        before = position;
      }
      append_varint(terms, item.positions.size());
      append_sized(terms, positions);
    }
    append_sized(record, terms);
  }
  return record;
}

Result<RecordView> RecordView::open(Bytes bytes) {
  RecordView record;
  RK_TRY_ASSIGN(const Bytes key, take_sized(bytes));
  RK_TRY_ASSIGN(const Bytes stored, take_sized(bytes));
  record.key_ = as_text(key);
  record.stored_ = as_text(stored);
  // A field takes three bytes at least.
  RK_TRY_ASSIGN(record.field_count_, take_number(bytes, bytes.size()));
  record.fields_ = bytes;
  return record;
}

Result<std::optional<RecordFieldView>> RecordView::field(std::uint32_t number) const {
  Bytes rest = fields_;
  for (std::uint64_t i = 0; i < field_count_; ++i) {
    RK_TRY_ASSIGN(const RecordFieldView field, take_field(rest));
    if (field.number == number) {
      return std::optional(field);
    }
    if (field.number > number) {
      break;
    }
  }
  return std::optional<RecordFieldView>();
}

Result<std::vector<RecordFieldView>> RecordView::fields() const {
  std::vector<RecordFieldView> fields;
  Bytes rest = fields_;
  for (std::uint64_t i = 0; i < field_count_; ++i) {
    RK_TRY_ASSIGN(const RecordFieldView field, take_field(rest));
    if (!fields.empty() && fields.back().number >= field.number) {
      return corrupt("an entry's record has its fields out of order");
    }
    fields.push_back(field);
  }
  if (!rest.empty()) {
    return corrupt("an entry's record has more bytes than fields");
  }
  return fields;
}

Result<bool> RecordTerms::next() {
  if (rest_.empty()) {
    return false;
  }
  RK_TRY_ASSIGN(const Bytes term, take_sized(rest_));
  if (term.empty() || term.size() > kTermSizeMax) {
    return corrupt("an entry's record has a term of an impossible size");
  }
  term_ = as_text(term);
  if (is_text_) {
    RK_TRY_ASSIGN(position_count_, take_number(rest_, ~std::uint64_t{0}));
    RK_TRY_ASSIGN(positions_, take_sized(rest_));
    if (position_count_ == 0 || position_count_ > positions_.size()) {
      return corrupt("an entry's record has a count of positions that cannot be");
    }
  }
  return true;
}

Result<std::vector<std::uint32_t>> RecordTerms::positions() const {
  std::vector<std::uint32_t> positions;
  positions.reserve(position_count_);
  Bytes rest = positions_;
  std::uint64_t position = 0;
  for (std::uint64_t i = 0; i < position_count_; ++i) {
    RK_TRY_ASSIGN(const std::uint64_t distance,
                  take_number(rest, std::numeric_limits<std::uint32_t>::max() - position));
    position += distance;
    positions.push_back(static_cast<std::uint32_t>(position));
  }
  if (!rest.empty()) {
    return corrupt("an entry's record has more bytes than positions");
  }
  return positions;
}

}  // namespace rookery::search
