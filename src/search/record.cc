// SPDX-License-Identifier: Apache-2.0
#include "record.h"

#include <algorithm>
#include <limits>

#include "rookery/search/term.h"

namespace rookery::search {
namespace {

// Before the key's size, which is never 0: records of version 2 of the format.
constexpr char kNewLayout = 0;

// Kinds of fields.
constexpr std::uint64_t kPlain = 0;
// 1: text as version 1 of the format wrote it, each term and its positions sized.
constexpr std::uint64_t kPackedText = 2;

constexpr unsigned kSizeInByteMax = 15;

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
  RK_TRY_ASSIGN(const std::uint64_t kind, take_number(from, kPackedText));
  field.is_text = kind != kPlain;
  field.is_packed = kind == kPackedText;
  if (field.is_text) {
    RK_TRY_ASSIGN(field.length, take_number(from, ~std::uint64_t{0}));
  }
  RK_TRY_ASSIGN(field.terms, take_sized(from));
  return field;
}

// Where `stored` has a capital for the key's small letter, if that is all they differ in: ids are
// as they were written, keys have their case folded.
std::optional<std::vector<std::size_t>> capitals(std::string_view key, std::string_view stored) {
  if (key.size() != stored.size()) {
    return std::nullopt;
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (key[i] == stored[i]) {
      continue;
    }
    if (key[i] < 'a' || key[i] > 'z' || stored[i] != static_cast<char>(key[i] - 'a' + 'A')) {
      return std::nullopt;
    }
    places.push_back(i);
  }
  return places;
}

void append_stored(std::string& record, std::string_view key, std::string_view stored) {
  const std::optional<std::vector<std::size_t>> places = capitals(key, stored);
  if (!places.has_value()) {
    append_varint(record, 0);
    append_sized(record, stored);
    return;
  }
  append_varint(record, places->size() + 1);
  std::size_t before = 0;
  for (const std::size_t place : *places) {
    append_varint(record, place - before);
    before = place;
  }
}

// One byte for what two sizes mostly are.
void append_sizes(std::string& to, std::size_t shared, std::size_t own) {
  const std::size_t low = std::min<std::size_t>(shared, kSizeInByteMax);
  const std::size_t high = std::min<std::size_t>(own, kSizeInByteMax);
  to.push_back(static_cast<char>(low | high << 4U));
  if (low == kSizeInByteMax) {
    append_varint(to, shared - low);
  }
  if (high == kSizeInByteMax) {
    append_varint(to, own - high);
  }
}

void append_positions(std::string& to, std::span<const std::uint32_t> positions) {
  const bool is_several = positions.size() > 1;
  append_varint(to, std::uint64_t{positions[0]} << 1U | (is_several ? 1U : 0U));
  if (is_several) {
    append_varint(to, positions.size() - 2);
  }
  for (std::size_t i = 1; i < positions.size(); ++i) {
    append_varint(to, positions[i] - positions[i - 1]);
  }
}

void append_text(std::string& to, const RecordField& field) {
  std::string_view before;
  for (const RecordField::WithPositions& item : field.terms) {
    const auto differ = std::ranges::mismatch(before, item.term);
    const auto shared = static_cast<std::size_t>(differ.in1 - before.begin());
    append_sizes(to, shared, item.term.size() - shared);
    to.append(item.term, shared);
    append_positions(to, std::span(field.positions).subspan(item.first, item.count));
    before = item.term;
  }
}

Result<std::uint64_t> take_size(Bytes& from, std::uint64_t in_byte) {
  if (in_byte < kSizeInByteMax) {
    return in_byte;
  }
  RK_TRY_ASSIGN(const std::uint64_t more, take_number(from, kTermSizeMax));
  return in_byte + more;
}

}  // namespace

std::string encode_record(std::string_view key, std::string_view stored,
                          std::span<const RecordField> fields) {
  std::string record;
  record.push_back(kNewLayout);
  append_sized(record, key);
  append_stored(record, key, stored);
  append_varint(record, fields.size());
  std::string terms;
  for (const RecordField& field : fields) {
    append_varint(record, field.number);
    append_varint(record, field.is_text ? kPackedText : kPlain);
    terms.clear();
    if (field.is_text) {
      append_varint(record, field.length);
      append_text(terms, field);
    } else {
      for (const RecordField::WithPositions& item : field.terms) {
        append_sized(terms, item.term);
      }
    }
    append_sized(record, terms);
  }
  return record;
}

Result<RecordView> RecordView::open(Bytes bytes) {
  RecordView record;
  const bool is_new = !bytes.empty() && static_cast<char>(bytes[0]) == kNewLayout;
  bytes = bytes.subspan(is_new ? 1 : 0);
  RK_TRY_ASSIGN(const Bytes key, take_sized(bytes));
  record.key_ = as_text(key);
  if (is_new) {
    RK_TRY_ASSIGN(const std::uint64_t capitals, take_number(bytes, record.key_.size() + 1));
    if (capitals > 0) {
      record.capitals_ = capitals - 1;
    }
  }
  if (record.capitals_.has_value()) {
    const Bytes begin = bytes;
    std::uint64_t place = 0;
    for (std::uint64_t i = 0; i < *record.capitals_; ++i) {
      RK_TRY_ASSIGN(const std::uint64_t distance, take_number(bytes, record.key_.size()));
      place += distance;
      if (place >= record.key_.size()) {
        return corrupt("an entry's record has a capital outside of its key");
      }
    }
    record.capital_places_ = begin.first(begin.size() - bytes.size());
  } else {
    RK_TRY_ASSIGN(const Bytes stored, take_sized(bytes));
    record.stored_ = as_text(stored);
  }
  // A field takes three bytes at least.
  RK_TRY_ASSIGN(record.field_count_, take_number(bytes, bytes.size()));
  record.fields_ = bytes;
  return record;
}

std::string RecordView::stored() const {
  if (!capitals_.has_value()) {
    return std::string(stored_);
  }
  std::string stored(key_);
  Bytes places = capital_places_;
  std::uint64_t place = 0;
  for (std::uint64_t i = 0; i < *capitals_; ++i) {
    place += take_varint(places).value_or(0);
    stored[place] = static_cast<char>(stored[place] - 'a' + 'A');
  }
  return stored;
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
  if (is_packed_) {
    RK_TRY(next_packed());
    return true;
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

Result<void> RecordTerms::next_packed() {
  const auto sizes = std::to_integer<unsigned>(rest_[0]);
  rest_ = rest_.subspan(1);
  RK_TRY_ASSIGN(const std::uint64_t shared, take_size(rest_, sizes & kSizeInByteMax));
  RK_TRY_ASSIGN(const std::uint64_t own, take_size(rest_, sizes >> 4U));
  if (shared > built_.size() || own > rest_.size() || shared + own == 0 ||
      shared + own > kTermSizeMax) {
    return corrupt("an entry's record has a term of an impossible size");
  }
  built_.resize(shared);
  built_.append(as_text(rest_.first(own)));
  rest_ = rest_.subspan(own);
  RK_TRY_ASSIGN(
      const std::uint64_t first,
      take_number(rest_, std::uint64_t{std::numeric_limits<std::uint32_t>::max()} << 1U | 1U));
  first_position_ = static_cast<std::uint32_t>(first >> 1U);
  position_count_ = 1;
  if ((first & 1U) != 0) {
    RK_TRY_ASSIGN(const std::uint64_t more, take_number(rest_, rest_.size()));
    position_count_ = more + 2;
  }
  const Bytes begin = rest_;
  for (std::uint64_t i = 1; i < position_count_; ++i) {
    RK_TRY(take_number(rest_, ~std::uint64_t{0}));
  }
  positions_ = begin.first(begin.size() - rest_.size());
  return {};
}

Result<std::vector<std::uint32_t>> RecordTerms::positions() const {
  std::vector<std::uint32_t> positions;
  positions.reserve(position_count_);
  Bytes rest = positions_;
  std::uint64_t position = 0;
  if (is_packed_) {
    position = first_position_;
    positions.push_back(first_position_);
  }
  for (std::uint64_t i = positions.size(); i < position_count_; ++i) {
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
